package io.malob.algorithm.link;

/**
 * How much flows carry, learnt from those that have ended: what a new flow is expected to carry,
 * and how much more one that goes on. Sizes are counted in classes, eight for each power of ten, of
 * which the latest {@link #WINDOW} flows count most.
 *
 * <p>A flow that has carried more than all that have ended is expected to carry as much again as it
 * has carried: that is the mean remainder of sizes with heavy tails, and where nothing is known yet
 * (before the first flow has ended, {@link #PRIOR_BYTES} is expected). It counts as one flow among
 * those learnt from. For one thread.
 */
public final class FlowSizes {
  /** About as many flows as are remembered. */
  static final int WINDOW = 256;

  /** What a flow is expected to carry before anything is known: a small page. */
  static final double PRIOR_BYTES = 65_536;

  /** A flow that carries nothing is expected half as much after so many seconds. */
  private static final double QUIET_SECONDS = 1;

  private static final double PER_DECADE = 8;
  private static final int CLASSES = (int) (13 * PER_DECADE);

  private final double[] flows = new double[CLASSES];
  private final double[] bytes = new double[CLASSES];

  /** Learns from a flow that has ended, having carried that much in both directions. */
  public void learn(long carriedBytes) {
    for (int i = 0; i < CLASSES; i++) {
      flows[i] *= 1 - 1.0 / WINDOW;
      bytes[i] *= 1 - 1.0 / WINDOW;
    }
    int sizeClass = (int) (Math.log10((double) Math.max(1, carriedBytes)) * PER_DECADE);
    flows[Math.min(CLASSES - 1, sizeClass)] += 1;
    bytes[Math.min(CLASSES - 1, sizeClass)] += Math.max(0, carriedBytes);
  }

  /** What a new flow is expected to carry, in bytes; above 0. */
  public double meanBytes() {
    return Math.max(1, remainder(0));
  }

  /**
   * What an open flow is expected to carry still while a new one is open, in bytes: the mean of the
   * smaller of its remainder and the new flow's size. So a flow without end counts as one more new
   * flow, with which it shares the uplink, and not as if it had to be waited for.
   *
   * @param carriedBytes what it has carried so far
   * @param quietSeconds for how long it has carried nothing; 0 if that is not known
   */
  public double expectedBytes(long carriedBytes, double quietSeconds) {
    double rest = remainder((double) Math.max(0, carriedBytes));
    double count = 1;
    double sum = Math.min(rest, PRIOR_BYTES);
    for (int i = 0; i < CLASSES; i++) {
      count += flows[i];
      sum += Math.min(rest * flows[i], bytes[i]);
    }
    return sum / count * Math.pow(0.5, quietSeconds / QUIET_SECONDS);
  }

  /** The mean of what is above that in the sizes that are above that. */
  private double remainder(double carried) {
    double count = 1;
    double sum = carried < PRIOR_BYTES / 2 ? PRIOR_BYTES - carried : carried;
    for (int i = 0; i < CLASSES; i++) {
      double more = bytes[i] - flows[i] * carried;
      if (more > 0) {
        count += flows[i];
        sum += more;
      }
    }
    return sum / count;
  }
}
