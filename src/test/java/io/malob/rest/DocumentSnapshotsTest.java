package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.health.Health;
import io.malob.balancer.api.EjectedMember;
import io.malob.balancer.api.MemberStats;
import io.malob.balancer.api.ProactiveStats.Problem.Kind;
import io.malob.balancer.api.VipStats;
import io.malob.module.ClusterView;
import io.malob.module.DuplicateSwitch;
import io.malob.module.MastershipPolicy;
import io.malob.monitor.PollingStats;
import io.malob.rest.RestServer.Answer;
import io.malob.state.network.PortId;
import io.malob.state.network.Prefix;
import io.malob.state.network.ServerTracker;
import io.malob.state.network.ServerValue;
import io.malob.store.MemoryStore;
import io.malob.testing.Placements;
import io.malob.testing.Stub;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.SwitchPort;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.VlanVid;

/**
 * The documents of REST, byte for byte: clients depend on the names, and people on the order. A
 * missing file is written, and is to be read before it is committed. Explanations and connections
 * have tests of their own.
 */
class DocumentSnapshotsTest {
  private static final Path FOLDER = Path.of("src/test/resources/documents");

  private static RestServer server;

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @BeforeAll
  static void start() throws Exception {
    server = new RestServer(new MemoryStore(Runnable::run));
    server.monitor.nanoTime = 1_400_000_000; // from now on no time passes, so there is no traffic
    fillCatalog();
    server.stats.put("a", new MemberStats(3, 7, OptionalInt.of(5), 1, 2, true, Health.UP, 0.75));
    server.stats.put(
        "b", new MemberStats(1, 9, OptionalInt.empty(), 0, 0, true, Health.EJECTED, 1));
    server.ejected.put("b", new EjectedMember("refuses", 2, 12_500_000_000L));
    server.vipStats.put("web", new VipStats(4, 1, 30, 32));
    server.duplicates =
        ImmutableList.of(
            new DuplicateSwitch(DatapathId.of(7), "/192.0.2.1:40001", "/192.0.2.2:40002"));
    server.unserved.add(DatapathId.of(9));
    server.proactive.add(
        Placements.web(
            Placements.proactive(1), Placements.reactive(2, Kind.NO_MASKS, "it accepts no masks")));
    server.hosts.add(
        Stub.of(IDevice.class)
            .on(
                "getAttachmentPoints",
                none -> new SwitchPort[] {new SwitchPort(DatapathId.of(1), OFPort.of(5))})
            .on("getVlanId", none -> new VlanVid[] {VlanVid.ZERO})
            .on("getMACAddress", none -> MacAddress.of("02:00:00:00:00:21"))
            .on("getMACAddressString", none -> "02:00:00:00:00:21")
            .on("getIPv4Addresses", none -> new IPv4Address[] {IPv4Address.of("10.0.0.21")})
            .on("getIPv6Addresses", none -> new IPv6Address[] {IPv6Address.of("2001:db8::21")})
            .make());
    measure();
    server.cluster =
        Optional.of(
            new ClusterView(
                "b",
                true,
                1,
                7,
                MastershipPolicy.SPREAD,
                ImmutableList.of(
                    new ClusterView.Member("a", "10.0.0.1:8080", 0, 2, false),
                    new ClusterView.Member("b", "10.0.0.2:8080", 1, 1, true)),
                ImmutableMap.of(DatapathId.of(1), "a", DatapathId.of(2), "a"),
                ImmutableMap.of(
                    DatapathId.of(1),
                    ClusterView.Role.SLAVE,
                    DatapathId.of(3),
                    ClusterView.Role.STALE),
                ImmutableList.of(
                    new ClusterView.Problem(ClusterView.Problem.Kind.ETCD_SPACE, "It is full."))));
  }

  private static void measure() throws Exception {
    PortId port = new PortId(RestServer.LINK.src(), RestServer.LINK.srcPort());
    server.monitor.links().latency(RestServer.LINK, 99_999, 0);
    server.monitor.links().use(RestServer.LINK, 12e6, 50e6, 1_000_000_000);
    server.monitor.capacities().set(port, 50e6);
    server.routes().set(Prefix.parse("10.2.0.0", "16").orElseThrow(), IPAddress.of("10.0.0.1"));
    server.monitor.stats = Map.of(DatapathId.of(1), new PollingStats(3, 1, 2, 500_000_000L));
    server
        .monitor
        .servers()
        .report(
            IPv4Address.of("10.0.0.1"),
            new ServerTracker.Report(
                ImmutableMap.of(ServerValue.CPU, 0.25, ServerValue.RESPONSE, 1_500_000.0),
                ImmutableMap.of(80, 5, 22, 1),
                0));
  }

  /** Each kind with an item that has every field, and one that has the necessary ones only. */
  private static void fillCatalog() throws Exception {
    String notes =
        ",'description':'d','tags':['t','u'],'external_ids':{'project_id':'p1','net':'n'}}";
    put("/load_balancers/lb", "{'name':'LB','address':'10.0.0.100'" + notes);
    put("/load_balancers/lb2", "{'address':'2001:db8::1','admin_state':'down'}");
    put(
        "/vips/web",
        "{'name':'Web','protocol':'tcp','address':'10.0.0.100','port':80,'lb_method':'LC',"
            + "'allowed_sources':['10.0.0.0/8','192.168.7.1'],'connection_limit':1000"
            + notes);
    put("/vips/any", "{'address':'10.0.0.101'}");
    put(
        "/vips/pro",
        "{'address':'10.0.0.102','protocol':'udp','port':53,'placement':'auto',"
            + "'admin_state':'down'}");
    put(
        "/pools/p",
        "{'name':'P','protocol':'tcp','vip_id':'web','load_balancer_id':'lb','lb_method':'SL-PS',"
            + "'slow_start':30,'session_persistence':{'type':'SOURCE_IP','timeout':600}"
            + notes);
    put("/pools/q", "{'admin_state':'down'}");
    put(
        "/members/a",
        "{'name':'A','address':'10.0.0.1','port':80,'pool_id':'p','weight':3,'backup':true,"
            + "'connection_limit':5,'admin_state':'drain','monitor_address':'10.9.0.1',"
            + "'monitor_port':8080"
            + notes);
    put("/members/b", "{'address':'10.0.0.2','pool_id':'p'}");
    put("/members/c", "{'address':'10.0.0.3'}");
    put("/services/s", "{'service_name':'S','protocol':'tcp','port':81,'algorithm':'LC'}");
    put(
        "/health_monitors/m",
        "{'name':'M','type':'HTTP','pool_id':'p','delay':7,'timeout':3,'rise':4,"
            + "'attempts_before_deactivation':5,'port':8081,'on_down':'keep',"
            + "'http_method':'HEAD','url_path':'/x?y','expected_codes':'200-204',"
            + "'expected_body':'ok','admin_state':'down'"
            + notes);
    put("/health_monitors/n", "{'type':'PING'}");
  }

  private static void put(String path, String body) throws Exception {
    Answer answer = server.put(path, body.replace('\'', '"'));
    assertEquals(201, answer.status(), answer.text());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "quantum/v1.0/load_balancers",
        "quantum/v1.0/vips",
        "quantum/v1.0/pools",
        "quantum/v1.0/members",
        "quantum/v1.0/services",
        "quantum/v1.0/health_monitors",
        "quantum/v1.0/vips/web",
        "quantum/v1.0/vips/nothing",
        "quantum/v1.0/pools/p/stats",
        "quantum/v1.0/vips/web/stats",
        "wm/malob/config",
        "wm/malob/paths",
        "wm/malob/algorithms",
        "wm/malob/profiles",
        "wm/malob/links",
        "wm/malob/servers",
        "wm/malob/moves",
        "wm/malob/snapshot",
        "wm/malob/latency",
        "wm/malob/switches",
        "wm/malob/counters",
        "wm/malob/audits",
        "wm/malob/refusals",
        "wm/malob/history",
        "wm/malob/placement",
        "wm/malob/problems",
        "wm/malob/cluster",
        "wm/malob/reports",
        "wm/malob/capacities",
        "wm/malob/routes",
        "wm/malob/events/state",
        "wm/malob/events/rates",
        "v2.0",
        "v2.0/lbaas/loadbalancers",
        "v2.0/lbaas/listeners",
        "v2.0/lbaas/pools",
        "v2.0/lbaas/pools/p/members",
        "v2.0/lbaas/pools/nothing",
        "v2.0/lbaas/healthmonitors",
        "v2.0/lbaas/loadbalancers/lb",
        "v2.0/lbaas/loadbalancers/lb/status",
        "v2.0/lbaas/loadbalancers/lb/stats",
        "v2.0/lbaas/listeners/web/stats",
        "v2.0/lbaas/listeners?limit=1&fields=id&fields=tags",
        "v2.0/lbaas/providers",
        "v2.0/lbaas/quotas/p1",
      })
  void document_isAsItWas(String path) throws Exception {
    String text =
        server
            .sendTo("GET", "/" + path, null)
            .text()
            .replaceAll("\"time\":\"[^\"]*\"", "\"time\":\"\"")
            .replaceAll("http://127.0.0.1:[0-9]+/", "http://controller/");
    Path file = FOLDER.resolve(path.replaceAll("[/?&=]", "-") + ".json");
    if (!Files.exists(file)) {
      Files.createDirectories(FOLDER);
      Files.writeString(file, text + "\n");
    }
    assertTrue(text.length() > 1, text);
    assertEquals(Files.readString(file).strip(), text.strip());
  }
}
