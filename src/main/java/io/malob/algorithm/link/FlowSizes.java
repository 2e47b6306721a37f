package io.malob.algorithm.link;

/**
 * The sizes of flows, learnt from ended ones: the expected size of a new flow, and the expected
 * remainder of an open flow. Sizes are counted in classes, eight for each power of ten, of which
 * the latest {@link #WINDOW} flows count most.
 *
 * <p>A flow that has carried more than all ended ones is expected to carry as much again: that is
 * the mean remainder of sizes with heavy tails. It counts as one flow among those learnt from.
 * Before the first flow has ended, {@link #PRIOR_BYTES} are expected. For one thread.
 */
public final class FlowSizes {
  /** About as many flows as are remembered. */
  static final int WINDOW = 256;

  /** The prior size of a flow: a small page. */
  static final double PRIOR_BYTES = 65_536;

  /** The expected remainder of a silent flow halves in this time, in seconds. */
  private static final double QUIET_SECONDS = 1;

  private static final double PER_DECADE = 8;
  private static final int CLASSES = (int) (13 * PER_DECADE);

  private final double[] flows = new double[CLASSES];
  private final double[] bytes = new double[CLASSES];

  /** Learns from an ended flow; its size is the sum of both directions. */
  public void learn(long carriedBytes) {
    for (int i = 0; i < CLASSES; i++) {
      flows[i] *= 1 - 1.0 / WINDOW;
      bytes[i] *= 1 - 1.0 / WINDOW;
    }
    int sizeClass = (int) (Math.log10((double) Math.max(1, carriedBytes)) * PER_DECADE);
    flows[Math.min(CLASSES - 1, sizeClass)] += 1;
    bytes[Math.min(CLASSES - 1, sizeClass)] += Math.max(0, carriedBytes);
  }

  /** The expected size of a new flow, in bytes; above 0. */
  public double meanBytes() {
    return Math.max(1, remainder(0));
  }

  /**
   * The expected traffic of an open flow while a new flow is open, in bytes: the mean of the
   * smaller of its remainder and the new flow's size. So an endless flow counts as one more new
   * flow, which shares the uplink.
   *
   * @param carriedBytes its traffic so far
   * @param quietSeconds how long it has been silent; 0 if unknown
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

  /** The mean excess over a size, of the larger sizes. */
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
