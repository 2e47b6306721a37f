package io.malob.algorithm.health;

/**
 * The result of a server's checks so far: it goes down after some failures in a row, and up again
 * after some passes in a row, so that a single check does not decide. A server that is new is up
 * with its first pass. Immutable.
 *
 * @param health the verdict
 * @param contrary how many of the last checks in a row contradict it
 */
public record RiseAndFall(Health health, int contrary) {
  /** A server that must pass before it takes connections. */
  public static final RiseAndFall NEW = new RiseAndFall(Health.CHECKING, 0);

  /** A server that took connections before it was checked, and goes on until checks fail. */
  public static final RiseAndFall PRESUMED_UP = new RiseAndFall(Health.UP, 0);

  /**
   * The verdict after one more check.
   *
   * @param rise how many passes bring up what is down, at least 1
   * @param fall how many failures bring down what is up, at least 1
   */
  public RiseAndFall after(boolean passed, int rise, int fall) {
    boolean agrees = passed == (health == Health.UP);
    if (health == Health.CHECKING ? passed : agrees) {
      return new RiseAndFall(passed ? Health.UP : Health.DOWN, 0);
    }
    int needed = health == Health.DOWN ? rise : fall;
    return contrary + 1 < needed
        ? new RiseAndFall(health, contrary + 1)
        : new RiseAndFall(passed ? Health.UP : Health.DOWN, 0);
  }
}
