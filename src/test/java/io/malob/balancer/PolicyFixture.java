package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.ExplainedConnection;
import io.malob.balancer.api.ExplainedConnection.Candidate;
import io.malob.balancer.api.ExplainedConnection.Exclusion;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogKind;
import io.malob.state.catalog.Protocol;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * A VIP for all ports over two members in turn, for tests of what operators ask of it.
 *
 * <pre>
 *  client ---1 s1 2---1 s2 2-- member 1 (m1)
 *  other  ---3            3 |
 *                          member 2 (m2)
 * </pre>
 */
final class PolicyFixture {
  static final IPv4Address VIP = IPv4Address.of("10.0.0.100");

  final BalancerNetwork net;
  final DatapathId s1;
  final DatapathId s2;
  final Host client;
  final Host other;
  final Host first;
  final Host second;

  PolicyFixture() {
    this(new BalancerNetwork());
  }

  /** The catalog comes first, as at a controller's start. */
  PolicyFixture(BalancerNetwork net, String... fields) {
    this.net = net;
    catalog(fields);
    s1 = net.addSwitch(1);
    s2 = net.addSwitch(2);
    client = Host.of(s1, 1, "10.0.0.1");
    other = Host.of(s1, 3, "10.0.0.2");
    first = Host.of(s2, 2, "10.0.0.11");
    second = Host.of(s2, 3, "10.0.0.12");
    net.link(s1, 2, s2, 1);
    List.of(client, other, first, second).forEach(net::learn);
  }

  private void catalog(String... fields) {
    net.create(Catalog.VIPS, "id", "v", "address", VIP.toString());
    net.create(Catalog.POOLS, "id", "p", "vip_id", "v", "lb_method", "RR+SPH");
    boolean isOfPool = fields.length > 0 && Catalog.POOLS.fieldNames().contains(fields[0]);
    set(isOfPool ? Catalog.POOLS : Catalog.VIPS, isOfPool ? "p" : "v", fields);
    net.create(Catalog.MEMBERS, "id", "m1", "address", "10.0.0.11", "pool_id", "p");
    net.create(Catalog.MEMBERS, "id", "m2", "address", "10.0.0.12", "pool_id", "p");
  }

  /**
   * The controller starts anew on the same switches. Of the catalog's changes, these fields of the
   * pool, or else of the VIP, are in it.
   */
  PolicyFixture restarted(String... fields) {
    return new PolicyFixture(net.restarted(), fields);
  }

  void set(CatalogKind<?> kind, String id, String... fields) {
    net.change(kind, id, fields);
  }

  void setMember(String id, String... fields) {
    set(Catalog.MEMBERS, id, fields);
  }

  void setPool(String... fields) {
    set(Catalog.POOLS, "p", fields);
  }

  void setVip(String... fields) {
    set(Catalog.VIPS, "v", fields);
  }

  /** A segment from a host to the VIP's port 80. */
  List<Delivery> send(Host from, int srcPort, int flags) {
    return net.send(
        from,
        Frames.tcp(from.mac(), EdgeMac.of(from.switchId()), from.ip(), srcPort, VIP, 80, flags));
  }

  List<Delivery> open(int srcPort) {
    return send(client, srcPort, Packet.TCP_SYN);
  }

  void close(int srcPort) {
    send(client, srcPort, Packet.TCP_FIN | Packet.TCP_ACK);
  }

  void assertReaches(Host host, List<Delivery> deliveries) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    assertEquals(host.port(), deliveries.get(0).port().getPortNumber());
    assertEquals(host.switchId(), deliveries.get(0).switchId());
  }

  void assertReset(Host host, List<Delivery> deliveries) {
    assertReaches(host, deliveries);
    assertTrue(Packet.parse(deliveries.get(0).frame()).hasTcpFlags(Packet.TCP_RST));
  }

  ExplainedConnection explain() {
    return net.module
        .explain(client.ip(), VIP, Protocol.TCP, 80, OptionalInt.empty())
        .orElseThrow();
  }

  Optional<Exclusion> exclusion(String member) {
    return explain().candidates().stream()
        .filter(candidate -> candidate.member().id().equals(member))
        .map(Candidate::excluded)
        .findFirst()
        .orElseThrow();
  }
}
