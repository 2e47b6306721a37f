package io.malob.state.catalog;

import java.util.Locale;

/** When a VIP's new connections are placed: at their first packet, or before. */
public enum PlacementMode {
  /** The first packet of each connection goes to the controller, which chooses the member. */
  REACTIVE,
  /** Rules on the clients' edge switches assign groups of connections to members in advance. */
  PROACTIVE,
  /** Reactive while the VIP is calm, proactive under load. */
  AUTO,
  /**
   * As proactive, but the edge switches remember each connection, so that a group gets another
   * member at once and its open connections stay.
   */
  TRACKED;

  /** The name in REST: in lower case. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
