package io.malob.mptcp;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSetMultimap;
import com.google.common.collect.Iterables;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.algorithm.subflow.Route;
import io.malob.algorithm.subflow.Score;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the current plan, and changes it on request or when the network or its hosts change. It is
 * the single writer: all methods but {@link #view} and {@link #dryRun} are for one thread at a
 * time.
 */
final class PlanTracker {
  private static final Logger LOG = LoggerFactory.getLogger(PlanTracker.class);

  private static final Document<Applied> DOCUMENT =
      Document.of("mptcp", AppliedFormat::read, AppliedFormat::write);

  /** The inputs of a plan besides the request. */
  interface PlanInputs {
    /** The network as the controller sees it now. */
    Topology topology();

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
    static final View NONE = none(false);

    /** No plan, but switches may still have rules of the last one. */
    static final View CLEARING = none(true);

    private static View none(boolean changing) {
      return new View(
          Optional.empty(), ImmutableMap.of(), ImmutableMap.of(), changing, Optional.empty(), 0);
    }

    private View with(boolean nowChanging, Optional<String> nowTrouble) {
      return new View(applied, addresses, routes, nowChanging, nowTrouble, replans);
    }

    private List<Label> labels() {
      return applied.map(plan -> plan.labelled().labels()).orElse(List.of());
    }
  }

  private final PlanInputs inputs;
  private final LinkLife links;
  private final RuleInstaller installer;
  private final Store store;
  private final LabelNumbers labels;
  private volatile View view = View.NONE;

  /** The stored plan. */
  private Revisioned<Applied> stored;

  /** Whether the last plan could not be saved; that is logged once. */
  private boolean isStoreRefusing;

  /**
   * Continues with the stored plan.
   *
   * @param store the store of the installed plan, with all its labels
   * @throws IOException if it cannot be read; the message is for users
   */
  PlanTracker(PlanInputs inputs, LinkLife links, RuleInstaller installer, Store store)
      throws IOException {
    this.inputs = inputs;
    this.links = links;
    this.installer = installer;
    this.store = store;
    stored = store.read(DOCUMENT);
    labels =
        new LabelNumbers(stored.content().map(plan -> plan.labelled().labels()).orElse(List.of()));
  }

  /** Installs the stored plan again; to be called once, when modules have started. */
  void resume() {
    stored
        .content()
        .ifPresent(
            applied -> putOthers(applied, 0, others(applied.plan(), seen(applied.request()))));
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
    return inputs.hosts(request.settings().family());
  }

  /** Hosts without routes of their own, where packets with labels are delivered. */
  private List<Fan.Address> others(NetworkPlan plan, List<KnownHosts.Seen> seen) {
    return Neighbours.of(
        plan, seen.stream().filter(one -> !inputs.isCore(one.at().switchId())).toList());
  }

  private NetworkPlan dryRun(MptcpRequest request, List<KnownHosts.Seen> seen)
      throws RejectedException {
    List<Host> hosts =
        request.hosts().isPresent()
            ? KnownHosts.resolve(request.hosts().get(), seen)
            : KnownHosts.all(seen);
    return maker(request.settings(), inputs.topology())
        .plan(hosts, KnownHosts.certain(seen), Map.of(), Optional.empty());
  }

  private PlanMaker maker(PlanSettings settings, Topology network) {
    return new PlanMaker(
        settings,
        network,
        inputs.capacities(settings.weights(), network),
        DatapathId::toString,
        inputs::isCore);
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
    return Score.rounded(plan.plan().minimum()) + " to " + Score.rounded(plan.plan().maximum());
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
      unused.removeAll(view.labels());
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

  /** Hosts without routes of their own may be new, or have moved. */
  private void putOthers(Applied applied, long replans, List<Fan.Address> others) {
    put(applied, replans, others, applied.labelled().rules(others), () -> {});
  }

  private void put(
      Applied applied,
      long replans,
      List<Fan.Address> others,
      ImmutableSetMultimap<DatapathId, SubflowRule> rules,
      Runnable done) {
    Set<Label> old = new HashSet<>(view.labels());
    old.removeAll(applied.labelled().labels());
    view =
        new View(
            Optional.of(applied),
            applied.labelled().addresses(others),
            applied.plan().routesByAddress(),
            true,
            applied.trouble(),
            replans);
    installer.install(
        rules,
        () -> {
          old.forEach(labels::release);
          if (view.applied().equals(Optional.of(applied))) {
            view = view.with(false, view.trouble());
          }
          done.run();
        });
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
    List<Label> old = view.labels();
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
    links.update(inputs.topology());
    View now = view;
    if (now.applied().isEmpty()) {
      return;
    }
    Applied applied = now.applied().get();
    try {
      List<KnownHosts.Seen> seen = seen(applied.request());
      List<Host> hosts = KnownHosts.now(applied, seen);
      Topology network = links.with(applied.plan().linksInUse());
      ReachablePart part = ReachablePart.of(network, hosts, inputs::isCore);
      if (part.isOf(applied)) {
        List<Fan.Address> others = others(applied.plan(), seen);
        if (!applied.labelled().addresses(others).equals(now.addresses())
            || !now.trouble().equals(applied.trouble())) {
          putOthers(applied, now.replans(), others);
        }
      } else if (!part.hosts().isEmpty()) {
        replan(now, applied, part, seen);
      }
    } catch (RejectedException e) {
      String why = String.valueOf(e.getMessage());
      if (!now.trouble().equals(Optional.of(why))) {
        LOG.warn("mptcp_plan_not_followed why=\"{}\"", why);
        view = now.with(now.changing(), Optional.of(why));
      }
    }
  }

  private void replan(View now, Applied applied, ReachablePart part, List<KnownHosts.Seen> seen)
      throws RejectedException {
    Map<String, Member> earlier = new HashMap<>();
    Iterables.concat(applied.plan().members(), applied.lost())
        .forEach(member -> earlier.put(member.host().id(), member));
    NetworkPlan plan =
        maker(applied.request().settings(), part.topology())
            .plan(part.hosts(), KnownHosts.certain(seen), earlier, Optional.of(applied.plan()));
    Applied changed =
        new Applied(applied.document(), applied.request(), label(plan), part.lostMembers(earlier));
    long kept =
        plan.routes().values().stream()
            .filter(
                route ->
                    Optional.ofNullable(applied.plan().routes().get(route.identity()))
                        .filter(before -> before.branches().equals(route.branches()))
                        .isPresent())
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
}
