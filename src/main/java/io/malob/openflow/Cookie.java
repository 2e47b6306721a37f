package io.malob.openflow;

import java.util.Optional;
import org.projectfloodlight.openflow.types.U64;

/**
 * The cookie of each rule, by which rules can be distinguished, found and deleted without knowing
 * their matches. From the highest bit down: 12 bits application, 4 bits kind of rule, 12 bits VIP
 * number, 16 bits member number, 20 bits generation of the connection; label and host rules use the
 * lower 24 bits for an id instead.
 */
public final class Cookie {

  /** The kind of a rule. */
  public enum Kind {
    /** The fixed rules that lead from table to table. */
    SWITCH(0),
    /** VIP traffic and ARP for VIPs. */
    VIP(1),
    REQUEST(2),
    REPLY(3),
    LABEL(4),
    HOST(5),
    /** Copies the ends of TCP connections to the controller. */
    END(6),
    /** Sends the data connections of FTP servers to the controller. */
    FTP_DATA(7),
    /** Sends later packets of a closed connection to the controller. */
    CLOSED(8),
    /** Sends agents' reports, and ARP for their destination addresses, to the controller. */
    REPORT(9),
    /** Keeps the probes of link agents on their link. */
    PROBE(10),
    /** Drops packets that flood the controller, for a short time. */
    FLOOD(11),
    /** Drops packets of clients that a VIP does not allow. */
    DENIAL(12),
    /** Leads a bucket of a proactive VIP to a member. */
    BUCKET(13),
    /** The other rules of proactive VIPs. */
    PROACTIVE(14),
    /** Leads between a host behind a core switch and the switch that translates for it. */
    ACCESS(15);

    private final long code;

    Kind(int code) {
      this.code = code;
    }
  }

  /** The letters MLB on the keys of a telephone; no application of Floodlight has this id. */
  private static final long APPLICATION = 0x652;

  private static final int APPLICATION_SHIFT = 52;
  private static final int KIND_SHIFT = 48;
  private static final int VIP_SHIFT = 36;
  private static final int MEMBER_SHIFT = 20;
  private static final long FIELD_VIP = 0xfffL << VIP_SHIFT;
  private static final long FIELD_MEMBER = 0xffffL << MEMBER_SHIFT;
  private static final long FIELD_GENERATION = 0xfffffL;
  private static final long FIELD_APPLICATION = 0xfffL << APPLICATION_SHIFT;

  private static final long FIELD_KIND = FIELD_APPLICATION | 0xfL << KIND_SHIFT;

  private Cookie() {}

  /** The cookie of a rule that belongs to no connection. */
  public static U64 of(Kind kind, int id) {
    return U64.of(base(kind) | Integer.toUnsignedLong(id));
  }

  /** The cookie of a rule of a connection. */
  public static U64 of(Kind kind, int vipNumber, int memberNumber, int generation) {
    return U64.of(
        base(kind)
            | (long) vipNumber << VIP_SHIFT
            | (long) memberNumber << MEMBER_SHIFT
            | (generation & FIELD_GENERATION));
  }

  private static long base(Kind kind) {
    return APPLICATION << APPLICATION_SHIFT | kind.code << KIND_SHIFT;
  }

  /** Whether a rule is the balancer's and of that kind. */
  public static boolean is(U64 cookie, Kind kind) {
    return (cookie.getValue() >>> KIND_SHIFT) == (base(kind) >>> KIND_SHIFT);
  }

  /** Whether a rule is the balancer's, of any kind. */
  static boolean isOurs(U64 cookie) {
    return cookie.getValue() >>> APPLICATION_SHIFT == APPLICATION;
  }

  /** The kind of a rule; empty if it is not the balancer's, or of an unknown kind. */
  public static Optional<Kind> kind(U64 cookie) {
    for (Kind kind : Kind.values()) {
      if (is(cookie, kind)) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }

  /** The id of a rule that belongs to no connection, as it was given. */
  public static int id(U64 cookie) {
    return (int) cookie.getValue();
  }

  /** The number of the VIP of a connection's rule. */
  public static int vipNumber(U64 cookie) {
    return (int) ((cookie.getValue() & FIELD_VIP) >>> VIP_SHIFT);
  }

  /** The number of the member of a connection's rule. */
  public static int memberNumber(U64 cookie) {
    return (int) ((cookie.getValue() & FIELD_MEMBER) >>> MEMBER_SHIFT);
  }

  /** The generation of the connection that a rule belongs to. */
  public static int generation(U64 cookie) {
    return (int) (cookie.getValue() & FIELD_GENERATION);
  }

  /** The generation as it will be read back: its lowest 20 bits. */
  public static int generation(int generation) {
    return (int) (generation & FIELD_GENERATION);
  }

  /** The cookie of one of several slices of all the balancer's rules, by their last bits. */
  static U64 slice(int slice) {
    return U64.of(base(Kind.SWITCH) | slice);
  }

  /**
   * Matches one slice of the balancer's rules, given its cookie.
   *
   * @param slices how many there are, a power of two
   */
  static U64 sliceMask(int slices) {
    return U64.of(FIELD_APPLICATION | (slices - 1));
  }

  /** Matches the rules of one kind, given a cookie of such a rule. */
  static U64 kindMask() {
    return U64.of(FIELD_KIND);
  }

  /** Matches the rules of connections in both directions, given the cookie of one of either. */
  static U64 connectionMask() {
    // requests and replies differ in the last bit of their kind
    return U64.of(FIELD_KIND & ~(1L << KIND_SHIFT));
  }

  /** Matches all rules of the balancer. */
  static U64 applicationMask() {
    return U64.of(FIELD_APPLICATION);
  }

  /** Matches the rules of one kind of all connections to a VIP, given a cookie of such a rule. */
  public static U64 vipMask() {
    return U64.of(FIELD_KIND | FIELD_VIP);
  }

  /** Matches the rules of one kind of all connections to a member, given a cookie of such. */
  static U64 memberMask() {
    return U64.of(FIELD_KIND | FIELD_MEMBER);
  }
}
