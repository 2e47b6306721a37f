package io.malob.state.catalog;

import java.util.Locale;

/** The administrative state of a member. */
public enum AdminState {
  /** Takes connections. */
  UP,
  /** Takes no new connections; open ones continue until they end. */
  DRAIN,
  /** Takes no connections; open ones are reset. */
  DOWN;

  /** The name in REST. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
