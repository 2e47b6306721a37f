package io.malob.balancer.view;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Counting;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Server;
import io.malob.algorithm.VlanAddress;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.health.Ejection;
import io.malob.algorithm.health.Health;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The single writer of the {@link BalancerView}. To be called by one thread at a time. Any thread
 * may call {@link #get} and {@link #views}.
 */
public final class ViewWriter {
  private static final Logger LOG = LoggerFactory.getLogger(ViewWriter.class);

  private final Function<VlanAddress, Optional<Attachment>> hosts;
  private final Predicate<IPAddress<?>> isRouted;
  private final MemberLoads loads;
  private final Function<Topology, LinkValues> linkValues;
  private final Counting counting;
  private final ServicePlan.Counters counters;
  private final SlowStarts slowStarts;
  private final Executor searches;

  /** Whether a search for the remaining paths to members is scheduled. */
  private boolean isSearchScheduled;

  private ImmutableMap<Integer, Health> checked = ImmutableMap.of();
  private ImmutableSet<Integer> out = ImmutableSet.of();

  private final AtomicReference<BalancerView> published;

  /**
   * Creates a writer with an empty view.
   *
   * @param hosts the attachment of a host
   * @param isRouted whether the host with an address is behind a router
   * @param loads the loads of members
   * @param linkValues the measurements of a topology's links
   * @param counting the placers' definition of load
   * @param counters the plans' profiles and tallies
   * @param slowStarts sets the shares of members; used by this writer only
   * @param searches runs searches for paths, never at the same time as a call of this writer
   */
  public ViewWriter(
      Function<VlanAddress, Optional<Attachment>> hosts,
      Predicate<IPAddress<?>> isRouted,
      MemberLoads loads,
      Function<Topology, LinkValues> linkValues,
      Counting counting,
      ServicePlan.Counters counters,
      SlowStarts slowStarts,
      Executor searches) {
    this.hosts = hosts;
    this.isRouted = isRouted;
    this.loads = loads;
    this.linkValues = linkValues;
    this.counting = counting;
    this.counters = counters;
    this.slowStarts = slowStarts;
    this.searches = searches;
    this.published =
        new AtomicReference<>(
            BalancerView.EMPTY.with(
                new NetworkSnapshot(LinkValues.unknown(Topology.EMPTY), searches)));
  }

  /** The current view. */
  public BalancerView get() {
    return Objects.requireNonNull(published.get());
  }

  /** Access to the current view for readers. */
  public Supplier<BalancerView> views() {
    return published::get;
  }

  /**
   * Takes over a new topology. An equal topology keeps the results that were computed for it, and
   * one with fewer links those that do not depend on these.
   */
  public void setTopology(Topology topology) {
    NetworkSnapshot before = get().network();
    if (!topology.equals(before.topology())) {
      publish(get().catalog(), before.with(linkValues.apply(topology)));
    }
  }

  /** Takes over the current measurements of links. */
  public void refreshLinks() {
    BalancerView current = get();
    NetworkSnapshot before = current.network();
    NetworkSnapshot network = before.with(linkValues.apply(before.topology()));
    current.pools().values().forEach(pool -> pool.prepare(network));
    published.set(current.with(network));
  }

  /**
   * Searches for the paths to and from all members. In a large network, the search continues later
   * in small parts, so that other tasks can run in between.
   */
  private void searchForPaths(BalancerView next) {
    Set<DatapathId> switches = new HashSet<>();
    next.servers().values().forEach(server -> switches.add(server.at().switchId()));
    if (!next.network().prepare(switches, isByWidth(next.catalog())) && !isSearchScheduled) {
      isSearchScheduled = true;
      searches.execute(this::resumeSearch);
    }
  }

  private void resumeSearch() {
    isSearchScheduled = false;
    BalancerView current = get();
    searchForPaths(current);
    current.pools().values().forEach(pool -> pool.prepare(current.network()));
  }

  /** Whether an algorithm in use needs the widest paths. */
  private static boolean isByWidth(CatalogSnapshot catalog) {
    for (Pool pool : catalog.pools().values()) {
      @Nullable Vip vip = catalog.vipOf(pool).orElse(null);
      if (vip != null && catalog.algorithmsFor(vip, pool).stream().anyMatch(Algorithm::isByWidth)) {
        return true;
      }
    }
    return false;
  }

  /** Takes over a new catalog. */
  public void setCatalog(CatalogSnapshot catalog) {
    publish(catalog, get().network());
    loads.retain(catalog);
    refreshServers();
  }

  /** Takes over the health of members. The next published view contains it. */
  public void setHealth(ImmutableMap<Integer, Health> newHealth) {
    checked = newHealth;
  }

  /** Takes over the set of ejected members. */
  public void setOut(ImmutableSet<Integer> numbers) {
    if (!numbers.equals(out)) {
      out = numbers;
      publish(get().catalog(), get().network());
    }
  }

  /** Updates the shares of members in slow start. */
  public void refreshShares() {
    if (slowStarts.isOver()) {
      return;
    }
    BalancerView current = get();
    for (Pool pool : current.catalog().pools().values()) {
      PoolView members = current.pool(pool);
      if (pool.slowStartSeconds() > 0 && slowStarts.share(pool, members.servers())) {
        members.sharesChanged();
      }
    }
  }

  /** Publishes a view with the current locations and health of members. */
  public void refreshHosts() {
    publish(get().catalog(), get().network());
  }

  /** Takes over new reports of all members, and drops reports that are too old. */
  public void refreshServers() {
    BalancerView current = get();
    current.catalog().members().values().forEach(member -> refresh(member, current));
  }

  /** Takes over the reports of the members at an address. */
  public void refreshServer(IPAddress<?> address) {
    BalancerView current = get();
    current.catalog().membersAt(address).forEach(member -> refresh(member, current));
  }

  private void refresh(Member member, BalancerView current) {
    if (loads.refresh(member, current.catalog())) {
      loadChanged(member.number(), current);
    }
  }

  private static void loadChanged(int number, BalancerView current) {
    @Nullable Server server = current.servers().get(number);
    if (server != null) {
      current.loadChanged(server);
    }
  }

  private void publish(CatalogSnapshot catalog, NetworkSnapshot network) {
    BalancerView before = get();
    ImmutableMap.Builder<String, PoolView> pools = ImmutableMap.builder();
    ImmutableMap.Builder<Integer, PoolView> poolOfMember = ImmutableMap.builder();
    ImmutableMap.Builder<Integer, Server> allServers = ImmutableMap.builder();
    Map<Integer, Health> health = new HashMap<>(checked);
    for (Pool pool : catalog.pools().values()) {
      Map<Member, Server> located = located(catalog, pool);
      Map<Member, Server> inService = catalog.isDown(pool) ? Map.of() : located;
      ImmutableList<Server> usual = choosable(inService, member -> !member.backup(), health);
      ImmutableList<Server> backups = choosable(inService, Member::backup, health);
      @Nullable PoolView old = before.pools().get(pool.id());
      slowStarts.follow(
          pool,
          old == null ? ImmutableList.of() : old.servers(),
          ImmutableList.<Server>builder().addAll(usual).addAll(backups).build());
      PoolView next =
          old == null ? new PoolView(usual, backups, counting) : old.with(usual, backups);
      if (next.isOnBackups() != (old != null && old.isOnBackups())) {
        logBackups(pool, next.isOnBackups());
      }
      pools.put(pool.id(), next);
      located.values().forEach(server -> allServers.put(server.number(), server));
      catalog.membersOfPool(pool.id()).forEach(member -> poolOfMember.put(member.number(), next));
    }
    slowStarts.retain(catalog.pools().keySet());
    ImmutableMap<Integer, Server> servers = allServers.build();
    BalancerView next =
        new BalancerView(
            catalog,
            network,
            pools.build(),
            poolOfMember.build(),
            servers,
            ImmutableMap.copyOf(health),
            ServerLocations.of(catalog, servers, isRouted),
            new ServicePlans(counters));
    searchForPaths(next);
    if (network != before.network()) {
      next.pools().values().forEach(pool -> pool.prepare(network));
    }
    published.set(next);
  }

  private static boolean takesConnections(Server server, Map<Integer, Health> health) {
    return health.getOrDefault(server.number(), Health.UNCHECKED).takesConnections();
  }

  /**
   * The members of that kind that take new connections. Marks ejected members in {@code health}.
   */
  private ImmutableList<Server> choosable(
      Map<Member, Server> located, Predicate<Member> kind, Map<Integer, Health> health) {
    ImmutableList<Server> sound =
        located.entrySet().stream()
            .filter(entry -> kind.test(entry.getKey()))
            .filter(entry -> entry.getKey().takesNew())
            .map(Map.Entry::getValue)
            .filter(server -> takesConnections(server, checked))
            .collect(ImmutableList.toImmutableList());
    Ejection.heeded(sound, server -> out.contains(server.number()))
        .forEach(server -> health.put(server.number(), Health.EJECTED));
    return sound.stream()
        .filter(server -> takesConnections(server, health))
        .collect(ImmutableList.toImmutableList());
  }

  private static void logBackups(Pool pool, boolean inUse) {
    if (inUse) {
      LOG.warn("backups_in_use pool={} - no other member takes connections", pool.id());
    } else {
      LOG.info("backups_at_rest pool={}", pool.id());
    }
  }

  /** The located members of a pool, in the pool's order. */
  private Map<Member, Server> located(CatalogSnapshot catalog, Pool pool) {
    Map<Member, Server> servers = new LinkedHashMap<>();
    for (Member member : catalog.membersOfPool(pool.id())) {
      hosts
          .apply(new VlanAddress(member.address(), member.vlan()))
          .ifPresent(at -> servers.put(member, server(member, at)));
    }
    return servers;
  }

  /** A member as a server at a place. By the single writer. */
  public Server server(Member member, Attachment at) {
    return new Server(
        member.number(),
        AddressKey.of(member.address()),
        Optional.ofNullable(member.port()).orElse(0),
        Math.max(
            1,
            member.weight()), // a member without weight keeps its connections and gets no new ones
        at,
        member.limit(),
        loads.of(member));
  }

  /** Takes over the estimated connections of members, by number; others have none. */
  public void setEstimated(Map<Integer, Integer> estimated) {
    BalancerView current = get();
    loads.setEstimated(estimated).forEach(number -> loadChanged(number, current));
  }

  /** The addresses of members that are not located, each with a VIP address of its pool. */
  public Map<VlanAddress, IPAddress<?>> missingMembers() {
    BalancerView current = get();
    Map<VlanAddress, IPAddress<?>> missing = new HashMap<>();
    for (Pool pool : current.catalog().pools().values()) {
      @Nullable Vip vip = current.catalog().vipOf(pool).orElse(null);
      if (vip == null) {
        continue;
      }
      for (Member member : current.catalog().membersOfPool(pool.id())) {
        if (!current.servers().containsKey(member.number())) {
          missing.put(new VlanAddress(member.address(), member.vlan()), vip.address());
        }
      }
    }
    return missing;
  }
}
