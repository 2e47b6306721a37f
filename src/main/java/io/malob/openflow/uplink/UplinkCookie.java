package io.malob.openflow.uplink;

import java.util.ArrayList;
import java.util.List;
import org.projectfloodlight.openflow.types.U64;

/**
 * The cookie of the rules of a host's switch: 12 bits application, 4 bits kind, 8 bits number of
 * the uplink (of fixed rules: the epoch), 40 bits generation of the flow. The application differs
 * from those of other rules of MALOB, so that neither changes the other's.
 */
public final class UplinkCookie {
  /** The kind of a rule. */
  public enum Kind {
    /** Rules that do not belong to one flow. */
    FIXED(0),
    /** Carries a flow's packets to its uplink. */
    OUT(1),
    /** Carries a flow's packets back. */
    BACK(2),
    /** Copies the ends of TCP connections to the controller. */
    END(3),
    /** Drops packets from an uplink for the host itself. */
    FOREIGN(4);

    private final long code;

    Kind(long code) {
      this.code = code;
    }
  }

  /** Numbers of uplinks, and epochs, are below this. */
  public static final int UPLINKS = 1 << 8;

  /** The letters UPL on the keys of a telephone. */
  private static final long APPLICATION = 0x875L << 52;

  private static final long APPLICATION_MASK = 0xfffL << 52;
  private static final int KIND_SHIFT = 48;
  private static final long KIND_MASK = 0xfL << KIND_SHIFT;
  private static final int UPLINK_SHIFT = 40;
  private static final long UPLINK_MASK = (UPLINKS - 1L) << UPLINK_SHIFT;
  private static final long GENERATION_MASK = (1L << UPLINK_SHIFT) - 1;

  private UplinkCookie() {}

  static U64 of(Kind kind, int uplink, long generation) {
    return U64.of(
        APPLICATION
            | kind.code << KIND_SHIFT
            | (long) uplink << UPLINK_SHIFT
            | (generation & GENERATION_MASK));
  }

  /** Whether a rule with this cookie is of that kind, and of the host's. */
  public static boolean is(U64 cookie, Kind kind) {
    long bits = cookie.getValue();
    return (bits & (APPLICATION_MASK | KIND_MASK)) == (APPLICATION | kind.code << KIND_SHIFT);
  }

  /** Whether a rule with this cookie is the host's. */
  public static boolean isOurs(U64 cookie) {
    return (cookie.getValue() & APPLICATION_MASK) == APPLICATION
        && (cookie.getValue() & KIND_MASK) >>> KIND_SHIFT <= Kind.FOREIGN.code;
  }

  /** The number of the uplink in a cookie. */
  public static int uplink(U64 cookie) {
    return (int) ((cookie.getValue() & UPLINK_MASK) >>> UPLINK_SHIFT);
  }

  /** The generation of the flow in a cookie. */
  public static long generation(U64 cookie) {
    return cookie.getValue() & GENERATION_MASK;
  }

  /** A generation that fits into a cookie, from any number. */
  public static long generation(long number) {
    return number & GENERATION_MASK;
  }

  /** A cookie and the bits of it that count. */
  record Masked(U64 cookie, U64 mask) {}

  /** All rules of the host. */
  static Masked all() {
    return new Masked(U64.of(APPLICATION), U64.of(APPLICATION_MASK));
  }

  /** All rules of one kind. */
  static Masked all(Kind kind) {
    return new Masked(of(kind, 0, 0), U64.of(APPLICATION_MASK | KIND_MASK));
  }

  /** The rules of one kind that belong to an uplink. */
  static Masked ofUplink(Kind kind, int uplink) {
    return new Masked(of(kind, uplink, 0), U64.of(APPLICATION_MASK | KIND_MASK | UPLINK_MASK));
  }

  /** Both rules of one flow. */
  static Masked ofFlow(int uplink, long generation) {
    return new Masked(
        of(Kind.FIXED, uplink, generation),
        U64.of(APPLICATION_MASK | UPLINK_MASK | GENERATION_MASK));
  }

  /** Together all fixed rules of other epochs than this: they differ in some bit. */
  static List<Masked> otherEpochs(Kind kind, int epoch) {
    List<Masked> others = new ArrayList<>();
    for (int bit = 1; bit < UPLINKS; bit <<= 1) {
      others.add(
          new Masked(
              of(kind, ~epoch & bit, 0),
              U64.of(APPLICATION_MASK | KIND_MASK | (long) bit << UPLINK_SHIFT)));
    }
    return others;
  }
}
