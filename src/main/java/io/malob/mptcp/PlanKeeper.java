package io.malob.mptcp;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSetMultimap;
import com.google.common.collect.Iterables;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.algorithm.subflow.FlowIdentity;
import io.malob.algorithm.subflow.Route;
import io.malob.json.RejectedException;
import io.malob.openflow.IpFamily;
import io.malob.openflow.label.Label;
import io.malob.openflow.subflow.Fan;
import io.malob.openflow.subflow.SubflowRule;
import io.malob.store.Document;
import io.malob.store.NotStored;
import io.malob.store.Revisioned;
import io.malob.store.Store;
import io.malob.store.Swap;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the current plan, and changes it on request or when the network or its hosts change. It is
 * the single writer: all methods but {@link #view} and {@link #dryRun} are for one thread at a
 * time.
 */
final class PlanKeeper {
  private static final Logger LOG = LoggerFactory.getLogger(PlanKeeper.class);

  private static final Document<Applied> DOCUMENT =
      Document.of("mptcp", AppliedFormat::read, AppliedFormat::write);

  /** The inputs of a plan besides the request. */
  interface Surroundings {
    /** Hosts that the controller has seen, with their addresses of this family. */
    List<KnownHosts.Seen> hosts(IpFamily family);

    /** Whether a switch only forwards labels, and so does not deliver packets to hosts. */
    boolean isCore(DatapathId switchId);

    /**
     * The capacities of links, or their free capacities, in bit/s. Links of unknown capacity are
     * missing.
     */
    ImmutableMap<UndirectedLink, Double> capacities(PlanSettings.Weights weights, Topology network);
  }

  /**
   * The state for other threads.
   *
   * @param addresses of all hosts that can be reached over routes
   * @param routes of the addresses that have one
   * @param trouble why the plan cannot adapt to the network, if so
   * @param replans how often it has adapted
   */
  record View(
      Optional<Applied> applied,
      ImmutableMap<IPAddress<?>, Fan.Address> addresses,
      ImmutableMap<IPAddress<?>, Route> routes,
      boolean changing,
      Optional<String> trouble,
      long replans) {
    static final View NONE =
        new View(
            Optional.empty(), ImmutableMap.of(), ImmutableMap.of(), false, Optional.empty(), 0);

    /** No plan, but switches may still have rules of the last one. */
    static final View CLEARING =
        new View(Optional.empty(), ImmutableMap.of(), ImmutableMap.of(), true, Optional.empty(), 0);
  }

  private final Surroundings surroundings;
  private final LinkLife links;
  private final RuleInstaller installer;
  private final Store store;
  private final LabelNumbers labels;
  private final Supplier<Topology> found;
  private final Optional<Applied> resumed;
  private volatile View view = View.NONE;

  /** The stored plan. */
  private Revisioned<Applied> stored;

  /** Whether the last plan could not be saved; that is logged once. */
  private boolean isStoreRefusing;

  /**
   * Continues with the stored plan.
   *
   * @param found the network as the controller sees it now
   * @param store the store of the installed plan, with all its labels
   * @throws IOException if it cannot be read; the message is for users
   */
  PlanKeeper(
      Surroundings surroundings,
      Supplier<Topology> found,
      LinkLife links,
      RuleInstaller installer,
      Store store)
      throws IOException {
    this.surroundings = surroundings;
    this.found = found;
    this.links = links;
    this.installer = installer;
    this.store = store;
    stored = store.read(DOCUMENT);
    Optional<Applied> before = stored.content();
    List<Label> used = before.isPresent() ? before.get().labelled().labels() : List.of();
    labels = new LabelNumbers(used);
    resumed = before;
  }

  /** Installs the stored plan again; to be called once, when modules have started. */
  void resume() {
    resumed.ifPresent(
        applied -> put(applied, 0, others(applied.plan(), seen(applied.request())), () -> {}));
  }

  /** The current state; for any thread. */
  View view() {
    return view;
  }

  /** Computes the plan for a request; for any thread. */
  NetworkPlan dryRun(byte[] document) throws RejectedException {
    MptcpRequest request = RequestFormat.read(document);
    return dryRun(request, seen(request));
  }

  private List<KnownHosts.Seen> seen(MptcpRequest request) {
    return surroundings.hosts(request.settings().family());
  }

  /** Hosts without routes of their own, where packets with labels are delivered. */
  private List<Fan.Address> others(NetworkPlan plan, List<KnownHosts.Seen> seen) {
    return Neighbours.of(
        plan, seen.stream().filter(one -> !surroundings.isCore(one.at().switchId())).toList());
  }

  private NetworkPlan dryRun(MptcpRequest request, List<KnownHosts.Seen> seen)
      throws RejectedException {
    return maker(request.settings(), found.get())
        .plan(hosts(request, seen), taken(seen), Map.of(), Optional.empty());
  }

  private PlanMaker maker(PlanSettings settings, Topology network) {
    return new PlanMaker(
        settings,
        network,
        surroundings.capacities(settings.weights(), network),
        DatapathId::toString,
        surroundings::isCore);
  }

  private static List<Host> hosts(MptcpRequest request, List<KnownHosts.Seen> seen)
      throws RejectedException {
    return request.hosts().isPresent()
        ? KnownHosts.resolve(request.hosts().get(), seen)
        : KnownHosts.all(seen);
  }

  /** The hosts of the plan, at their current locations; and new ones, if the plan is for all. */
  private static List<Host> hosts(Applied applied, List<KnownHosts.Seen> seen) {
    ImmutableListMultimap<IPAddress<?>, KnownHosts.Seen> byAddress = KnownHosts.byAddress(seen);
    Map<String, Host> hosts = new LinkedHashMap<>();
    Set<IPAddress<?>> known = new HashSet<>();
    for (Member member : Iterables.concat(applied.plan().members(), applied.lost())) {
      Host host = member.host();
      hosts.put(host.id(), moved(host, byAddress.get(host.ip())));
      known.addAll(member.addresses());
    }
    if (applied.request().hosts().isEmpty()) {
      KnownHosts.all(seen).stream()
          .filter(host -> !known.contains(host.ip()))
          .forEach(host -> hosts.putIfAbsent(host.id(), host));
    }
    return List.copyOf(hosts.values());
  }

  /**
   * A host at its current location; at the former one if it is not seen, or if a request gave the
   * location.
   */
  private static Host moved(Host host, List<KnownHosts.Seen> seen) {
    int tag = host.tagging() == Fan.Tagging.SWITCH ? 0 : host.vlan();
    return host.fixed()
        ? host
        : seen.stream()
            .filter(one -> one.vlan() == tag)
            .map(KnownHosts.Seen::at)
            .findFirst()
            .map(place -> place.equals(host.at()) ? host : host.movedTo(place))
            .orElse(host);
  }

  private static Set<IPAddress<?>> taken(List<KnownHosts.Seen> seen) {
    // only the first address of a host is certainly its own: the others may be aliases
    Set<IPAddress<?>> taken = new HashSet<>();
    seen.stream()
        .filter(one -> !one.addresses().isEmpty())
        .forEach(one -> taken.add(one.addresses().get(0)));
    return taken;
  }

  /**
   * Computes a plan and installs it.
   *
   * @param done called when the switches have confirmed it
   */
  void apply(byte[] document, Runnable done) throws RejectedException {
    MptcpRequest request = RequestFormat.read(document);
    List<KnownHosts.Seen> seen = seen(request);
    NetworkPlan plan = dryRun(request, seen);
    Applied applied =
        new Applied(
            new String(document, StandardCharsets.UTF_8), request, label(plan), ImmutableList.of());
    change(applied, seen, 0, done);
    LOG.info(
        "mptcp_plan_applied subflows={} hosts={} routes={} per_link=\"{}\"",
        plan.members().stream().mapToInt(member -> member.homes().size()).sum(),
        plan.members().size(),
        plan.routes().size(),
        perLink(plan));
  }

  private static String perLink(NetworkPlan plan) {
    return PlanFormat.number(plan.plan().minimum())
        + " to "
        + PlanFormat.number(plan.plan().maximum());
  }

  private LabelledPlan label(NetworkPlan plan) {
    List<Label> fresh = new ArrayList<>();
    try {
      return LabelledPlan.label(
          plan,
          view.applied().map(before -> before.labelled().routes()).orElse(ImmutableMap.of()),
          () -> {
            Label label = labels.next();
            fresh.add(label);
            return label;
          });
    } catch (RuntimeException e) {
      fresh.forEach(labels::release);
      throw e;
    }
  }

  /** Labels in use: those of the plan, and of the plan that it replaces. */
  int labelsInUse() {
    return labels.inUse();
  }

  /**
   * Installs another plan. It is saved before any switch gets its rules: a plan that cannot be
   * saved is not installed, because after a restart the earlier plan would count as installed, with
   * labels that lead elsewhere by then.
   */
  private void change(Applied next, List<KnownHosts.Seen> seen, long replans, Runnable done)
      throws RejectedException {
    List<Fan.Address> others;
    ImmutableSetMultimap<DatapathId, SubflowRule> rules;
    try {
      others = others(next.plan(), seen);
      rules = next.labelled().rules(others);
      save(next);
    } catch (RejectedException | RuntimeException e) {
      Set<Label> unused = new HashSet<>(next.labelled().labels());
      unused.removeAll(labelsOf(view));
      unused.forEach(labels::release);
      throw e;
    }
    put(next, replans, others, rules, done);
  }

  private void save(Applied applied) throws RejectedException {
    try {
      keep(Optional.of(applied));
      isStoreRefusing = false;
    } catch (IOException e) {
      if (!isStoreRefusing) {
        LOG.error("mptcp_plan_not_stored why=\"{}\"", e.toString());
      }
      isStoreRefusing = true;
      throw NotStored.rejection("the plan could not be stored; the log says why", e);
    }
  }

  /** On return it is durable. */
  private void keep(Optional<Applied> plan) throws IOException {
    Swap<Applied> swap = store.compareAndSet(DOCUMENT, stored, plan);
    stored = swap.now();
    if (!swap.isDone()) {
      throw new IOException("another controller has changed the plan meanwhile");
    }
  }

  private void put(Applied applied, long replans, List<Fan.Address> others, Runnable done) {
    put(applied, replans, others, applied.labelled().rules(others), done);
  }

  private void put(
      Applied applied,
      long replans,
      List<Fan.Address> others,
      ImmutableSetMultimap<DatapathId, SubflowRule> rules,
      Runnable done) {
    Set<Label> old = new HashSet<>(labelsOf(view));
    old.removeAll(applied.labelled().labels());
    view =
        new View(
            Optional.of(applied),
            addresses(applied, others),
            applied.plan().routesByAddress(),
            true,
            applied.trouble(),
            replans);
    installer.install(
        rules,
        () -> {
          old.forEach(labels::release);
          settled(applied);
          done.run();
        });
  }

  private static List<Label> labelsOf(View view) {
    return view.applied().map(applied -> applied.labelled().labels()).orElse(List.of());
  }

  private void settled(Applied applied) {
    View now = view;
    if (now.applied().equals(Optional.of(applied))) {
      view =
          new View(
              now.applied(), now.addresses(), now.routes(), false, now.trouble(), now.replans());
    }
  }

  private static ImmutableMap<IPAddress<?>, Fan.Address> addresses(
      Applied applied, List<Fan.Address> others) {
    Map<IPAddress<?>, Fan.Address> addresses = new HashMap<>();
    others.forEach(address -> addresses.put(address.address(), address));
    applied.labelled().addresses().forEach(address -> addresses.put(address.address(), address));
    return ImmutableMap.copyOf(addresses);
  }

  /**
   * Removes the plan; false if there was none.
   *
   * @param done called when the switches have removed its rules
   */
  boolean clear(Runnable done) throws RejectedException {
    if (view.applied().isEmpty()) {
      done.run();
      return false;
    }
    try {
      keep(Optional.empty());
    } catch (IOException e) {
      LOG.error("mptcp_plan_not_removed why=\"{}\"", e.toString());
      throw NotStored.rejection("the plan could not be removed; the log says why", e);
    }
    List<Label> old = labelsOf(view);
    view = View.CLEARING;
    installer.install(
        ImmutableSetMultimap.of(),
        () -> {
          old.forEach(labels::release);
          if (view.equals(View.CLEARING)) {
            view = View.NONE;
          }
          done.run();
        });
    LOG.info("mptcp_plan_cleared");
    return true;
  }

  /** Network or hosts may have changed: adapts the plan, with as few changes as possible. */
  void follow() {
    links.update(found.get());
    View now = view;
    if (now.applied().isEmpty()) {
      return;
    }
    Applied applied = now.applied().get();
    try {
      List<KnownHosts.Seen> seen = seen(applied.request());
      List<Host> hosts = hosts(applied, seen);
      Topology network = links.with(inUse(applied.plan()));
      ReachablePart part = ReachablePart.of(network, hosts, surroundings::isCore);
      boolean asBefore =
          part.topology().equals(applied.plan().topology())
              && part.hosts().equals(hostsOf(applied.plan().members()))
              && part.lost().equals(hostsOf(applied.lost()));
      if (asBefore) {
        putOthers(now, applied, seen);
      } else if (!part.hosts().isEmpty()) {
        replan(now, applied, part, seen);
      }
    } catch (RejectedException e) {
      troubled(now, String.valueOf(e.getMessage()));
    }
  }

  private static List<Host> hostsOf(List<Member> members) {
    return members.stream().map(Member::host).toList();
  }

  private static Collection<DirectedLink> inUse(NetworkPlan plan) {
    Set<DirectedLink> inUse = new HashSet<>(plan.topology().links());
    plan.routes().values().forEach(route -> inUse.addAll(route.links()));
    return inUse;
  }

  /** Hosts without routes of their own may be new, or have moved. */
  private void putOthers(View now, Applied applied, List<KnownHosts.Seen> seen) {
    List<Fan.Address> others = others(applied.plan(), seen);
    if (!addresses(applied, others).equals(now.addresses())
        || !now.trouble().equals(applied.trouble())) {
      put(applied, now.replans(), others, () -> {});
    }
  }

  private void replan(View now, Applied applied, ReachablePart part, List<KnownHosts.Seen> seen)
      throws RejectedException {
    Map<String, Member> earlier = new HashMap<>();
    Iterables.concat(applied.plan().members(), applied.lost())
        .forEach(member -> earlier.put(member.host().id(), member));
    NetworkPlan plan =
        maker(applied.request().settings(), part.topology())
            .plan(part.hosts(), taken(seen), earlier, Optional.of(applied.plan()));
    Applied changed =
        new Applied(applied.document(), applied.request(), label(plan), lost(part, earlier));
    long kept =
        plan.routes().values().stream()
            .filter(route -> isIn(route.branches(), applied.plan(), route.identity()))
            .count();
    change(changed, seen, now.replans() + 1, () -> {});
    LOG.info(
        "mptcp_plan_changed topology=\"{}\" routes_kept={} routes={} per_link=\"{}\"",
        part.topology(),
        kept,
        plan.routes().size(),
        perLink(plan));
    changed.trouble().ifPresent(why -> LOG.warn("mptcp_plan_troubled why=\"{}\"", why));
  }

  private static ImmutableList<Member> lost(ReachablePart part, Map<String, Member> earlier) {
    ImmutableList.Builder<Member> lost = ImmutableList.builder();
    for (Host host : part.lost()) {
      @Nullable Member member = earlier.get(host.id());
      ImmutableList<IPAddress<?>> addresses =
          member == null ? ImmutableList.of(host.ip()) : member.addresses();
      lost.add(new Member(host, addresses, ImmutableList.of(), ImmutableList.of()));
    }
    return lost.build();
  }

  private static boolean isIn(
      ImmutableList<Path> branches, NetworkPlan before, FlowIdentity identity) {
    @Nullable Route earlier = before.routes().get(identity);
    return earlier != null && earlier.branches().equals(branches);
  }

  private void troubled(View now, String why) {
    if (!now.trouble().equals(Optional.of(why))) {
      LOG.warn("mptcp_plan_not_followed why=\"{}\"", why);
      view =
          new View(
              now.applied(),
              now.addresses(),
              now.routes(),
              now.changing(),
              Optional.of(why),
              now.replans());
    }
  }
}
