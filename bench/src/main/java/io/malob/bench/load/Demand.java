package io.malob.bench.load;

/** How many connections are opened: so many at a time, or so many per second. */
public sealed interface Demand {

  /** A new one starts when one has got its rules: that many are always on their way. */
  record Outstanding(int connections) implements Demand {}

  /** New ones start whether or not the earlier ones have got their rules. */
  record Rate(int perSecond) implements Demand {}

  /** In words. */
  default String text() {
    if (this instanceof Outstanding closed) {
      return "W=" + closed.connections();
    }
    return ((Rate) this).perSecond() + "/s";
  }
}
