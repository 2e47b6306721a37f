package io.malob.state.catalog;

import java.util.Locale;

/** The administrative state of an item; only members can drain. */
public enum AdminState {
  /** Takes connections; a monitor checks. */
  UP,
  /** Takes no new connections; open ones continue until they end. */
  DRAIN,
  /**
   * Takes no connections; open ones of a member are reset, all others continue. A monitor does not
   * check.
   */
  DOWN;

  /** The name in REST. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
