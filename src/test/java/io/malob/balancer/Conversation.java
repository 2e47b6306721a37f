package io.malob.balancer;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.state.catalog.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * A connection as its client and its member know it: from its first packet until its client ends or
 * gives it up.
 */
final class Conversation {
  final int number;
  final Service service;
  final Host client;
  final int clientPort;
  final int vipPort;
  final long refusedBefore;

  /** Where its packets have come out; none yet. */
  @Nullable Host member;

  int memberPort;

  /** Its client has not ended it. */
  boolean open = true;

  /** An answer has come. */
  boolean established;

  /** FIN or RST was sent: it counts no more. */
  boolean ended;

  /** Something has happened that may have moved or reset it. */
  boolean excused;

  long lastNanos;

  /** When it last began to need rules, at first or after a pause. */
  long beganNanos;

  /**
   * A VIP as clients know it.
   *
   * @param port the port that it has, or 0 for all
   * @param memberPort the port that its members have, or 0 for the one that was asked for
   */
  record Service(String id, Protocol protocol, String address, int port, int memberPort) {}

  Conversation(
      int number,
      Service service,
      Host client,
      int clientPort,
      int vipPort,
      long refusedBefore,
      boolean excused) {
    this.number = number;
    this.service = service;
    this.client = client;
    this.clientPort = clientPort;
    this.vipPort = vipPort;
    this.refusedBefore = refusedBefore;
    this.excused = excused;
  }

  Protocol protocol() {
    return service.protocol();
  }

  /** Whether the five-tuples are the same. */
  boolean isSameAs(Conversation other) {
    return protocol() == other.protocol()
        && client.equals(other.client)
        && service.address().equals(other.service.address())
        && (protocol() == Protocol.ICMP
            || (clientPort == other.clientPort && vipPort == other.vipPort));
  }

  /** Whether a member might be unable to tell the two apart. */
  boolean mayClashWith(Conversation other) {
    return protocol() == other.protocol()
        && client.equals(other.client)
        && (protocol() == Protocol.ICMP || clientPort == other.clientPort);
  }

  @Override
  public String toString() {
    return "#"
        + number
        + " "
        + protocol()
        + " "
        + client.ip()
        + ":"
        + clientPort
        + " -> "
        + service.address()
        + ":"
        + vipPort
        + (member == null ? "" : " on " + member.ip());
  }
}
