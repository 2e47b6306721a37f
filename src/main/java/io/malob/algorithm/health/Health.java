package io.malob.algorithm.health;

import java.util.Locale;

/** What checks of a server have shown. */
public enum Health {
  /** It has no health check and is assumed to be up. */
  UNCHECKED,
  /** It is new, and has not passed a check yet. */
  CHECKING,
  /** It passes its checks. */
  UP,
  /** It does not. */
  DOWN,
  /** Nothing is wrong with its checks, but its connections have got no answer. */
  EJECTED;

  /** Whether it takes connections. */
  public boolean takesConnections() {
    return this == UNCHECKED || this == UP;
  }

  /** As it is written in answers. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
