package io.malob.endhost;

import io.malob.openflow.packet.EchoFrames;
import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.Packet;
import java.util.Optional;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * A possible answer of a router to a probe: its MAC, by ARP or neighbour advertisement, or an echo.
 * Immutable.
 *
 * @param router the sender
 * @param host the receiver; empty if it does not matter
 * @param mac its MAC; empty for an echo reply
 * @param echoIdentifier of the echo, 16 bits; 0 if there is none
 * @param echoSequence of the echo, 16 bits; 0 if there is none
 */
record RouterAnswer(
    IPAddress<?> router,
    Optional<IPAddress<?>> host,
    Optional<MacAddress> mac,
    int echoIdentifier,
    int echoSequence) {

  /** Reads one; empty if it is something else. */
  static Optional<RouterAnswer> of(Packet frame) {
    if (frame.isIpv6()) {
      return NeighbourMessage.of(frame)
          .filter(message -> !message.isSolicitation())
          .map(message -> told(message.target(), Optional.empty(), message.mac()));
    }
    if (frame.kind() == Packet.Kind.ARP && frame.arpOperation() == Packet.ARP_REPLY) {
      return Optional.of(
          told(frame.source(), Optional.of(frame.destination()), frame.arpSenderMac()));
    }
    boolean isEcho =
        frame.kind() == Packet.Kind.ICMP && frame.icmpType() == EchoFrames.ICMP_ECHO_REPLY;
    return isEcho
        ? Optional.of(
            new RouterAnswer(
                frame.source(),
                Optional.of(frame.destination()),
                Optional.empty(),
                frame.icmpIdentifier(),
                frame.icmpSequence()))
        : Optional.empty();
  }

  private static RouterAnswer told(
      IPAddress<?> router, Optional<IPAddress<?>> host, MacAddress mac) {
    return new RouterAnswer(router, host, Optional.of(mac), 0, 0);
  }

  IPVersion version() {
    return router.getIpVersion();
  }

  /**
   * Whether it is an answer of the router of that uplink.
   *
   * @param identifier of the controller's echoes, 16 bits
   */
  boolean isFrom(Uplink uplink, int identifier) {
    return uplink.address(version()).isPresent()
        && uplink.gateway(version()).filter(router::equals).isPresent()
        && (host.isEmpty() || uplink.address(version()).filter(host.get()::equals).isPresent())
        && (mac.isPresent() || echoIdentifier == identifier);
  }
}
