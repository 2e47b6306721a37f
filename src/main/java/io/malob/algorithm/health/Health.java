package io.malob.algorithm.health;

import java.util.Locale;

/** The health of a server. */
public enum Health {
  /** It has no health check and is assumed to be up. */
  UNCHECKED,
  /** It is new, and has not passed a check yet. */
  CHECKING,
  /** It passes its checks. */
  UP,
  /** It does not. */
  DOWN,
  /** It passes its checks, but its connections got no answer. */
  EJECTED;

  /** Whether it takes connections. */
  public boolean takesConnections() {
    return this == UNCHECKED || this == UP;
  }

  /** The name in REST. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
