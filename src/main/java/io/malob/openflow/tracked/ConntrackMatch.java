package io.malob.openflow.tracked;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.U128;
import org.projectfloodlight.openflow.types.U16;
import org.projectfloodlight.openflow.types.U32;

/**
 * Adds to matches what {@link ConntrackAction} has found out about a packet. The bits of the state
 * are those of Open vSwitch's field {@code ct_state}, ovs-fields(7). Pure.
 */
public final class ConntrackMatch {
  /** The packet begins a connection, which is not committed or has no packet back yet. */
  public static final int NEW = 1;

  /** The connection is known. */
  public static final int ESTABLISHED = 2;

  /** The packet belongs to another connection, such as an ICMP error. */
  public static final int RELATED = 4;

  /** The packet goes back to the end that began the connection. */
  public static final int REPLY = 8;

  /** The connection could not be found out. */
  public static final int INVALID = 16;

  /** The packet has passed an action {@code ct}. */
  public static final int TRACKED = 32;

  /** The source of the packet was translated. */
  public static final int SOURCE_TRANSLATED = 64;

  /** The destination of the packet was translated. */
  public static final int DESTINATION_TRANSLATED = 128;

  private static final int VLAN_OFFSET = 48;

  private ConntrackMatch() {}

  /** Adds bits that are set, and bits that are not; all others may have any value. */
  public static Match.Builder state(Match.Builder match, int set, int unset) {
    if ((set & unset) != 0) {
      throw new IllegalArgumentException("bits both set and not: " + (set & unset));
    }
    return match.setMasked(MatchField.CONN_TRACKING_STATE, U32.of(set), U32.of(set | unset));
  }

  /** Adds {@code ct_state=-trk}: the packet has not passed {@code ct} yet. */
  public static Match.Builder untracked(Match.Builder match) {
    return state(match, 0, TRACKED);
  }

  /** Adds {@code ct_state=+new+trk}. */
  public static Match.Builder beginning(Match.Builder match) {
    return state(match, NEW | TRACKED, 0);
  }

  /** Adds {@code ct_state=+est+trk}. */
  public static Match.Builder established(Match.Builder match) {
    return state(match, ESTABLISHED | TRACKED, 0);
  }

  /** Whether a packet with these fields has passed {@code ct}. */
  public static boolean isTracked(Match fields) {
    @Nullable U32 state = fields.get(MatchField.CONN_TRACKING_STATE);
    return state != null && (state.getRaw() & TRACKED) != 0;
  }

  /** Adds the zone. */
  public static Match.Builder zone(Match.Builder match, int zone) {
    return match.setExact(MatchField.CONN_TRACKING_ZONE, U16.of(zone));
  }

  /** Adds the whole mark of the connection. */
  public static Match.Builder mark(Match.Builder match, int mark) {
    return match.setExact(MatchField.CONN_TRACKING_MARK, U32.of(mark));
  }

  /** Adds the sender that {@link ConntrackAction#keepSender} has kept: the next hop of replies. */
  public static Match.Builder sender(Match.Builder match, MacAddress mac, int vlan) {
    long low = mac.getLong() | (long) vlan << VLAN_OFFSET;
    return match.setExact(MatchField.CONN_TRACKING_LABEL, U128.of(0, low));
  }

  /** The MAC address that was kept, in the match of a packet-in; empty if none was. */
  public static Optional<MacAddress> senderIn(Match match) {
    return Optional.ofNullable(match.get(MatchField.CONN_TRACKING_LABEL))
        .map(label -> MacAddress.of(label.getLsb() & (1L << VLAN_OFFSET) - 1));
  }

  /** Adds some bits of the mark. */
  public static Match.Builder mark(Match.Builder match, int mark, int mask) {
    return match.setMasked(MatchField.CONN_TRACKING_MARK, U32.of(mark), U32.of(mask));
  }
}
