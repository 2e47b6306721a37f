package io.malob.latency;

/** The method to measure the round trip between controller and switch. */
public enum ControlMethod {
  /** ECHO_REQUEST and ECHO_REPLY, as the thesis does. */
  ECHO,
  /** A probe frame that the switch returns at once: PACKET_OUT and PACKET_IN. */
  PACKET;

  /** The method to try if this one is not answered. */
  ControlMethod other() {
    return this == ECHO ? PACKET : ECHO;
  }
}
