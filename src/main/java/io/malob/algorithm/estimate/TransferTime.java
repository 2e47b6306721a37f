package io.malob.algorithm.estimate;

/**
 * How long the network takes for a TCP connection in which a client asks once and gets an answer: a
 * round trip each for opening and for the request, those in which TCP grows its window (N.
 * Cardwell, S. Savage, T. Anderson, Modeling TCP Latency, INFOCOM 2000, without its losses), and
 * the transmission time of the bytes at the available rate. Pure.
 */
public final class TransferTime {
  /** RFC 6928: ten segments of an Ethernet. */
  private static final double FIRST_WINDOW_BYTES = 10 * 1_460;

  private TransferTime() {}

  /**
   * The time from the first packet to the last, in nanoseconds.
   *
   * @param bytes what the answer has on the wire
   * @param roundTripNanos 0 if it is not known
   * @param bitsPerSecond above 0; what the connection gets; infinite if that is not known
   */
  public static double nanos(double bytes, double roundTripNanos, double bitsPerSecond) {
    double sendingNanos = bytes * 8e9 / bitsPerSecond;
    double window = FIRST_WINDOW_BYTES;
    double sent = 0;
    int rounds = 0;
    // until all is sent, or the window does not end before its first acknowledgement comes
    while (sent + window < bytes && window * 8e9 / bitsPerSecond < roundTripNanos) {
      sent += window;
      window *= 2;
      rounds++;
    }
    double waitedNanos = rounds * roundTripNanos - sent * 8e9 / bitsPerSecond;
    return 2 * roundTripNanos + sendingNanos + Math.max(0, waitedNanos);
  }
}
