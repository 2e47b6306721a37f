package io.malob.rest.problem;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.AddressText;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.health.Health;
import io.malob.balancer.api.EjectedMember;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.MemberStats;
import io.malob.balancer.api.ProactiveStats;
import io.malob.module.AttachedHosts;
import io.malob.module.ClusterView;
import io.malob.module.DuplicateSwitch;
import io.malob.rest.problem.Problem.Reason;
import io.malob.state.catalog.AdminState;
import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.LoadBalancer;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import io.malob.state.network.Routing;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import net.floodlightcontroller.devicemanager.IDevice;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * Finds what keeps the balancer from working at one moment: switches and the cluster first, then
 * load balancers, VIPs and pools, then members. A member that an operator has taken out of service
 * is no problem. The web page and the command line show these sentences and compute none of their
 * own.
 */
public final class Problems {
  private static final MemberStats NOTHING_YET = MemberStats.unknown(false);

  private final CatalogSnapshot catalog;
  private final Map<String, MemberStats> stats;
  private final Map<String, EjectedMember> ejected;
  private final SplitHostProblems splitHosts;
  private final List<ProactiveStats> proactive;
  private final Set<DatapathId> unserved;
  private final Routing routing;
  private final boolean hasSwitches;
  private final Optional<ClusterView> cluster;
  private final ImmutableMap<IPAddress<?>, Attachment> hostsAtVips;
  private final ImmutableMap<IPAddress<?>, Attachment> hostsAtMembers;
  private final List<DuplicateSwitch> duplicates;
  private final List<Problem> found = new ArrayList<>();

  private Problems(ProblemSources sources) {
    IBalancerService balancer = sources.balancer();
    cluster = sources.cluster().get();
    duplicates = sources.duplicates().get();
    catalog = balancer.catalog().snapshot();
    stats = balancer.memberStats();
    ejected = balancer.ejected();
    proactive = balancer.proactive();
    unserved = balancer.unservedSwitches();
    routing = balancer.routing();
    hasSwitches = !sources.monitor().topology().switches().isEmpty();
    Collection<? extends IDevice> hosts = sources.devices().getAllDevices();
    splitHosts = SplitHostProblems.of(balancer.splitHosts(), hosts);
    hostsAtVips = hostsAt(hosts, catalog::isVipAddress);
    hostsAtMembers = hostsAt(hosts, (address, vlan) -> !catalog.membersAt(address).isEmpty());
  }

  /** By whether an address in a VLAN is of interest. */
  private static ImmutableMap<IPAddress<?>, Attachment> hostsAt(
      Collection<? extends IDevice> hosts, BiPredicate<IPAddress<?>, Integer> isWanted) {
    Map<IPAddress<?>, Attachment> found = new HashMap<>();
    for (IDevice host : hosts) {
      @Nullable Attachment at = AttachedHosts.attachmentOf(host).orElse(null);
      for (IPAddress<?> address : AttachedHosts.addressesOf(host)) {
        if (at != null && isWanted.test(address, at.vlan())) {
          found.putIfAbsent(address, at);
        }
      }
    }
    return ImmutableMap.copyOf(found);
  }

  /** All problems of this moment. */
  public static List<Problem> now(ProblemSources sources) {
    Problems problems = new Problems(sources);
    problems.findAll();
    return problems.found;
  }

  private void findAll() {
    boolean standsBy = cluster.isPresent() && !cluster.get().roles().isEmpty();
    if (!hasSwitches && !standsBy) {
      found.add(Reason.NO_SWITCH.of(null, "No switch is connected."));
    }
    duplicates.forEach(each -> found.add(duplicate(each)));
    found.addAll(splitHosts.all());
    cluster.ifPresent(
        view ->
            view.problems()
                .forEach(
                    each ->
                        found.add(Reason.valueOf(each.kind().name()).of(null, "%s", each.text()))));
    for (LoadBalancer balancer : catalog.loadBalancers().values()) {
      if (balancer.adminState() == AdminState.DOWN && catalog.isVipAddress(balancer.address())) {
        found.add(
            Reason.LOAD_BALANCER_DOWN.of(
                balancer.id(),
                "Load balancer %s (%s) is down, so its VIPs reject new connections.",
                balancer.id(),
                balancer.address()));
      }
    }
    catalog.vips().values().forEach(this::checkVip);
    proactive.forEach(this::checkPlacement);
    for (Pool pool : catalog.pools().values()) {
      if (pool.vipId() == null) {
        found.add(
            Reason.NO_VIP.of(
                pool.id(), "Pool %s has no VIP, so its members get no connections.", pool.id()));
      }
    }
    for (Member member : catalog.members().values()) {
      if (member.takesNew()) {
        checkMember(member, stats.getOrDefault(member.id(), NOTHING_YET));
      }
    }
  }

  private static Problem duplicate(DuplicateSwitch duplicate) {
    return Reason.DUPLICATE_SWITCH.of(
        null,
        "Two switches have the datapath id %s: the one at %s is served, the one at %s is refused.",
        duplicate.id(),
        duplicate.served(),
        duplicate.refused());
  }

  private void checkVip(Vip vip) {
    String id = vip.id();
    @Nullable Pool pool = catalog.poolOfVip(id).orElse(null);
    @Nullable CatalogItem down = catalog.downFor(vip).orElse(null);
    if (down instanceof Vip) {
      found.add(Reason.VIP_DOWN.of(id, "VIP %s is down and rejects new connections.", id));
    } else if (down instanceof Pool) {
      found.add(
          Reason.POOL_DOWN.of(
              down.id(), "Pool %s is down, so VIP %s rejects new connections.", down.id(), id));
    } else if (down == null && pool == null) {
      found.add(Reason.NO_POOL.of(id, "VIP %s has no pool and rejects its clients.", id));
    } else if (down == null && pool != null) {
      checkPool(pool, vip);
    }
    checkRouted(vip, pool);
    @Nullable Attachment host = hostsAtVips.get(vip.address());
    if (host != null) {
      found.add(
          Reason.ADDRESS_TAKEN.of(
              id,
              "VIP %s has the address %s of a host (%s at port %s of switch %s), whose packets"
                  + " are dropped.",
              id,
              vip.address(),
              host.mac(),
              host.port(),
              host.switchId()));
    }
    if (!unserved.isEmpty()) {
      String more = unserved.size() == 1 ? "" : " and " + (unserved.size() - 1) + " more";
      found.add(
          Reason.NOT_SERVED.of(
              id,
              "Hosts behind switch %s%s do not reach VIP %s: the switch cannot translate addresses,"
                  + " and no switch that can is reached from it.",
              unserved.iterator().next(),
              more,
              id));
    }
  }

  private void checkRouted(Vip vip, @Nullable Pool pool) {
    if (pool == null || pool.sourceNat() || !vip.placement().isInAdvance()) {
      return;
    }
    for (Member member : catalog.membersOfPool(pool.id())) {
      @Nullable IPAddress<?> router = routing.routerTo(member.address()).orElse(null);
      if (router != null) {
        found.add(
            Reason.BEHIND_ROUTER.of(
                vip.id(),
                "VIP %s is reactive: its member %s is behind the router %s.",
                vip.id(),
                member.id(),
                router));
        return;
      }
    }
  }

  private void checkPool(Pool pool, Vip vip) {
    List<Member> members = catalog.membersOfPool(pool.id());
    if (members.isEmpty()) {
      found.add(
          Reason.NO_MEMBERS.of(
              pool.id(),
              "Pool %s of VIP %s has no members and rejects its clients.",
              pool.id(),
              vip.id()));
    } else if (members.stream().noneMatch(Member::takesNew)) {
      found.add(
          Reason.ALL_OUT.of(
              pool.id(),
              "Pool %s of VIP %s rejects its clients: all of its members are drained, down or of"
                  + " weight 0.",
              pool.id(),
              vip.id()));
    }
  }

  /** At most one problem of each kind, for the first edge that has it. */
  private void checkPlacement(ProactiveStats vip) {
    String id = vip.vipId();
    if (vip.mode().isInAdvance() && cluster.filter(ClusterView::isSpread).isPresent()) {
      found.add(
          Reason.SEVERAL_MASTERS.of(
              id,
              "VIP %s is reactive: the cluster's policy spreads the switches over controllers.",
              id));
    }
    for (ProactiveStats.Problem.Kind kind : ProactiveStats.Problem.Kind.values()) {
      List<ProactiveStats.Edge> hit =
          vip.edges().stream()
              .filter(edge -> edge.problem().filter(each -> each.kind() == kind).isPresent())
              .toList();
      if (!hit.isEmpty()) {
        found.add(ofEdges(Reason.valueOf(kind.name()), id, hit));
      }
    }
    List<ProactiveStats.Edge> uneven =
        vip.edges().stream().filter(ProactiveStats.Edge::tooFewSources).toList();
    if (!uneven.isEmpty()) {
      found.add(tooFewSources(id, uneven));
    }
  }

  private static Problem ofEdges(Reason reason, String vipId, List<ProactiveStats.Edge> edges) {
    String why =
        reason == Reason.NO_MASKS
            ? "the switch accepts no masks on ports or addresses"
            : edges.get(0).problem().map(ProactiveStats.Problem::text).orElse("");
    if (reason == Reason.RULE_REFUSED
        && edges.stream().allMatch(edge -> edge.state() == ProactiveStats.State.PROACTIVE)) {
      return reason
          .of(vipId, "VIP %s lacks rules at %s: %s.", vipId, switches(edges), why)
          .withRemedy(
              "Free space in the tables of its switches; missing rules are sent again when a switch"
                  + " is read.")
          .withoutCommand();
    }
    if (reason == Reason.TRACKING_FULL) {
      return reason.of(vipId, "The controller places new connections of VIP %s: %s.", vipId, why);
    }
    return reason.of(vipId, "VIP %s is reactive at %s: %s.", vipId, switches(edges), why);
  }

  private static Problem tooFewSources(String vipId, List<ProactiveStats.Edge> edges) {
    boolean isByAddress = edges.get(0).source().filter("address"::equals).isPresent();
    Problem problem =
        Reason.TOO_FEW_SOURCES.of(
            vipId,
            "VIP %s does not meet the shares of its members at %s: %.0f %% of the traffic goes to"
                + " another member than by shares, because too few client %s send it.",
            vipId,
            switches(edges),
            edges.get(0).imbalance() * 100,
            isByAddress ? "addresses" : "ports");
    return isByAddress
        ? problem.withRemedy(
            "Connect the clients to a switch that can mask ports, or make the VIP reactive.")
        : problem;
  }

  private static String switches(List<ProactiveStats.Edge> edges) {
    String first = "switch " + edges.get(0).switchId();
    return edges.size() == 1 ? first : first + " and " + (edges.size() - 1) + " more";
  }

  private void checkMember(Member member, MemberStats state) {
    @Nullable Pool pool = catalog.poolOf(member).orElse(null);
    @Nullable EjectedMember out = ejected.get(member.id());
    if (pool == null) {
      found.add(of(Reason.IN_NO_POOL, member, "is in no pool and gets no connections."));
    } else if (pool.vipId() == null) {
      return; // the pool's problem
    } else if (splitHosts.have(member.address())) {
      return; // the host's problem, not the service's
    } else if (!state.located()) {
      if (hasSwitches) {
        found.add(notLocated(member));
      }
    } else if (state.health() == Health.DOWN) {
      found.add(
          of(Reason.DOWN, member, "is down: it fails its health checks.")
              .withRemedy(
                  listens(member, pool) + fromTheVip(member, pool) + checkedOverRouter(member)));
    } else if (out != null) {
      found.add(
          of(Reason.NO_ANSWER, member, doesNotAnswer(out, state))
              .withRemedy(listens(member, pool) + repliesOverRouter(member)));
    }
  }

  private Problem notLocated(Member member) {
    String what = "is not located and gets no connections: ";
    @Nullable IPAddress<?> router = routing.routerTo(member.address()).orElse(null);
    if (router != null) {
      return of(
              Reason.NOT_LOCATED,
              member,
              what + "no switch has seen a packet from " + router + ", the router to it.")
          .withRemedy("Check the route, or ping something from that router.");
    }
    @Nullable Attachment elsewhere = hostsAtMembers.get(member.address());
    return of(
        Reason.NOT_LOCATED,
        member,
        elsewhere == null || elsewhere.vlan() == member.vlan()
            ? what
                + "no switch has seen a packet from its address"
                + (member.vlan() == 0 ? "" : " " + in(member.vlan()))
                + "."
            : what
                + String.format(
                    "its address was seen %s, and the member is %s.",
                    in(elsewhere.vlan()), in(member.vlan())));
  }

  private static String in(int vlan) {
    return vlan == 0 ? "untagged" : "in VLAN " + vlan;
  }

  /** What keeps the checks of a member behind a router from being answered. */
  private String checkedOverRouter(Member member) {
    @Nullable IPAddress<?> router = routing.routerTo(member.address()).orElse(null);
    if (router == null) {
      return "";
    }
    return routing
        .sourceTo(member.address(), member.vlan())
        .map(self -> " It is checked from " + self + " by way of the router " + router + ".")
        .orElse(
            " It is checked from its VIP by way of the router "
                + router
                + ": set selfAddresses to an address in that router's subnet.");
  }

  /** A router may send replies past the switches, which only its operator can know. */
  private String repliesOverRouter(Member member) {
    return routing
        .routerTo(member.address())
        .map(
            router ->
                " Its replies must pass the switches: check that the router "
                    + router
                    + " sends what is for the clients into this network.")
        .orElse("");
  }

  /** A member stays in use despite its ejection if too few others of its pool are usable. */
  private static String doesNotAnswer(EjectedMember out, MemberStats state) {
    String what =
        out.why().equals("refuses")
            ? "has a service that does not answer, as its agent reports."
            : "leaves its clients without an answer.";
    if (state.health() != Health.EJECTED) {
      return what + " It still gets connections, because too few other members are usable.";
    }
    long seconds = TimeUnit.NANOSECONDS.toSeconds(out.nanosLeft()) + 1;
    return what + " It gets no new connections for " + seconds + " s.";
  }

  /** What else keeps a member from answering checks, if there is no other source to try. */
  private String fromTheVip(Member member, Pool pool) {
    boolean usesDataPlane =
        catalog
            .monitorOfPool(pool.id())
            .filter(monitor -> monitor.type().usesDataPlane())
            .isPresent();
    Optional<Vip> vip =
        catalog
            .vipOf(pool)
            .filter(each -> catalog.checkSources(each).size() == 1)
            .filter(each -> routing.sourceTo(member.address(), member.vlan()).isEmpty());
    return usesDataPlane && vip.isPresent()
        ? String.format(
            " If it has the address %s itself, for instance on lo, it drops the checks, which come"
                + " from there: add a VIP with another address, or use a health monitor of type"
                + " HTTP or AGENT.",
            vip.get().address())
        : "";
  }

  private String listens(Member member, Pool pool) {
    return "Check that the service runs and listens on " + port(member, pool) + ".";
  }

  private String port(Member member, Pool pool) {
    @Nullable Vip vip = catalog.vipOf(pool).orElse(null);
    @Nullable Integer port = vip == null ? member.port() : vip.portAt(member);
    return port == null ? "the port that clients use" : "port " + port;
  }

  private static Problem of(Reason reason, Member member, String what) {
    @Nullable Integer port = member.port();
    String at =
        port == null ? member.address().toString() : AddressText.withPort(member.address(), port);
    return reason.of(member.id(), "Member %s (%s) %s", member.id(), at, what);
  }
}
