package io.malob.testing;

import io.malob.openflow.tracked.ConntrackMatch;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.U128;
import org.projectfloodlight.openflow.types.U16;
import org.projectfloodlight.openflow.types.U32;

/**
 * What connection tracking has found out about a packet.
 *
 * @param state bits of {@link ConntrackMatch}; 0 for a packet that has not been tracked
 * @param mark all 32 bits
 * @param label the lower 64 bits; the others are 0
 */
public record Tracked(int state, int zone, int mark, long label) {
  /** Of a packet that has not been tracked. */
  public static final Tracked NOT = new Tracked(0, 0, 0, 0);

  private static final int TRANSLATED =
      ConntrackMatch.SOURCE_TRANSLATED | ConntrackMatch.DESTINATION_TRANSLATED;

  /** Of a packet that has been tracked, with no connection. */
  static Tracked unknown(int state, int zone) {
    return new Tracked(state | ConntrackMatch.TRACKED, zone, 0, 0);
  }

  /** Adds the fields that are not zero. */
  Match.Builder addTo(Match.Builder match) {
    if (state != 0) {
      match.setExact(MatchField.CONN_TRACKING_STATE, U32.of(state));
    }
    if (zone != 0) {
      match.setExact(MatchField.CONN_TRACKING_ZONE, U16.of(zone));
    }
    if (mark != 0) {
      match.setExact(MatchField.CONN_TRACKING_MARK, U32.ofRaw(mark));
    }
    if (label != 0) {
      match.setExact(MatchField.CONN_TRACKING_LABEL, U128.of(0, label));
    }
    return match;
  }

  /** The state with which a packet enters a zone: that of another zone is void. */
  int stateIn(int nextZone) {
    return zone == nextZone ? state : 0;
  }

  /** Whether a state says that the packet has been translated. */
  static boolean isTranslated(int state) {
    return (state & TRANSLATED) != 0;
  }
}
