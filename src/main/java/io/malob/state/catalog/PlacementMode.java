package io.malob.state.catalog;

import java.util.Locale;

/** When a VIP's new connections are placed: at their first packet, or before. */
public enum PlacementMode {
  /** The first packet of each connection goes to the controller, which chooses the member. */
  REACTIVE,
  /** Rules on the clients' edge switches assign groups of connections to members in advance. */
  PROACTIVE,
  /**
   * Tracked where switches track connections. In a network whose switches do not, reactive while
   * the VIP is calm and proactive under load.
   */
  AUTO,
  /**
   * As proactive, but the edge switches remember each connection, so that a group gets another
   * member at once and its open connections stay.
   */
  TRACKED;

  /** Whether it asks for rules in advance, whatever the network is like. */
  public boolean isInAdvance() {
    return this == PROACTIVE || this == TRACKED;
  }

  /** The name in REST: in lower case. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
