package io.malob.balancer.admission;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.VlanAddress;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.MemberGateways;
import io.malob.openflow.packet.Packet;
import io.malob.state.network.Routers;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * Decides from a packet whether a known connection's client has another next hop now.
 *
 * <p>A host of the network is known by its address: the same MAC at another port has moved, as a
 * learning switch would conclude; another MAC may be forged, and counts only if the old port is
 * down. Any other client is behind a router, and routers take over from each other: requests that
 * another one sends, and replies that the member sends to another one, show it.
 *
 * <p>Called by the threads that read from switches, several at once; never blocks.
 *
 * @param isUp whether a port is up and its switch is controlled
 * @param unowned whether another controller is master of a switch
 * @param routers the next hops that may be routers
 */
public record NextHopChanges(
    Clients clients,
    Predicate<Attachment> isUp,
    MemberGateways gateways,
    Predicate<DatapathId> unowned,
    Routers routers) {
  /** Later replies of connections without a handshake are no first ones. */
  private static final long FIRST_REPLY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The next hop of a client, as a packet of it shows. */
  Attachment byRequest(Attachment before, Arrival arrival) {
    if (arrival.inPort().equals(before.port()) && arrival.switchId().equals(before.switchId())) {
      return before;
    }
    Packet packet = arrival.packet();
    return clients
        .locate(arrival.switchId(), arrival.inPort(), packet)
        .filter(
            found ->
                found.isSameHost(before)
                    || (isHost(packet.source(), before)
                        // of another controller's switch, it is not known whether a port is down
                        ? !unowned.test(before.switchId()) && !isUp.test(before)
                        : mayBeRouter(found)))
        .orElse(before);
  }

  /**
   * The next hop of a client, as a reply shows that its member has sent to another MAC address than
   * expected. Notes that address for later connections.
   */
  Attachment byReply(Connection connection, Packet reply, long nowNanos) {
    Attachment before = connection.client();
    MacAddress mac = reply.dstMac();
    IPAddress<?> client = reply.destination();
    Optional<Attachment> chosen =
        isHost(client, before) ? Optional.empty() : clients.find(mac, before.vlan());
    boolean isFirst =
        reply.kind() == Packet.Kind.TCP
            ? reply.hasTcpFlags(Packet.TCP_SYN)
            : connection.ageNanos(nowNanos) < FIRST_REPLY_NANOS;
    if (isFirst || chosen.isEmpty()) {
      // the member has a gateway of its own, or routers share an address, as they do from now on
      gateways.learn(connection.server().number(), before, mac);
      return chosen.filter(at -> at.isAtPortOf(before)).orElse(before);
    }
    return chosen.filter(at -> at.isAtPortOf(before) || mayBeRouter(at)).orElse(before);
  }

  /** Whether an address is that of a host of the network, and not of one behind a router. */
  boolean isHost(IPAddress<?> client, Attachment nextHop) {
    return clients.isHost(new VlanAddress(client, nextHop.vlan()));
  }

  private boolean mayBeRouter(Attachment at) {
    return routers.allow(
        at.mac(),
        address -> clients.find(new VlanAddress(address, at.vlan())).map(Attachment::mac));
  }
}
