package io.malob.algorithm.estimate;

import java.util.Random;

/**
 * A link with a queue in each direction, other traffic towards the host, and a host and a router
 * that take their time.
 */
final class LinkModel {
  private static final double PACKET_BITS = 12_000;
  private static final double MAX_QUEUED_BITS = 100 * PACKET_BITS;

  private final Random random;
  private double bps;
  private double load;
  private boolean isPoisson;
  private boolean isGreedy;
  private double lateSeconds;
  private double freeUp;
  private double freeDown;
  private double nextPacket;
  private double receivedBits;
  private double sentBits;

  LinkModel(double bps, Random random) {
    this.bps = bps;
    this.random = random;
  }

  void bps(double now) {
    bps = now;
  }

  /** Full packets, at equal or at random times, that take a part of the capacity of now. */
  void load(double part, boolean poisson, double nowSeconds) {
    load = part * bps;
    isPoisson = poisson;
    nextPacket = nowSeconds;
  }

  /** Somebody who keeps between 10 and 60 packets in the queue. */
  void greedy(boolean is) {
    isGreedy = is;
  }

  /** Ends of the link that are busy: each adds so much, on average, to the usual delay. */
  void busyEnds(double seconds) {
    lateSeconds = seconds;
  }

  /** An echo; how long it takes in seconds, below 0 if it gets lost. */
  double echo(int bytes, double now) {
    if (bps <= 0) {
      return -1;
    }
    freeUp = Math.max(freeUp, now + noise()) + 8 * bytes / bps;
    sentBits += 8 * bytes;
    double atRouter = freeUp + noise();
    traffic(atRouter);
    if ((freeDown - atRouter) * bps > MAX_QUEUED_BITS) {
      return -1;
    }
    freeDown = Math.max(freeDown, atRouter) + 8 * bytes / bps;
    receivedBits += 8 * bytes;
    return freeDown + noise() - now;
  }

  /** 50 to 300 us, more at busy ends, and now and then some milliseconds. */
  private double noise() {
    double usual = 50e-6 + 250e-6 * random.nextDouble() * random.nextDouble();
    if (lateSeconds > 0) {
      usual -= lateSeconds * Math.log(1 - random.nextDouble());
    }
    return random.nextInt(100) == 0 ? usual + 5e-3 * random.nextDouble() : usual;
  }

  private void traffic(double until) {
    if (isGreedy) {
      double wanted = (10 + random.nextInt(50)) * PACKET_BITS;
      freeDown = Math.max(freeDown, until + wanted / bps);
    }
    while (load > 0 && nextPacket < until) {
      freeDown = Math.max(freeDown, nextPacket) + PACKET_BITS / bps;
      receivedBits += PACKET_BITS;
      nextPacket += PACKET_BITS / load * (isPoisson ? -Math.log(1 - random.nextDouble()) : 1);
    }
  }

  /** What has come to the host since the last call, in bits, at the end of a second. */
  double received(double now) {
    traffic(now);
    double bits = isGreedy ? bps : receivedBits;
    receivedBits = 0;
    return bits;
  }

  /** What has gone from the host since the last call, in bits. */
  double sent() {
    double bits = sentBits;
    sentBits = 0;
    return bits;
  }
}
