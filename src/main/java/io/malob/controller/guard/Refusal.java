package io.malob.controller.guard;

import java.util.Locale;

/** Why input from the network was rejected. */
public enum Refusal {
  /** A frame of LLDP, or one like it, that is not of this kind of controller. */
  PROBE_FOREIGN,
  /** A link probe without a valid signature of this run of the controller. */
  PROBE_FORGED,
  /** A link probe older than the lifetime of a link. */
  PROBE_LATE,
  /** A probe that came back to the port that sent it, which is impossible over a cable. */
  PROBE_REFLECTED,
  /** A message of a switch that cannot be parsed. */
  MESSAGE_UNREADABLE,
  /** A stream of a switch in which no further message can be found; the switch is disconnected. */
  STREAM_CORRUPT,
  /** A port of a switch with more than the max number of ports. */
  PORTS_TOO_MANY;

  /** The name in REST. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
