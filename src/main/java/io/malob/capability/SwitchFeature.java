package io.malob.capability;

import io.malob.openflow.IpFamily;
import io.malob.openflow.SwitchTables;
import io.malob.openflow.bucket.BucketRules;
import io.malob.openflow.bucket.BucketSource;
import java.util.Arrays;
import java.util.Locale;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;

/**
 * The features that some switches lack, and how each is probed. A new feature is a line here and,
 * if it is probed at connection, its rules in {@link ProbeMessages}.
 */
public enum SwitchFeature {
  TABLE_1(Probing.AT_CONNECTION),
  TABLE_2(Probing.AT_CONNECTION),
  TABLE_3(Probing.AT_CONNECTION),
  /** Matches some bits of a MAC address. */
  MAC_MASKS(Probing.AT_CONNECTION),
  /** Translates the addresses and ports of IPv4 packets. */
  IPV4_TRANSLATION(Probing.AT_CONNECTION),
  IPV6_TRANSLATION(Probing.AT_CONNECTION),
  /** Groups of type indirect. */
  GROUPS(Probing.AT_CONNECTION),
  /** Matches TCP flags, so that it reports the ends of connections and counts SYNs. */
  TCP_FLAGS(Probing.IN_USE),
  /** Limits the rate of the packets of rules. */
  METERS(Probing.IN_USE),
  /** Tracks connections, and translates and marks their packets, by actions of Open vSwitch. */
  CONNECTION_TRACKING(Probing.BY_PACKET),
  /** Forgets connections that it tracks: Open vSwitch does so since 3.1. */
  CONNECTION_FLUSH(Probing.IN_USE),
  /** Matches some bits of a port: clients of proactive VIPs are placed by their ports. */
  IPV4_PORT_MASKS(IpFamily.IPV4, BucketSource.PORT),
  IPV6_PORT_MASKS(IpFamily.IPV6, BucketSource.PORT),
  /** Matches the last bits of an address: clients are placed by their addresses. */
  IPV4_ADDRESS_MASKS(IpFamily.IPV4, BucketSource.ADDRESS),
  IPV6_ADDRESS_MASKS(IpFamily.IPV6, BucketSource.ADDRESS);

  private final Probing probing;
  private final IpFamily family;
  private final BucketSource source;

  /** How a switch shows that it lacks a feature. */
  enum Probing {
    /** It refuses a rule of {@link ProbeMessages}. A full table is a refusal if it has no rules. */
    AT_CONNECTION,
    /** It refuses {@link #rule} when a module asks. A full table is none: it has understood. */
    ON_DEMAND,
    /** It refuses a message that a module uses, for whatever reason. */
    IN_USE,
    /**
     * It does not return a packet that {@link TrackingProber} sends through it. It does not have
     * the feature until it has returned the packet.
     */
    BY_PACKET
  }

  SwitchFeature(Probing probing) {
    this(probing, IpFamily.IPV4, BucketSource.PORT);
  }

  SwitchFeature(IpFamily family, BucketSource source) {
    this(Probing.ON_DEMAND, family, source);
  }

  SwitchFeature(Probing probing, IpFamily family, BucketSource source) {
    this.probing = probing;
    this.family = family;
    this.source = source;
  }

  /** The name in REST and in logs. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  Probing probing() {
    return probing;
  }

  /** The rule that a switch accepts if it has this feature, which is probed on demand. */
  OFFlowAdd rule(SwitchTables tables) {
    return BucketRules.maskProbe(tables, family, source);
  }

  /** The feature of having a table. */
  static SwitchFeature table(int number) {
    return switch (number) {
      case 1 -> TABLE_1;
      case 2 -> TABLE_2;
      case 3 -> TABLE_3;
      default -> throw new IllegalArgumentException("table " + number);
    };
  }

  /** The feature that buckets need, which take their clients by that part of their packets. */
  public static SwitchFeature masks(IpFamily family, BucketSource source) {
    return Arrays.stream(values())
        .filter(each -> each.probing == Probing.ON_DEMAND)
        .filter(each -> each.family == family && each.source == source)
        .findFirst()
        .orElseThrow();
  }
}
