package io.malob.openflow.subflow;

import java.util.ArrayList;
import java.util.List;
import org.projectfloodlight.openflow.types.U64;

/**
 * The cookie of the rules for sub-flows: 12 bits application, 4 bits kind, then the epoch in the
 * lowest 16. The application differs from that of the balancer's rules, so that neither changes the
 * other's. All current rules of a switch have its latest epoch: rules with another epoch are
 * outdated.
 */
final class SubflowCookie {
  /** Epochs are below this. */
  static final int EPOCHS = 1 << 16;

  /** The letters MPT on the keys of a telephone. */
  private static final long APPLICATION = 0x678;

  private static final int APPLICATION_SHIFT = 52;
  private static final int KIND_SHIFT = 48;
  private static final long APPLICATION_MASK = 0xfffL << APPLICATION_SHIFT;

  private SubflowCookie() {}

  static U64 of(int kind, int epoch) {
    return U64.of(base() | (long) kind << KIND_SHIFT | epoch);
  }

  private static long base() {
    return APPLICATION << APPLICATION_SHIFT;
  }

  /** Matches all rules for sub-flows. */
  static U64 applicationMask() {
    return U64.of(APPLICATION_MASK);
  }

  /** Cookies with masks that together match all epochs but this one: they differ in some bit. */
  static List<Masked> othersThan(int epoch) {
    List<Masked> others = new ArrayList<>();
    for (int bit = 1; bit < EPOCHS; bit <<= 1) {
      others.add(new Masked(U64.of(base() | (~epoch & bit)), U64.of(APPLICATION_MASK | bit)));
    }
    return others;
  }

  record Masked(U64 cookie, U64 mask) {}
}
