package io.malob.bench.load;

/** The load: a number of connections at a time, or per second. */
public sealed interface Demand {

  /** A new one starts when another has got its rules: the number of pending ones is constant. */
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
