package io.malob.openflow;

import io.malob.algorithm.Attachment;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The number of a next hop, which packets carry as their source MAC address between edge switches:
 * the label says over which path, this says to whom. It follows from MAC address and VLAN alone, so
 * all controllers know it, also after a restart. Among 10,000 next hops, two have the same number
 * with a probability of 0.02 %.
 *
 * <p>The first byte of the address is not part of the number: it says where the path enters a
 * segment of legacy switches, so that these see each source at one port. No rule matches it. The
 * next two bits say by which path the member of a tracked VIP is to reply; they are 0 in all other
 * packets.
 */
public final class NextHopMac {
  private static final int BITS = 38;
  private static final int FIRST_BYTE = 40;
  private static final int VLAN_BITS = 12;
  private static final long NUMBER = (1L << BITS) - 1;
  private static final long REPLY_PATH = 3L << BITS;

  /** The first byte on paths that cross no segment, and of numbers: a local address. */
  private static final int NO_SEGMENT = 0x16;

  /** The first byte of the first entry; the other local addresses of hosts follow, up to 0xfe. */
  private static final int FIRST_ENTRY = 0x1a;

  private static final int STEP = 4;

  /** How many entries have a byte of their own. */
  static final int ENTRIES = (0xfe - FIRST_ENTRY) / STEP + 1;

  private static final MacAddress MASK = MacAddress.of(NUMBER);
  private static final MacAddress MASK_WITH_REPLY_PATH = MacAddress.of(NUMBER | REPLY_PATH);

  private NextHopMac() {}

  /** The number of a next hop. */
  public static MacAddress of(Attachment nextHop) {
    return of(nextHop.mac(), nextHop.vlan());
  }

  /** The number of the next hop with that MAC address on that VLAN; 0 for untagged frames. */
  public static MacAddress of(MacAddress mac, int vlan) {
    // the finalizer of SplitMix64 (Steele, Lea and Flood, 2014): each bit of the key counts
    long mix = mac.getLong() << VLAN_BITS | vlan;
    mix = (mix ^ mix >>> 30) * 0xbf58476d1ce4e5b9L;
    mix = (mix ^ mix >>> 27) * 0x94d049bb133111ebL;
    return withByte(NO_SEGMENT, (mix ^ mix >>> 31) >>> (Long.SIZE - FIRST_BYTE));
  }

  /**
   * The source MAC address of packets to a next hop on a path.
   *
   * @param entry where the path enters segments, from 1 on; 0 if it crosses none
   */
  static MacAddress entering(Attachment nextHop, int entry) {
    MacAddress number = of(nextHop);
    return entry == 0
        ? number
        : withByte(FIRST_ENTRY + (entry - 1) % ENTRIES * STEP, number.getLong());
  }

  /** The same, with the ordinal of the path of replies; 0 if packets do not say it. */
  static MacAddress entering(Attachment nextHop, int entry, int replyPath) {
    return MacAddress.of(entering(nextHop, entry).getLong() | (long) replyPath << BITS);
  }

  /** The number in a source MAC address, or in a match that was read; any address has one. */
  public static MacAddress numberIn(MacAddress source) {
    return withByte(NO_SEGMENT, source.getLong());
  }

  /** The ordinal of the path of replies in a source MAC address; 0 if packets do not say it. */
  public static int replyPathIn(MacAddress source) {
    return (int) ((source.getLong() & REPLY_PATH) >>> BITS);
  }

  /** Matches packets to a next hop on all paths. */
  static Match.Builder match(Match.Builder match, Attachment nextHop) {
    return match.setMasked(MatchField.ETH_SRC, MacAddress.of(of(nextHop).getLong() & NUMBER), MASK);
  }

  /** Matches those whose replies are to take a path. */
  public static Match.Builder match(Match.Builder match, Attachment nextHop, int replyPath) {
    MacAddress wanted = MacAddress.of((of(nextHop).getLong() & NUMBER) | (long) replyPath << BITS);
    return match.setMasked(MatchField.ETH_SRC, wanted, MASK_WITH_REPLY_PATH);
  }

  /** Whether a match that was read is one of packets to a next hop, of whatever replies. */
  static boolean isAnyReplyPath(MacAddress mask) {
    return mask.equals(MASK);
  }

  private static MacAddress withByte(int first, long number) {
    return MacAddress.of(((long) first << FIRST_BYTE) | (number & NUMBER));
  }
}
