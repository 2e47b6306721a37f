package io.malob.state.catalog;

import java.util.Locale;

/** What an operator wants a member to do. */
public enum AdminState {
  /** Takes connections. */
  UP,
  /** Takes no new connections; those that are open go on until they end. */
  DRAIN,
  /** Takes no connections; those that were open have been closed. */
  DOWN;

  /** As it is written in requests and answers. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
