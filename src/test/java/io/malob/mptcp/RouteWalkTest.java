package io.malob.mptcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSetMultimap;
import com.google.common.collect.ImmutableSortedSet;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.subflow.PlanRequest;
import io.malob.algorithm.subflow.Route;
import io.malob.json.RejectedException;
import io.malob.openflow.IpFamily;
import io.malob.openflow.LabelGroups;
import io.malob.openflow.RuleCompiler;
import io.malob.openflow.subflow.Fan.Tagging;
import io.malob.openflow.subflow.SubflowRule;
import io.malob.testing.FakeFlowTable;
import io.malob.testing.Frames;
import io.malob.testing.PaperTopology;
import io.malob.testing.SwitchProfile;
import io.malob.testing.Topologies;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Walks from each address of each host to each address of all others through the rules that a plan
 * makes, on switches of all layouts: every packet arrives as it was sent, over the very path of its
 * route, without a loop.
 */
class RouteWalkTest {
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);
  private static final int FIRST_HOST_PORT = 1_000;

  /** A network with hosts on some of its switches, each of which is in VLAN 100 or 105 by turns. */
  private record Setup(
      String name,
      IpFamily family,
      Topology topology,
      List<Integer> hosts,
      boolean perVlan,
      PlanRequest.Method method) {
    @Override
    public String toString() {
      return String.format("%s, %s, %s, %s", name, family, perVlan ? "VS" : "NVS", method);
    }
  }

  /**
   * Rules differ in addresses, not in routes: the networks of the largest plans need one family.
   */
  private static List<IpFamily> familiesOn(String network) {
    return network.equals("paper") || network.equals("tree")
        ? List.of(IpFamily.values())
        : List.of(IpFamily.IPV4);
  }

  private static Stream<Setup> setups() {
    List<Setup> setups = new ArrayList<>();
    Map<String, Topology> networks = new HashMap<>();
    networks.put("paper", PaperTopology.topology());
    networks.put("ring", ring(7));
    networks.put("star", star(6));
    networks.put("tree", tree());
    networks.put("two rings at one switch", twoRings());
    networks.put("a switch with ten links", star(10, 1));
    setups.add(aroundCore(PlanRequest.Method.PAPER));
    setups.add(aroundCore(PlanRequest.Method.DISJOINT));
    for (Map.Entry<String, Topology> network : networks.entrySet()) {
      List<Integer> hosts = new ArrayList<>();
      for (DatapathId id : network.getValue().switches()) {
        hosts.add((int) id.getLong());
        hosts.add((int) id.getLong());
      }
      for (boolean perVlan : new boolean[] {true, false}) {
        for (PlanRequest.Method method : PlanRequest.Method.values()) {
          for (IpFamily family : familiesOn(network.getKey())) {
            setups.add(
                new Setup(network.getKey(), family, network.getValue(), hosts, perVlan, method));
          }
        }
      }
    }
    return setups.stream();
  }

  /** The paper's network without hosts at switch 3. */
  private static Setup aroundCore(PlanRequest.Method method) {
    return new Setup(
        "core",
        IpFamily.IPV4,
        PaperTopology.topology(),
        List.of(1, 1, 2, 2, 4, 4, 5, 5),
        true,
        method);
  }

  private static Topology ring(int switches) {
    int[][] links = new int[switches][];
    for (int i = 0; i < switches; i++) {
      links[i] = new int[] {i + 1, (i + 1) % switches + 1};
    }
    return Topologies.of(switches, links);
  }

  private static Topology star(int leaves) {
    int[][] links = new int[leaves][];
    for (int i = 0; i < leaves; i++) {
      links[i] = new int[] {1, i + 2};
    }
    return Topologies.of(leaves + 1, links);
  }

  /** A star whose leaves are joined to a ring. */
  private static Topology star(int leaves, int joined) {
    List<int[]> links = new ArrayList<>();
    for (int i = 0; i < leaves; i++) {
      links.add(new int[] {1, i + 2});
      links.add(new int[] {i + 2, (i + joined) % leaves + 2});
    }
    return Topologies.of(leaves + 1, links.toArray(new int[0][]));
  }

  private static Topology tree() {
    return Topologies.of(
        7,
        new int[] {1, 2},
        new int[] {1, 3},
        new int[] {2, 4},
        new int[] {2, 5},
        new int[] {3, 6},
        new int[] {3, 7});
  }

  private static Topology twoRings() {
    return Topologies.of(
        7,
        new int[] {1, 2},
        new int[] {2, 3},
        new int[] {3, 4},
        new int[] {4, 1},
        new int[] {4, 5},
        new int[] {5, 6},
        new int[] {6, 7},
        new int[] {7, 4});
  }

  private static List<Host> hosts(IpFamily family, List<Integer> switches, int each) {
    List<Host> hosts = new ArrayList<>();
    for (int i = 0; i < switches.size() * each; i++) {
      int vlan = i % 2 == 0 ? 100 : 105;
      hosts.add(
          new Host(
              "h" + i,
              family == IpFamily.IPV4
                  ? IPv4Address.of(String.format("10.%d.%d.%d", i % 2, i / 100, 1 + i % 100))
                  : IPv6Address.of(0xfd00L << 48 | i % 2, 1 + i),
              family == IpFamily.IPV4 ? 16 : 64,
              new Attachment(
                  DatapathId.of(switches.get(i % switches.size())),
                  OFPort.of(FIRST_HOST_PORT + i),
                  MacAddress.of(0x020000000000L + i)),
              true,
              vlan,
              i % 3 == 0 ? Tagging.SWITCH : Tagging.HOST,
              ImmutableList.of(),
              "eth0"));
    }
    return hosts;
  }

  private static NetworkPlan plan(Setup setup, int hostsEach) throws RejectedException {
    PlanSettings settings =
        new PlanSettings(
            setup.method,
            Optional.of(setup.perVlan),
            ImmutableSortedSet.of(),
            false,
            ImmutableList.of(),
            PlanSettings.Weights.NONE,
            OptionalInt.empty(),
            setup.family,
            3);
    return new PlanMaker(
            settings, setup.topology, ImmutableMap.of(), DatapathId::toString, any -> false)
        .plan(hosts(setup.family, setup.hosts, hostsEach), List.of(), Map.of(), Optional.empty());
  }

  @ParameterizedTest
  @MethodSource("setups")
  void everyPacket_arrivesAlongItsRoute(Setup setup) throws RejectedException {
    NetworkPlan plan = plan(setup, 1);
    for (SwitchProfile profile : profiles(setup.method)) {
      walkAll(setup, plan, id -> profileOf(id, profile, setup));
    }
  }

  /** Each layout has routes of all kinds, but not each has those of all methods. */
  private static List<SwitchProfile> profiles(PlanRequest.Method method) {
    return switch (method) {
      case PAPER -> List.of(SwitchProfile.NO_MASKS);
      case BALANCED -> List.of(SwitchProfile.FOUR_TABLES, SwitchProfile.ONE_TABLE);
      case DISJOINT ->
          List.of(SwitchProfile.NO_MASKS, SwitchProfile.FOUR_TABLES, SwitchProfile.ONE_TABLE);
    };
  }

  /** A switch with hosts must translate; then every other one has four tables. */
  private static SwitchProfile profileOf(DatapathId id, SwitchProfile profile, Setup setup) {
    int number = (int) id.getLong();
    boolean translates = profile.layout().translates();
    return translates || !setup.hosts.contains(number)
        ? profile
        : number % 2 == 0 ? SwitchProfile.ONE_TABLE_WITH_GROUPS : SwitchProfile.FOUR_TABLES;
  }

  private static void walkAll(
      Setup setup, NetworkPlan plan, Function<DatapathId, SwitchProfile> profiles) {
    Map<DatapathId, FakeFlowTable> tables = new HashMap<>();
    new RuleCompiler(id -> profiles.apply(id).layout(), new LabelGroups())
        .compile(LabelledPlan.fresh(plan).rules(List.of()))
        .forEach(
            (id, rule) ->
                tables
                    .computeIfAbsent(id, any -> new FakeFlowTable(profiles.apply(id), () -> 0))
                    .apply(rule.add(FACTORY, 7)));
    int walks = 0;
    for (Member from : plan.members()) {
      for (int i = 0; i < from.addresses().size(); i++) {
        for (Member to : plan.members()) {
          if (!from.equals(to) && from.host().vlan() == to.host().vlan()) {
            Route route = plan.route(from, i).orElseThrow();
            for (IPAddress<?> target : to.addresses()) {
              walk(tables, setup.topology, from, from.addresses().get(i), to, target, route);
              walks++;
            }
          }
        }
      }
    }
    assertTrue(walks >= setup.hosts.size(), walks + " walks");
  }

  private static void walk(
      Map<DatapathId, FakeFlowTable> tables,
      Topology topology,
      Member from,
      IPAddress<?> source,
      Member to,
      IPAddress<?> target,
      Route route) {
    String what = from.host().id() + " " + source + " to " + to.host().id() + " " + target;
    List<DatapathId> way = new ArrayList<>();
    DatapathId at = from.host().switchId();
    OFPort in = from.host().at().port();
    byte[] frame = frame(from.host(), source, to.host(), target);
    while (way.size() <= topology.switches().size()) {
      way.add(at);
      List<FakeFlowTable.Output> out = tables.get(at).process(in, frame);
      assertEquals(1, out.size(), what);
      frame = out.get(0).frame();
      Optional<DirectedLink> link = linkAt(topology, at, out.get(0).port());
      if (link.isEmpty()) {
        assertEquals(to.host().at().port(), out.get(0).port(), what);
        break;
      }
      at = link.get().dst();
      in = link.get().dstPort();
    }
    assertEquals(expected(route, from.host().switchId(), to.host().switchId()), way, what);
    assertArrayEquals(asDelivered(from.host(), source, to.host(), target), frame, what);
  }

  private static List<DatapathId> expected(Route route, DatapathId ingress, DatapathId egress) {
    if (ingress.equals(egress)) {
      return List.of(ingress);
    }
    Path branch = route.branchTo(egress).orElseThrow();
    List<DatapathId> switches = branch.switches();
    return switches.subList(0, switches.indexOf(egress) + 1);
  }

  private static Optional<DirectedLink> linkAt(Topology topology, DatapathId at, OFPort port) {
    return topology.linksFrom(at).stream().filter(link -> link.srcPort().equals(port)).findFirst();
  }

  private static byte[] frame(Host from, IPAddress<?> source, Host to, IPAddress<?> target) {
    byte[] plain = SubflowNetwork.tcp(from.at().mac(), to.at().mac(), source, target);
    return from.tagging() == Tagging.SWITCH ? plain : Frames.tagged(plain, from.vlan());
  }

  private static byte[] asDelivered(Host from, IPAddress<?> source, Host to, IPAddress<?> target) {
    byte[] plain = SubflowNetwork.tcp(from.at().mac(), to.at().mac(), source, target);
    return to.tagging() == Tagging.SWITCH ? plain : Frames.tagged(plain, to.vlan());
  }

  /** The paper's bound, section II.A.5: V * n * k path rules, however many hosts there are. */
  @ParameterizedTest
  @MethodSource("setups")
  void pathRules_areWithinTheBound_andDoNotGrowWithHosts(Setup setup) throws RejectedException {
    NetworkPlan few = plan(setup, 1);
    NetworkPlan many = plan(setup, 5);
    int coreLinks = few.coreLinks().size();
    int bound = (setup.perVlan ? 2 : 1) * coreLinks;
    assertTrue(few.routes().size() <= bound);
    long labels = few.routes().values().stream().mapToLong(route -> route.branches().size()).sum();
    for (DatapathId id : setup.topology.switches()) {
      assertTrue(carries(few, id) <= labels, "switch " + id);
      boolean onlyPaths =
          Stream.concat(few.routes().values().stream(), many.routes().values().stream())
              .allMatch(route -> route.kind() == Route.Kind.HAMILTONIAN);
      if (onlyPaths) {
        assertTrue(carries(many, id) <= bound, "switch " + id);
      }
    }
  }

  private static long carries(NetworkPlan plan, DatapathId id) {
    ImmutableSetMultimap<DatapathId, SubflowRule> rules = LabelledPlan.fresh(plan).rules(List.of());
    return rules.get(id).stream().filter(SubflowRule.Carry.class::isInstance).count();
  }
}
