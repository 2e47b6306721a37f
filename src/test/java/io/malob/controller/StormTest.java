package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.PlacedConnection;
import io.malob.controller.module.ModuleSettings;
import io.malob.json.RejectedException;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.CatalogKind;
import io.malob.state.catalog.Fields;
import io.malob.testing.Frames;
import io.malob.testing.ScriptedSwitch;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowDelete;
import org.projectfloodlight.openflow.protocol.OFFlowDeleteStrict;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFTableStatsRequest;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

/** The whole controller, one switch over TCP, and a flood to one of two VIPs. */
class StormTest {
  private static final int MAX_HALF_OPEN = 400;
  private static final int STORM = 20_000;
  private static final int WANTED = 50;
  private static final int REQUESTS = 1;
  private static final IPv4Address VIP = IPv4Address.of("10.9.0.1");
  private static final IPv4Address ATTACKED = IPv4Address.of("10.9.0.2");
  private static final IPv4Address MEMBER = IPv4Address.of("10.0.1.1");
  private static final IPv4Address CLIENT = IPv4Address.of("10.0.0.1");
  private static final MacAddress MEMBER_MAC = MacAddress.of("02:00:00:00:01:01");
  private static final MacAddress CLIENT_MAC = MacAddress.of("02:00:00:00:00:01");
  private static final MacAddress ROUTER_MAC = MacAddress.of("02:00:00:00:00:02");
  private static final MacAddress VIP_MAC = MacAddress.of("0a:4d:56:00:00:01");

  private static final String SETTINGS =
      """
      floodlight.modules=io.malob.controller.core.CoreModule,\
      io.malob.controller.network.links.LinkDiscoveryModule,\
      io.malob.controller.network.topology.TopologyModule,\
      io.malob.controller.network.devices.DeviceModule,\
      io.malob.monitor.MonitorModule,\
      io.malob.balancer.BalancerModule
      io.malob.balancer.BalancerModule.maxHalfOpen=400
      """;

  private EmbeddedController controller;
  private IBalancerService balancer;
  private ScriptedSwitch sw;

  @BeforeEach
  void twoVipsOverOneMember() throws Exception {
    controller =
        EmbeddedController.start(
            ModuleSettings.parse(SETTINGS).overlaidWith(EmbeddedControllerTest.FREE_PORTS));
    balancer = controller.context().getServiceImpl(IBalancerService.class);
    service("wanted", VIP);
    service("attacked", ATTACKED);
    sw = new ScriptedSwitch(1, 3).answer(StormTest::noRules).connect(controller.openFlowPort());
    await(
        () -> {
          sw.packetIn(3, Frames.arpRequest(MEMBER_MAC, MEMBER, VIP));
          return balancer.memberStats().values().stream().allMatch(member -> member.located());
        });
  }

  @AfterEach
  void stop() {
    sw.close();
    controller.close();
  }

  @Test
  void floodToOneVip_leavesEstablishedConnectionsAndOtherVipsAlone() throws Exception {
    sw.packetIn(1, REQUESTS, wanted(9_999));
    awaitRules(VIP, 1);
    sw.forget();

    sw.sendBytes(storm());
    awaitRules(VIP, WANTED);
    await(() -> seen(ATTACKED) == STORM);

    assertTrue(rules(ATTACKED).size() <= MAX_HALF_OPEN, "rules: " + rules(ATTACKED).size());
    assertEquals(MAX_HALF_OPEN + WANTED + 1, balancer.counters().openConnections());
    assertEquals(WANTED + 1, openTo(VIP));
    assertEquals(List.of(), sw.received(OFFlowDelete.class));
    assertEquals(List.of(), sw.received(OFFlowDeleteStrict.class));
    assertEquals(0L, balancer.activity().droppedPacketIns().getOrDefault("wanted", 0L));
  }

  /** What became of all of the storm's packets: nothing is lost uncounted. */
  private long seen(IPv4Address vip) {
    return rules(vip).size()
        + balancer.rejects().get("half_open")
        + balancer.activity().droppedPacketIns().getOrDefault("attacked", 0L);
  }

  private long openTo(IPv4Address vip) {
    return balancer
        .connections(connection -> isTo(connection, vip), null, 1_000)
        .connections()
        .size();
  }

  private static boolean isTo(PlacedConnection connection, IPv4Address vip) {
    return connection.request().dstAddress() == vip.getInt()
        && connection.phase() == PlacedConnection.Phase.OPEN;
  }

  private static byte[] storm() {
    ByteBuf all = Unpooled.buffer();
    for (int i = 0; i < STORM; i++) {
      IPv4Address source = IPv4Address.of(0x0b00_0000 + i);
      byte[] syn = Frames.tcp(ROUTER_MAC, VIP_MAC, source, 40_000, ATTACKED, 80, Packet.TCP_SYN);
      packetIn(2, syn).writeTo(all);
      if (i % (STORM / WANTED) == 0) {
        packetIn(1, wanted(10_000 + i)).writeTo(all);
      }
    }
    return ByteBufUtil.getBytes(all);
  }

  private static byte[] wanted(int port) {
    return Frames.tcp(CLIENT_MAC, VIP_MAC, CLIENT, port, VIP, 80, Packet.TCP_SYN);
  }

  private static OFMessage packetIn(int port, byte[] frame) {
    return ScriptedSwitch.FACTORY
        .buildPacketIn()
        .setBufferId(OFBufferId.NO_BUFFER)
        .setTotalLen(frame.length)
        .setReason(OFPacketInReason.NO_MATCH)
        .setTableId(TableId.of(REQUESTS))
        .setCookie(Cookie.of(CookieKind.SWITCH, 0))
        .setMatch(
            ScriptedSwitch.FACTORY
                .buildMatch()
                .setExact(MatchField.IN_PORT, OFPort.of(port))
                .build())
        .setData(frame)
        .build();
  }

  private void awaitRules(IPv4Address vip, int count) {
    var unused = sw.awaitCount(count, OFFlowAdd.class, rule -> isRequestRule(rule, vip));
  }

  private List<OFFlowAdd> rules(IPv4Address vip) {
    return sw.received(OFFlowAdd.class).stream().filter(rule -> isRequestRule(rule, vip)).toList();
  }

  private static boolean isRequestRule(OFFlowAdd rule, IPv4Address vip) {
    return Cookie.is(rule.getCookie(), CookieKind.REQUEST)
        && vip.equals(rule.getMatch().get(MatchField.IPV4_DST));
  }

  /** A switch whose tables are empty. */
  private static List<OFMessage> noRules(OFMessage request) {
    if (request instanceof OFFlowStatsRequest) {
      return List.of(ScriptedSwitch.FACTORY.buildFlowStatsReply().setXid(request.getXid()).build());
    }
    return request instanceof OFTableStatsRequest
        ? List.of(ScriptedSwitch.FACTORY.buildTableStatsReply().setXid(request.getXid()).build())
        : null;
  }

  private void service(String name, IPv4Address vip) throws RejectedException {
    create(Catalog.VIPS, "id", name, "protocol", "TCP", "address", vip.toString(), "port", "80");
    create(Catalog.POOLS, "id", name, "vip_id", name, "lb_method", "RR");
    // told apart by their ports: to a member, connections of both look alike otherwise
    String port = name.equals("wanted") ? "8080" : "9090";
    create(
        Catalog.MEMBERS, "id", name, "address", MEMBER.toString(), "port", port, "pool_id", name);
  }

  private <T extends CatalogItem> void create(CatalogKind<T> kind, String... fields)
      throws RejectedException {
    var unused = balancer.catalog().create(kind, Fields.of(fields));
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    for (int tries = 0; tries < 200 && !condition.getAsBoolean(); tries++) {
      Thread.sleep(50);
    }
    assertTrue(condition.getAsBoolean(), "not within ten seconds");
  }
}
