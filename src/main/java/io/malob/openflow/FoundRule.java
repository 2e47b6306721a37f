package io.malob.openflow;

import io.malob.algorithm.FiveTuple;
import io.malob.openflow.label.Label;
import java.util.Optional;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** What a rule of ours says that was read from a switch. Immutable. */
public sealed interface FoundRule {

  /**
   * One direction of a connection.
   *
   * @param incoming the packets as their sender makes them
   * @param outgoing the packets as their receiver sees them
   * @param label the label that they get, empty if the receiver is on the same switch
   */
  record Direction(
      FiveTuple incoming,
      FiveTuple outgoing,
      Optional<Label> label,
      int vipNumber,
      int memberNumber,
      int generation) {}

  /** The rule of a connection at its client's edge. */
  record Request(Direction direction) implements FoundRule {}

  /** The rule of a connection at its member's edge. */
  record Reply(Direction direction) implements FoundRule {}

  /**
   * Where a label goes on.
   *
   * @param out the port; empty at the end of the path
   */
  record Hop(Label label, Optional<OFPort> out) implements FoundRule {}

  /** Where a host is attached. */
  record Host(IPAddress<?> address, OFPort port, MacAddress mac) implements FoundRule {}

  /** The second rule of a host, for packets that go back out of their port. */
  record HostOnSamePort() implements FoundRule {}

  /** Leads to the controller or to the connections what is for a VIP address. */
  record Vip(IPAddress<?> address) implements FoundRule {}

  /** One of the rules that every switch has. */
  record Fixed() implements FoundRule {}

  /**
   * Shows the controller the data connections that an FTP server opens to a client.
   *
   * @param generation that of the control connection
   */
  record FtpData(int member, int client, int generation) implements FoundRule {}

  /** Shows the controller what is still sent within a connection that was closed; ends soon. */
  record Closed() implements FoundRule {}

  /**
   * A rule of another module, a rule that expires by itself, or one of an unknown kind of a later
   * version.
   */
  record Foreign() implements FoundRule {}

  /** It carries our cookie, but says nothing that a rule of its kind would. */
  record Unreadable() implements FoundRule {}
}
