package io.malob.controller.guard;

import java.util.Locale;

/** Why something that came from the network was not believed. */
public enum Refusal {
  /** A frame of LLDP, or one like it, that is not of this kind of controller. */
  PROBE_FOREIGN,
  /** A probe of links that this run of the controller has not signed, or not so. */
  PROBE_FORGED,
  /** A probe of links that was sent longer ago than a link lives without one. */
  PROBE_LATE,
  /** A probe that came in at the very port that it was sent from, which no cable does. */
  PROBE_REFLECTED,
  /** A message of a switch that cannot be read, or that means nothing. */
  MESSAGE_UNREADABLE,
  /** Bytes of a switch among which no further message can be found; it is disconnected. */
  STREAM_CORRUPT,
  /** A port of a switch that has more than any switch can have. */
  PORTS_TOO_MANY;

  /** As it is shown. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
