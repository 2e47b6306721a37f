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
import io.malob.monitor.IMonitorService;
import io.malob.rest.problem.Problem.Reason;
import io.malob.state.catalog.AdminState;
import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.LoadBalancer;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.PlacementMode;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
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
  private final List<ProactiveStats> proactive;
  private final Set<DatapathId> unserved;
  private final boolean hasSwitches;
  private final Optional<ClusterView> cluster;
  private final ImmutableMap<IPAddress<?>, Attachment> hostsAtVips;
  private final List<DuplicateSwitch> duplicates;
  private final List<Problem> found = new ArrayList<>();

  private Problems(
      IBalancerService balancer,
      IMonitorService monitor,
      Optional<ClusterView> cluster,
      Collection<? extends IDevice> hosts,
      List<DuplicateSwitch> duplicates) {
    this.cluster = cluster;
    this.duplicates = duplicates;
    catalog = balancer.catalog().snapshot();
    stats = balancer.memberStats();
    ejected = balancer.ejected();
    proactive = balancer.proactive();
    unserved = balancer.unservedSwitches();
    hasSwitches = !monitor.topology().switches().isEmpty();
    hostsAtVips = hostsAtVips(catalog, hosts);
  }

  private static ImmutableMap<IPAddress<?>, Attachment> hostsAtVips(
      CatalogSnapshot catalog, Collection<? extends IDevice> hosts) {
    Map<IPAddress<?>, Attachment> found = new HashMap<>();
    for (IDevice host : hosts) {
      for (IPAddress<?> address : AttachedHosts.addressesOf(host)) {
        if (catalog.isVipAddress(address)) {
          AttachedHosts.attachmentOf(host).ifPresent(at -> found.putIfAbsent(address, at));
        }
      }
    }
    return ImmutableMap.copyOf(found);
  }

  /**
   * All problems of this moment.
   *
   * @param hosts the known ones
   */
  public static List<Problem> now(
      IBalancerService balancer,
      IMonitorService monitor,
      Optional<ClusterView> cluster,
      Collection<? extends IDevice> hosts,
      List<DuplicateSwitch> duplicates) {
    Problems problems = new Problems(balancer, monitor, cluster, hosts, duplicates);
    problems.findAll();
    return problems.found;
  }

  private void findAll() {
    boolean standsBy = cluster.isPresent() && !cluster.get().roles().isEmpty();
    if (!hasSwitches && !standsBy) {
      found.add(
          new Problem(
              Reason.NO_SWITCH,
              null,
              "No switch is connected.",
              "Set the controller of your switches to this machine and its OpenFlow port"
                  + " (6653 by default).",
              null));
    }
    duplicates.forEach(each -> found.add(duplicate(each)));
    cluster.ifPresent(view -> view.problems().forEach(each -> found.add(ofCluster(each))));
    for (LoadBalancer balancer : catalog.loadBalancers().values()) {
      if (balancer.adminState() == AdminState.DOWN && catalog.isVipAddress(balancer.address())) {
        found.add(down(balancer));
      }
    }
    for (Vip vip : catalog.vips().values()) {
      Optional<Pool> pool = catalog.poolOfVip(vip.id());
      Optional<CatalogItem> down = catalog.downFor(vip);
      if (down.isPresent()) {
        if (!(down.get() instanceof LoadBalancer)) {
          found.add(down.get() instanceof Vip ? down(vip) : down(pool.orElseThrow(), vip));
        }
      } else if (pool.isPresent()) {
        checkPool(pool.get(), vip);
      } else {
        found.add(withoutPool(vip));
      }
      @Nullable Attachment host = hostsAtVips.get(vip.address());
      if (host != null) {
        found.add(addressTaken(vip, host));
      }
      if (!unserved.isEmpty()) {
        found.add(notServed(vip));
      }
    }
    proactive.forEach(this::checkPlacement);
    for (Pool pool : catalog.pools().values()) {
      if (pool.vipId() == null) {
        found.add(withoutVip(pool));
      }
    }
    for (Member member : catalog.members().values()) {
      if (member.takesNew()) {
        checkMember(member, stats.getOrDefault(member.id(), NOTHING_YET));
      }
    }
  }

  private static Problem duplicate(DuplicateSwitch duplicate) {
    return new Problem(
        Reason.DUPLICATE_SWITCH,
        null,
        String.format(
            "Two switches have the datapath id %s: the one at %s is served, the one at %s is"
                + " refused.",
            duplicate.id(), duplicate.served(), duplicate.refused()),
        "Give one of them another datapath id. If both are the same switch, let it connect to this"
            + " controller only once.",
        null);
  }

  private static Problem ofCluster(ClusterView.Problem problem) {
    return switch (problem.kind()) {
      case ETCD_SILENT ->
          new Problem(
              Reason.ETCD_SILENT,
              null,
              problem.text(),
              "Check etcd's servers, and the network to them.",
              null);
      case NAME_TAKEN ->
          new Problem(
              Reason.NAME_TAKEN,
              null,
              problem.text(),
              "Stop one of the two, and start it with another name.",
              "./malob run --node NAME");
      case ETCD_BEHIND ->
          new Problem(
              Reason.ETCD_BEHIND,
              null,
              problem.text(),
              "Raise the base of generation ids.",
              "./malob cluster raise-base");
      case ETCD_SPACE ->
          new Problem(
              Reason.ETCD_SPACE,
              null,
              problem.text(),
              "Defragment etcd, or raise its quota (--quota-backend-bytes); then end its alarm.",
              "etcdctl defrag && etcdctl alarm disarm");
      case PEER_NOT_REACHED ->
          new Problem(
              Reason.PEER_NOT_REACHED,
              null,
              problem.text(),
              "Check the network between the controllers; the log says why (peer_refused, peer_lost).",
              null);
    };
  }

  private static Problem down(LoadBalancer balancer) {
    return new Problem(
        Reason.LOAD_BALANCER_DOWN,
        balancer.id(),
        String.format(
            "Load balancer %s (%s) is down, so its VIPs reject new connections.",
            balancer.id(), balancer.address()),
        "Put it back into service.",
        "./malob load-balancer set " + balancer.id() + " --admin-state up");
  }

  private static Problem down(Vip vip) {
    return new Problem(
        Reason.VIP_DOWN,
        vip.id(),
        "VIP " + vip.id() + " is down and rejects new connections.",
        "Put it back into service.",
        "./malob vip set " + vip.id() + " --admin-state up");
  }

  private static Problem down(Pool pool, Vip vip) {
    return new Problem(
        Reason.POOL_DOWN,
        pool.id(),
        "Pool " + pool.id() + " is down, so VIP " + vip.id() + " rejects new connections.",
        "Put it back into service.",
        "./malob pool set " + pool.id() + " --admin-state up");
  }

  private static Problem withoutPool(Vip vip) {
    return new Problem(
        Reason.NO_POOL,
        vip.id(),
        "VIP " + vip.id() + " has no pool and rejects its clients.",
        "Add a pool to it.",
        "./malob pool add ID --vip " + vip.id());
  }

  private static Problem addressTaken(Vip vip, Attachment host) {
    return new Problem(
        Reason.ADDRESS_TAKEN,
        vip.id(),
        String.format(
            "VIP %s has the address %s of a host (%s at port %s of switch %s), whose packets are"
                + " dropped.",
            vip.id(), vip.address(), host.mac(), host.port(), host.switchId()),
        "Give one of the two another address. A host that has changed its address is forgotten"
            + " later.",
        "./malob vip set " + vip.id() + " --address ADDRESS");
  }

  private static Problem withoutVip(Pool pool) {
    return new Problem(
        Reason.NO_VIP,
        pool.id(),
        "Pool " + pool.id() + " has no VIP, so its members get no connections.",
        "Give it a VIP.",
        "./malob pool set " + pool.id() + " --vip VIP");
  }

  private void checkPool(Pool pool, Vip vip) {
    List<Member> members = catalog.membersOfPool(pool.id());
    String name = "Pool " + pool.id() + " of VIP " + vip.id();
    if (members.isEmpty()) {
      found.add(
          new Problem(
              Reason.NO_MEMBERS,
              pool.id(),
              name + " has no members and rejects its clients.",
              "Add a member to it.",
              "./malob member add ID --address ADDRESS --pool " + pool.id()));
    } else if (members.stream().noneMatch(Member::takesNew)) {
      found.add(
          new Problem(
              Reason.ALL_OUT,
              pool.id(),
              name + " rejects its clients: all of its members are drained, down or of weight 0.",
              "Put a member back into service.",
              "./malob member set MEMBER --admin-state up --weight 1"));
    }
  }

  /** At most one problem of each kind, for the first edge that has it. */
  private void checkPlacement(ProactiveStats vip) {
    if (vip.mode() == PlacementMode.PROACTIVE
        && cluster.filter(ClusterView::isSpread).isPresent()) {
      found.add(severalMasters(vip.vipId()));
    }
    for (ProactiveStats.Problem.Kind kind : ProactiveStats.Problem.Kind.values()) {
      List<ProactiveStats.Edge> hit =
          vip.edges().stream()
              .filter(edge -> edge.problem().filter(each -> each.kind() == kind).isPresent())
              .toList();
      if (!hit.isEmpty()) {
        found.add(
            switch (kind) {
              case RULE_REFUSED -> ruleRefused(vip.vipId(), hit);
              case NO_MASKS -> noMasks(vip.vipId(), hit);
              case FEW_TABLES -> fewTables(vip.vipId(), hit);
            });
      }
    }
    List<ProactiveStats.Edge> uneven =
        vip.edges().stream().filter(ProactiveStats.Edge::tooFewSources).toList();
    if (!uneven.isEmpty()) {
      found.add(tooFewSources(vip.vipId(), uneven));
    }
  }

  private static Problem severalMasters(String vipId) {
    return new Problem(
        Reason.SEVERAL_MASTERS,
        vipId,
        "VIP "
            + vipId
            + " is reactive: the cluster's policy spreads the switches over controllers.",
        "Choose the policy single, or make the VIP reactive.",
        "./malob cluster mastership single");
  }

  private static Problem ruleRefused(String vipId, List<ProactiveStats.Edge> edges) {
    String why = edges.get(0).problem().map(ProactiveStats.Problem::text).orElse("");
    if (edges.stream().allMatch(edge -> edge.state() == ProactiveStats.State.PROACTIVE)) {
      return new Problem(
          Reason.RULE_REFUSED,
          vipId,
          "VIP " + vipId + " lacks rules at " + switches(edges) + ": " + why + ".",
          "Free space in the tables of its switches; missing rules are sent again when a switch is"
              + " read.",
          null);
    }
    return new Problem(
        Reason.RULE_REFUSED,
        vipId,
        "VIP " + vipId + " is reactive at " + switches(edges) + ": " + why + ".",
        "Free space in the switch's tables; the VIP tries again each minute. Or make it reactive.",
        makeReactive(vipId));
  }

  private static Problem noMasks(String vipId, List<ProactiveStats.Edge> edges) {
    return new Problem(
        Reason.NO_MASKS,
        vipId,
        "VIP "
            + vipId
            + " is reactive at "
            + switches(edges)
            + ": the switch accepts no masks on ports or addresses.",
        "Connect the clients to a switch that does, for instance Open vSwitch, or make the VIP"
            + " reactive.",
        makeReactive(vipId));
  }

  private static Problem fewTables(String vipId, List<ProactiveStats.Edge> edges) {
    String why = edges.get(0).problem().map(ProactiveStats.Problem::text).orElse("");
    return new Problem(
        Reason.FEW_TABLES,
        vipId,
        "VIP " + vipId + " is reactive at " + switches(edges) + ": " + why + ".",
        "Make the VIP reactive, or connect its clients and members to switches with four tables.",
        makeReactive(vipId));
  }

  private Problem notServed(Vip vip) {
    DatapathId first = unserved.iterator().next();
    String more = unserved.size() == 1 ? "" : " and " + (unserved.size() - 1) + " more";
    return new Problem(
        Reason.NOT_SERVED,
        vip.id(),
        "Hosts behind switch "
            + first
            + more
            + " do not reach VIP "
            + vip.id()
            + ": the switch cannot translate addresses, and no switch that can is reached from it.",
        "Connect it to a switch that translates addresses.",
        null);
  }

  private static Problem tooFewSources(String vipId, List<ProactiveStats.Edge> edges) {
    boolean isByAddress = edges.get(0).source().filter("address"::equals).isPresent();
    return new Problem(
        Reason.TOO_FEW_SOURCES,
        vipId,
        String.format(
            "VIP %s does not meet the shares of its members at %s: %.0f %% of the traffic goes to"
                + " another member than by shares, because too few client %s send it.",
            vipId,
            switches(edges),
            edges.get(0).imbalance() * 100,
            isByAddress ? "addresses" : "ports"),
        isByAddress
            ? "Connect the clients to a switch that can mask ports, or make the VIP reactive."
            : "Make the VIP reactive if its shares matter more than its speed.",
        makeReactive(vipId));
  }

  private static String makeReactive(String vipId) {
    return "./malob vip set " + vipId + " --placement reactive";
  }

  private static String switches(List<ProactiveStats.Edge> edges) {
    String first = "switch " + edges.get(0).switchId();
    return edges.size() == 1 ? first : first + " and " + (edges.size() - 1) + " more";
  }

  private void checkMember(Member member, MemberStats state) {
    @Nullable String poolId = member.poolId();
    @Nullable Pool pool = poolId == null ? null : catalog.pools().get(poolId);
    @Nullable EjectedMember out = ejected.get(member.id());
    if (pool == null) {
      found.add(
          problem(
              Reason.IN_NO_POOL,
              member,
              "is in no pool and gets no connections.",
              "Add it to a pool.",
              "./malob member set " + member.id() + " --pool POOL"));
    } else if (pool.vipId() == null) {
      return; // the pool's problem
    } else if (!state.located()) {
      if (hasSwitches) {
        found.add(
            problem(
                Reason.NOT_LOCATED,
                member,
                "is not located and gets no connections: no switch has seen a packet from its"
                    + " address.",
                "Check the address, or ping something from that server.",
                null));
      }
    } else if (state.health() == Health.DOWN) {
      found.add(
          problem(
              Reason.DOWN,
              member,
              "is down: it fails its health checks.",
              listens(member, pool) + fromTheVip(pool),
              null));
    } else if (out != null) {
      found.add(
          problem(
              Reason.NO_ANSWER, member, doesNotAnswer(out, state), listens(member, pool), null));
    }
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
  private String fromTheVip(Pool pool) {
    boolean usesDataPlane =
        catalog
            .monitorOfPool(pool.id())
            .filter(monitor -> monitor.type().usesDataPlane())
            .isPresent();
    Optional<Vip> vip = catalog.vipOf(pool).filter(each -> catalog.checkSources(each).size() == 1);
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

  private static Problem problem(
      Reason reason, Member member, String what, String remedy, @Nullable String command) {
    return new Problem(reason, member.id(), name(member) + " " + what, remedy, command);
  }

  private static String name(Member member) {
    @Nullable Integer port = member.port();
    String at =
        port == null ? member.address().toString() : AddressText.withPort(member.address(), port);
    return "Member " + member.id() + " (" + at + ")";
  }
}
