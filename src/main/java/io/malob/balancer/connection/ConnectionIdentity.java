package io.malob.balancer.connection;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * What never changes of a connection: its packets on both sides of the balancer, its VIP, the
 * algorithm that placed it, and its generation. A superclass of {@link Connection}, and not a part
 * of it, because there are very many connections. Of the fields, only the chains of {@link
 * ConnectionIndex} change.
 */
public abstract class ConnectionIdentity {
  // both five-tuples: there are very many connections, so these are no objects
  private final long requestAddresses;
  private final long requestProtocolAndPorts;
  private final int memberAddress;
  private final int memberPort;

  private final int vipNumber;
  private final Algorithm algorithm;
  private final int generation;

  // the chains that it is in; ConnectionIndex's
  volatile @Nullable Connection nextByRequest;
  volatile @Nullable Connection nextByReply;

  ConnectionIdentity(
      FiveTuple request, int vipNumber, Algorithm algorithm, Server server, int generation) {
    FiveTuple atMember = atMember(request, server);
    requestAddresses = request.addresses();
    requestProtocolAndPorts = request.protocolAndPorts();
    memberAddress = atMember.dstAddress();
    memberPort = atMember.dstPort();
    this.vipNumber = vipNumber;
    this.algorithm = algorithm;
    this.generation = generation;
  }

  /** The packets from the client to the VIP. */
  public FiveTuple request() {
    return new FiveTuple(requestAddresses, requestProtocolAndPorts);
  }

  boolean hasRequest(FiveTuple tuple) {
    return requestAddresses == tuple.addresses()
        && requestProtocolAndPorts == tuple.protocolAndPorts();
  }

  boolean hasReply(FiveTuple tuple) {
    return memberAddress == tuple.srcAddress()
        && memberPort == tuple.srcPort()
        && (int) (requestAddresses >>> Integer.SIZE) == tuple.dstAddress()
        && ((int) (requestProtocolAndPorts >>> Short.SIZE) & 0xffff) == tuple.dstPort()
        && protocol() == tuple.protocol();
  }

  /** Whether a packet of this connection is one of its client. */
  public boolean isFromClient(Packet packet) {
    return packet.dstAddress() == (int) requestAddresses;
  }

  /** The request's packets as the member sees them. */
  FiveTuple requestAtMember() {
    FiveTuple request = request();
    return FiveTuple.of(
        request.protocol(), request.srcAddress(), request.srcPort(), memberAddress, memberPort);
  }

  /** The packets from the member to the client, as the member makes them. */
  public FiveTuple reply() {
    return requestAtMember().reversed();
  }

  /** The five-tuple of a client's packets as a server receives them. */
  public static FiveTuple atMember(FiveTuple request, Server server) {
    return FiveTuple.of(
        request.protocol(),
        request.srcAddress(),
        request.srcPort(),
        server.address(),
        portAtMember(request.dstPort(), server));
  }

  /** The port at which a server receives what clients send to a port of the VIP. */
  static int portAtMember(int vipPort, Server server) {
    return server.port() == 0 || vipPort == 0 ? vipPort : server.port();
  }

  /** Whether it goes to the port of FTP, so that it may be a control connection. */
  public boolean isToFtp() {
    return ((int) requestProtocolAndPorts & 0xffff) == FtpSessions.CONTROL_PORT;
  }

  public int vipNumber() {
    return vipNumber;
  }

  public Algorithm algorithm() {
    return algorithm;
  }

  public int generation() {
    return generation;
  }

  /**
   * Whether it is in use as long as either of its rules is, so that its member's switch must report
   * the end of its reply rule.
   */
  public boolean endsWithBothRules() {
    return protocol() == Protocol.UDP.ipNumber();
  }

  final boolean isTcp() {
    return protocol() == Protocol.TCP.ipNumber();
  }

  private int protocol() {
    return (int) (requestProtocolAndPorts >>> Integer.SIZE) & 0xff;
  }
}
