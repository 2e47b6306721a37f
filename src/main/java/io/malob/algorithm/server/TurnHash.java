package io.malob.algorithm.server;

/** Pseudo-random numbers that are the same for the same turn. Pure. */
public final class TurnHash {
  /** Odd constants that spread consecutive numbers over all 64 bits (D. Stafford's mix 13). */
  private static final long STEP = 0x9e3779b97f4a7c15L;

  private static final long MIX_1 = 0xbf58476d1ce4e5b9L;
  private static final long MIX_2 = 0x94d049bb133111ebL;

  /** Converts the highest 53 bits to a fraction. */
  private static final int FRACTION_SHIFT = 11;

  private static final double FRACTION = 0x1p-53;

  private TurnHash() {}

  static long of(long number) {
    long mixed = number * STEP;
    mixed = (mixed ^ (mixed >>> 30)) * MIX_1;
    mixed = (mixed ^ (mixed >>> 27)) * MIX_2;
    return mixed ^ (mixed >>> 31);
  }

  /** Whether the hash of a number, for example of a turn, is below a fraction from 0 to 1. */
  public static boolean isAmong(long number, double share) {
    return share >= 1 || (of(number) >>> FRACTION_SHIFT) * FRACTION < share;
  }
}
