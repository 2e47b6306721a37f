package io.malob.simulation.model;

import java.util.SplittableRandom;

/**
 * One request of a client: several exchanges, one after the other, each a round trip, a computation
 * on one processor of the server, and an answer.
 *
 * @param name its name in results
 * @param exchanges how many there are
 * @param answerBits the size of one answer, in bits
 * @param cpuSeconds processor time of one computation
 */
public record Service(String name, int exchanges, double answerBits, double cpuSeconds) {
  private static final double BYTE = 8;

  /** Five pages of 60 KB, one after the other (section 4.2.1 of the thesis). */
  public static final Service HTTP = new Service("http", 5, 60_000 * BYTE, 0);

  /** A file (section 4.2.2 of the thesis). */
  public static Service ftp(double bytes) {
    return new Service("ftp", 1, bytes * BYTE, 0);
  }

  /** A request whose answer and processor time are drawn from exponential distributions. */
  Service drawn(SplittableRandom random) {
    return new Service(
        name, exchanges, answerBits * exponential(random), cpuSeconds * exponential(random));
  }

  /** With the mean 1. StrictMath gives the same digits on every machine. */
  static double exponential(SplittableRandom random) {
    return -StrictMath.log(1 - random.nextDouble());
  }

  /** A computation with a short answer (section 4.2.3 of the thesis). */
  public static Service compute(double cpuSeconds) {
    return new Service("compute", 1, 1_000 * BYTE, cpuSeconds);
  }
}
