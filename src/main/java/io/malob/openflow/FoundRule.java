package io.malob.openflow;

import io.malob.algorithm.FiveTuple;
import io.malob.openflow.label.Label;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** The content of one of the balancer's rules that was read from a switch. Immutable. */
public sealed interface FoundRule {

  /**
   * One direction of a connection.
   *
   * @param incoming the packets as their sender makes them
   * @param outgoing the packets as their receiver sees them
   * @param label the label that they get, empty if the receiver is on the same switch
   * @param vlan the VLAN of the incoming packets; 0 if they are untagged
   * @param isOfAnyVlan whether the rule matches tagged packets, too, as earlier versions made it
   * @param dstMac the MAC address that the incoming packets are sent to; null for any
   * @param nextHop the number of the next hop that they are for
   * @param out the port that the rule names; empty if another rule or a group does
   */
  record Direction(
      FiveTuple incoming,
      FiveTuple outgoing,
      int vlan,
      boolean isOfAnyVlan,
      @Nullable MacAddress dstMac,
      MacAddress nextHop,
      Optional<Label> label,
      Optional<OFPort> out,
      int vipNumber,
      int memberNumber,
      int generation) {}

  /** The rule of a connection at its client's edge. */
  record Request(Direction direction) implements FoundRule {}

  /** The rule of a connection at its member's edge. */
  record Reply(Direction direction) implements FoundRule {}

  /**
   * The next hop of a label.
   *
   * @param out the port; empty at the end of the path
   */
  record Hop(Label label, Optional<OFPort> out) implements FoundRule {}

  /**
   * The port of a next hop.
   *
   * @param number its number
   * @param vlan the VLAN of its frames; 0 if they are untagged
   */
  record Host(MacAddress number, OFPort port, MacAddress mac, int vlan) implements FoundRule {}

  /** The second rule of a host, for packets that go back out of their port. */
  record HostOnSamePort() implements FoundRule {}

  /** Sends packets for a VIP address to the controller or to the table of connections. */
  record Vip(IPAddress<?> address) implements FoundRule {}

  /** One of the rules that every switch has. */
  record Fixed() implements FoundRule {}

  /**
   * Sends an FTP server's data connections to a client to the controller.
   *
   * @param generation that of the control connection
   */
  record FtpData(int member, int client, int generation) implements FoundRule {}

  /** Sends later packets of a closed connection to the controller; expires soon. */
  record Closed() implements FoundRule {}

  /**
   * A rule of another module, a rule that expires by itself, or one of an unknown kind of a later
   * version.
   */
  record Unowned() implements FoundRule {}

  /** Leads between a host behind a core switch and its edge. */
  record Access(OFFlowStatsEntry entry, OFPort out) implements FoundRule {}

  /** Drops copies of packets at a port on a segment of legacy switches, as it was read. */
  record OfSegment(OFFlowStatsEntry entry) implements FoundRule {}

  /** A rule of a proactive VIP, as it was read. */
  record Proactive(OFFlowStatsEntry entry) implements FoundRule {}

  /** It has the balancer's cookie, but not the content of its kind. */
  record Unreadable() implements FoundRule {}
}
