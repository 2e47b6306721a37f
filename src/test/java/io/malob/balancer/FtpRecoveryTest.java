package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * FTP goes on when the controller has been restarted, and its rules are audited.
 *
 * <pre>
 *  client --1 s1 2---1 s2 2-- member 1 (m1)
 *                       3
 *                       member 2 (m2)
 * </pre>
 */
class FtpRecoveryTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;
  private static final int FIN = Packet.TCP_FIN;

  private BalancerNetwork net = network();
  private final DatapathId s1 = DatapathId.of(1);
  private final DatapathId s2 = DatapathId.of(2);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host first = Host.of(s2, 2, "10.0.0.11");
  private final Host second = Host.of(s2, 3, "10.0.0.12");

  FtpRecoveryTest(SwitchProfile profile) {
    super(profile);
  }

  @BeforeEach
  void openControlAndDataConnection() {
    configure();
    connect();
    only(toVip(40_000, 21, SYN), first);
    only(toClient(21, 40_000), client);
    only(toVip(40_001, 50_000, SYN), first);
    only(toClient(50_000, 40_001), client);
    net.nanoTime.addAndGet(5_000_000_000L);
  }

  private void configure() {
    net.create(Catalog.VIPS, "id", "v", "address", VIP.toString());
    net.create(Catalog.POOLS, "id", "p", "vip_id", "v");
    member("m1", first);
    member("m2", second);
  }

  private void member(String id, Host host) {
    net.create(
        Catalog.MEMBERS, "id", id, "address", host.ip().toString(), "pool_id", "p", "port", "21");
  }

  private void connect() {
    net.addSwitch(1);
    net.addSwitch(2);
    net.link(s1, 2, s2, 1);
    net.learn(client);
    net.learn(first);
    net.learn(second);
  }

  private void restart() {
    net = net.restarted();
    configure();
    connect();
  }

  private List<Delivery> toVip(int srcPort, int dstPort, int flags) {
    return net.send(
        client,
        Frames.tcp(
            client.mac(),
            EdgeMac.of(client.switchId()),
            client.ip(),
            srcPort,
            VIP,
            dstPort,
            flags));
  }

  private List<Delivery> toClient(int srcPort, int dstPort) {
    return toClient(srcPort, dstPort, ACK);
  }

  private List<Delivery> toClient(int srcPort, int dstPort, int flags) {
    return net.send(
        first,
        Frames.tcp(first.mac(), client.mac(), first.ip(), srcPort, client.ip(), dstPort, flags));
  }

  private static Packet only(List<Delivery> deliveries, Host receiver) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    assertEquals(receiver.switchId(), deliveries.get(0).switchId());
    assertEquals(receiver.port(), deliveries.get(0).port().getPortNumber());
    return Packet.parse(deliveries.get(0).frame());
  }

  private List<FakeRule> dataRules() {
    return net.table(s2).rules().stream()
        .filter(rule -> Cookie.is(rule.cookie(), CookieKind.FTP_DATA))
        .toList();
  }

  private void lose(FakeRule rule) {
    net.table(s2)
        .apply(
            BalancerNetwork.FACTORY
                .buildFlowDeleteStrict()
                .setTableId(rule.table())
                .setPriority(rule.priority())
                .setMatch(rule.match())
                .build());
  }

  /** Long enough for each switch to have been audited. */
  private void passARound() {
    for (int i = 0; i < 15; i++) {
      net.pass(5);
    }
  }

  @Test
  void dataConnection_goesOnWithThePortThatItHas() {
    restart();

    assertEquals(2, net.module.reconcileStats().connectionsAdopted());
    assertEquals(2, net.stats("m1").activeConnections());
    assertEquals(50_000, only(toVip(40_001, 50_000, ACK), first).dstPort());
    assertEquals(VIP.getInt(), only(toClient(50_000, 40_001), client).srcAddress());
  }

  @Test
  void recoveredControlConnection_leadsNewDataConnectionsToItsMember() {
    restart();

    assertEquals(50_001, only(toVip(40_002, 50_001, SYN), first).dstPort());
    assertEquals(50_002, only(toVip(40_003, 50_002, SYN), first).dstPort());
    Packet active = only(toClient(20, 41_000, SYN), client);
    assertEquals(VIP.getInt(), active.srcAddress());
    assertEquals(5, net.stats("m1").activeConnections());
  }

  @Test
  void recoveredControlConnection_getsItsDataRuleIfThatIsGone() {
    assumeEndsAreTold();
    lose(dataRules().get(0));

    restart();

    assertEquals(1, dataRules().size());
    only(toVip(40_000, 21, FIN | ACK), first);
    assertEquals(List.of(), dataRules());
  }

  @Test
  void dataRuleOfAnEarlierRun_goesIfItsControlConnectionIsGone() {
    List<FakeRule> rules = dataRules();
    for (FakeRule rule : List.copyOf(net.rules(s1, CookieKind.REQUEST))) {
      net.table(s1)
          .apply(
              BalancerNetwork.FACTORY
                  .buildFlowDeleteStrict()
                  .setTableId(rule.table())
                  .setPriority(rule.priority())
                  .setMatch(rule.match())
                  .build());
    }
    restart();
    assertEquals(rules, dataRules());

    passARound();

    assertEquals(List.of(), dataRules());
  }

  @Test
  void reconciliation_leavesTheDataRuleAndRestoresItWhereItIsMissing() {
    List<FakeRule> rules = dataRules();
    passARound();
    assertEquals(rules, dataRules());

    lose(rules.get(0));
    passARound();

    assertEquals(rules, dataRules());
  }
}
