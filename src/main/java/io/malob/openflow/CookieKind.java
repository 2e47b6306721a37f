package io.malob.openflow;

import com.google.common.collect.ImmutableList;
import org.projectfloodlight.openflow.types.U64;

/**
 * The registry of cookies, by which rules are distinguished, found and deleted without knowing
 * their matches. From the highest bit down, a cookie has 12 bits application, 4 bits kind and 48
 * bits for the fields of the kind. The balancer has more kinds than 16: number 15 and all above
 * have 15 there, and in the next 8 bits how far they are above it, which leaves 40 bits.
 *
 * <p>Switches keep rules over an update of the controller. So numbers and fields are never changed,
 * and the number of a kind that is gone is not given again.
 */
public enum CookieKind {
  /** The fixed rules that lead from table to table. */
  SWITCH(Application.BALANCER, 0, CookieField.ID),
  /** VIP traffic and ARP for VIPs; SYNs on the five-tuple of a connection. */
  VIP(Application.BALANCER, 1, CookieField.VIP, CookieField.MEMBER, CookieField.GENERATION),
  REQUEST(Application.BALANCER, 2, CookieField.VIP, CookieField.MEMBER, CookieField.GENERATION),
  REPLY(Application.BALANCER, 3, CookieField.VIP, CookieField.MEMBER, CookieField.GENERATION),
  LABEL(Application.BALANCER, 4, CookieField.ID),
  HOST(Application.BALANCER, 5, CookieField.ID),
  /** Copies the ends of TCP connections to the controller. */
  END(Application.BALANCER, 6, CookieField.ID),
  /** Sends the data connections of FTP servers to the controller. */
  FTP_DATA(Application.BALANCER, 7, CookieField.VIP, CookieField.MEMBER, CookieField.GENERATION),
  /** Sends later packets of a closed connection to the controller. */
  CLOSED(Application.BALANCER, 8, CookieField.ID),
  /** Sends agents' reports, and ARP for their destination addresses, to the controller. */
  REPORT(Application.BALANCER, 9, CookieField.ID),
  /** Keeps the probes of link agents on their link. */
  PROBE(Application.BALANCER, 10, CookieField.ID),
  /** Drops packets that flood the controller, for a short time. */
  FLOOD(Application.BALANCER, 11, CookieField.ID),
  /** Drops packets of clients that a VIP does not allow. */
  DENIAL(Application.BALANCER, 12, CookieField.ID),
  /** Leads a bucket of a proactive VIP to a member. */
  BUCKET(
      Application.BALANCER,
      13,
      CookieField.VIP,
      CookieField.MEMBER,
      CookieField.BUCKET_IS_MOVING,
      CookieField.BUCKET_BY_ADDRESS,
      CookieField.BUCKET_COUNT,
      CookieField.BUCKET_INDEX),
  /** The other rules of proactive VIPs. */
  PROACTIVE(Application.BALANCER, 14, CookieField.VIP, CookieField.MEMBER, CookieField.GENERATION),
  /** Leads between a host behind a core switch and the switch that translates for it. */
  ACCESS(Application.BALANCER, 15, CookieField.ID),
  /** Drops what legacy switches flood. */
  SEGMENT(Application.BALANCER, 16, CookieField.ID),

  /** A rule that a switch is to accept or refuse. */
  SWITCH_PROBE(Application.PROBES, 0),

  /** Leads to the table of labels. */
  SUBFLOW_LABELLED(Application.SUBFLOWS, 0, CookieField.EPOCH),
  /** Gives packets of hosts the label of their route. */
  SUBFLOW_INGRESS(Application.SUBFLOWS, 1, CookieField.EPOCH),
  /** Leads to a host of the switch. */
  SUBFLOW_DESTINATION(Application.SUBFLOWS, 2, CookieField.EPOCH),
  /** Leads to another branch of a route. */
  SUBFLOW_DIVERSION(Application.SUBFLOWS, 3, CookieField.EPOCH),
  /** Forwards a label. */
  SUBFLOW_LABEL(Application.SUBFLOWS, 4, CookieField.EPOCH),
  /** Ends a label. */
  SUBFLOW_END(Application.SUBFLOWS, 5, CookieField.EPOCH),

  /** Rules of an end host that do not belong to one flow; they have an epoch for an uplink. */
  UPLINK_FIXED(Application.UPLINKS, 0, CookieField.UPLINK, CookieField.FLOW),
  /** Carries a flow's packets to its uplink. */
  UPLINK_OUT(Application.UPLINKS, 1, CookieField.UPLINK, CookieField.FLOW),
  /** Carries a flow's packets back. */
  UPLINK_BACK(Application.UPLINKS, 2, CookieField.UPLINK, CookieField.FLOW),
  /** Copies the ends of TCP connections to the controller. */
  UPLINK_END(Application.UPLINKS, 3, CookieField.UPLINK, CookieField.FLOW),
  /** Drops packets from an uplink for the host itself. */
  UPLINK_FOREIGN(Application.UPLINKS, 4, CookieField.UPLINK, CookieField.FLOW),

  /** Forwarding's rules of a path. */
  ROUTE(Application.FORWARDING, 0, CookieField.ID),

  /** Entries of operators that name no cookie. */
  STATIC_ENTRY(Application.STATIC_ENTRIES, 0, CookieField.ID);

  /** Whose rules they are: none changes those of another. */
  public enum Application {
    /** The letters MLB on the keys of a telephone; no application of Floodlight has this id. */
    BALANCER(0x652, MAX_LONG),
    PROBES(0x653, MAX_SHORT),
    /** MPT. */
    SUBFLOWS(0x678, MAX_SHORT),
    /** UPL. */
    UPLINKS(0x875, MAX_SHORT),
    /** FOR. */
    FORWARDING(0x367, MAX_SHORT),
    /** Floodlight's own number. */
    STATIC_ENTRIES(0x00a, MAX_SHORT);

    private final long id;
    private final int maxKind;

    Application(int id, int maxKind) {
      this.id = id;
      this.maxKind = maxKind;
    }

    /** The highest number that a kind can have. */
    int maxKind() {
      return maxKind;
    }

    /** All its rules. */
    public MaskedCookie all() {
      return MaskedCookie.of(id << APPLICATION_SHIFT, APPLICATION_MASK);
    }

    /** Whether it is the application of a rule. */
    public boolean is(U64 cookie) {
      return cookie.getValue() >>> APPLICATION_SHIFT == id;
    }
  }

  private static final int APPLICATION_SHIFT = 52;
  private static final long APPLICATION_MASK = 0xfffL << APPLICATION_SHIFT;
  private static final int SHORT_SHIFT = 48;
  private static final int MAX_SHORT = 0xf;
  private static final long SHORT_MASK = (long) MAX_SHORT << SHORT_SHIFT;
  private static final int LONG_SHIFT = 40;
  private static final int MAX_LONG = MAX_SHORT + 0xff;
  private static final long LONG_MASK = 0xffL << LONG_SHIFT;

  private final Application application;
  private final ImmutableList<CookieField> fields;
  private final long bits;
  private final long mask;

  CookieKind(Application application, int number, CookieField... fields) {
    boolean isLong = number >= MAX_SHORT && application.maxKind > MAX_SHORT;
    this.application = application;
    this.fields = ImmutableList.copyOf(fields);
    this.bits =
        application.id << APPLICATION_SHIFT
            | (isLong
                ? SHORT_MASK | (long) (number - MAX_SHORT) << LONG_SHIFT
                : (long) number << SHORT_SHIFT);
    this.mask = APPLICATION_MASK | SHORT_MASK | (isLong ? LONG_MASK : 0);
  }

  public Application application() {
    return application;
  }

  ImmutableList<CookieField> fields() {
    return fields;
  }

  /** The bits that all cookies of this kind have. */
  long bits() {
    return bits;
  }

  /** Which bits these are. */
  long mask() {
    return mask;
  }

  /** A cookie of this kind with some fields. */
  public U64 cookie(long fieldBits) {
    return U64.of(bits | fieldBits);
  }

  /** All rules of this kind. */
  public MaskedCookie all() {
    return MaskedCookie.of(bits, mask);
  }
}
