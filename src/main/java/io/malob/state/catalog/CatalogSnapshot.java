package io.malob.state.catalog;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Algorithm;
import io.malob.state.catalog.AlgorithmChoice.Source;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The catalog at one moment. Immutable: take it once per decision and use it from any thread. All
 * references in it hold: a pool's VIP and a member's pool are in the same snapshot.
 */
public final class CatalogSnapshot {
  private static final int MAX_CHECK_SOURCES = 5;

  private final CatalogTables tables;
  private final VipIndex vipIndex;
  private final ServiceIndex serviceIndex;
  private final MemberIndex memberIndex;
  private final ImmutableListMultimap<String, Pool> poolsByVip;
  private final ImmutableListMultimap<String, Monitor> monitorsByPool;
  private final ImmutableMap<IPAddress<?>, LoadBalancer> loadBalancersByAddress;

  /** The snapshot of these tables, which shares unchanged indexes with {@code before}. */
  CatalogSnapshot(CatalogTables tables, @Nullable CatalogSnapshot before) {
    this.tables = tables;
    vipIndex = index(before, Catalog.VIPS, old -> old.vipIndex, VipIndex::new);
    poolsByVip =
        index(before, Catalog.POOLS, old -> old.poolsByVip, pools -> by(Pool::vipId, pools));
    memberIndex = index(before, Catalog.MEMBERS, old -> old.memberIndex, MemberIndex::new);
    monitorsByPool =
        index(
            before,
            Catalog.MONITORS,
            old -> old.monitorsByPool,
            monitors -> by(Monitor::poolId, monitors));
    loadBalancersByAddress =
        index(
            before,
            Catalog.LOAD_BALANCERS,
            old -> old.loadBalancersByAddress,
            CatalogSnapshot::byAddress);
    serviceIndex = index(before, Catalog.SERVICES, old -> old.serviceIndex, ServiceIndex::new);
  }

  /** The index of a kind: that of before if its items are the same. */
  private <T extends CatalogItem, I> I index(
      @Nullable CatalogSnapshot before,
      CatalogKind<T> kind,
      Function<CatalogSnapshot, I> same,
      Function<Collection<T>, I> made) {
    Map<String, T> items = tables.of(kind);
    return before != null && items == before.tables.of(kind)
        ? same.apply(before)
        : made.apply(items.values());
  }

  /** A catalog with only the default services table. */
  public static CatalogSnapshot empty() {
    return new CatalogSnapshot(CatalogTables.empty(), null);
  }

  /** The items by their reference to another kind, those without it left out. */
  static <T> ImmutableListMultimap<String, T> by(
      Function<T, @Nullable String> reference, Collection<T> items) {
    return items.stream()
        .filter(item -> reference.apply(item) != null)
        .collect(
            ImmutableListMultimap.toImmutableListMultimap(
                item -> String.valueOf(reference.apply(item)), item -> item));
  }

  /** Of two with one address, which a check rejects, the last one. */
  private static ImmutableMap<IPAddress<?>, LoadBalancer> byAddress(
      Collection<LoadBalancer> balancers) {
    Map<IPAddress<?>, LoadBalancer> byAddress = new HashMap<>();
    balancers.forEach(balancer -> byAddress.put(balancer.address(), balancer));
    return ImmutableMap.copyOf(byAddress);
  }

  CatalogTables tables() {
    return tables;
  }

  /** All load balancers by id, oldest first. */
  public Map<String, LoadBalancer> loadBalancers() {
    return tables.of(Catalog.LOAD_BALANCERS);
  }

  /** All VIPs by id, oldest first. */
  public Map<String, Vip> vips() {
    return tables.of(Catalog.VIPS);
  }

  /** All pools by id, oldest first. */
  public Map<String, Pool> pools() {
    return tables.of(Catalog.POOLS);
  }

  /** All members by id, oldest first. */
  public Map<String, Member> members() {
    return tables.of(Catalog.MEMBERS);
  }

  /** The services table by id, oldest first; the default entry is always in it. */
  public Map<String, Service> services() {
    return tables.of(Catalog.SERVICES);
  }

  /** All health monitors by id, oldest first. */
  public Map<String, Monitor> monitors() {
    return tables.of(Catalog.MONITORS);
  }

  /** The monitor of a pool; empty if its members are not checked. */
  public Optional<Monitor> monitorOfPool(String poolId) {
    return monitorsOfPool(poolId).stream().findFirst();
  }

  /** The same of a candidate, in which there may be several. */
  List<Monitor> monitorsOfPool(String poolId) {
    return monitorsByPool.get(poolId);
  }

  /** The load balancer with that address, to which its VIPs belong; empty if there is none. */
  public Optional<LoadBalancer> loadBalancerAt(IPAddress<?> address) {
    return Optional.ofNullable(loadBalancersByAddress.get(address));
  }

  /**
   * The addresses from which the members of a VIP can be checked through the data plane: its own,
   * and those of some other VIPs of its family. Answers to a proactive VIP could follow its rules.
   */
  public ImmutableList<IPAddress<?>> checkSources(Vip vip) {
    Stream<IPAddress<?>> others =
        vips().values().stream()
            .<IPAddress<?>>map(Vip::address)
            .filter(address -> address.getIpVersion() == vip.address().getIpVersion())
            .filter(address -> vipsAt(address).stream().noneMatch(Vip::mayBeProactive));
    return Stream.concat(Stream.of(vip.address()), others)
        .distinct()
        .limit(MAX_CHECK_SOURCES)
        .collect(ImmutableList.toImmutableList());
  }

  /** The VIPs with that address, oldest first. */
  public List<Vip> vipsAt(IPAddress<?> address) {
    return vipIndex.at(address);
  }

  /** The item that keeps a VIP from taking new connections because it is down; empty if it does. */
  public Optional<CatalogItem> downFor(Vip vip) {
    return Stream.of(
            loadBalancerAt(vip.address())
                .filter(balancer -> balancer.adminState() == AdminState.DOWN),
            Optional.of(vip).filter(each -> each.adminState() == AdminState.DOWN),
            poolOfVip(vip.id()).filter(pool -> pool.adminState() == AdminState.DOWN))
        .<CatalogItem>flatMap(Optional::stream)
        .findFirst();
  }

  /** Whether the VIP of a pool takes no new connections because an item is down. */
  public boolean isDown(Pool pool) {
    return vipOf(pool).flatMap(this::downFor).isPresent();
  }

  /** The pool that serves a VIP; empty if there is none. */
  public Optional<Pool> poolOfVip(String vipId) {
    ImmutableList<Pool> pools = poolsByVip.get(vipId);
    return pools.isEmpty() ? Optional.empty() : Optional.of(pools.get(0));
  }

  /** The same of a candidate, in which there may be several. */
  List<Pool> poolsOfVip(String vipId) {
    return poolsByVip.get(vipId);
  }

  /** The VIP that a pool serves; empty if it serves none. */
  public Optional<Vip> vipOf(Pool pool) {
    @Nullable String vipId = pool.vipId();
    return vipId == null ? Optional.empty() : Optional.ofNullable(vips().get(vipId));
  }

  /** The pool of a member; empty if it has none. */
  public Optional<Pool> poolOf(Member member) {
    @Nullable String poolId = member.poolId();
    return poolId == null ? Optional.empty() : Optional.ofNullable(pools().get(poolId));
  }

  /** The VIP that a member serves; empty if it serves none. */
  public Optional<Vip> vipOf(Member member) {
    return poolOf(member).flatMap(this::vipOf);
  }

  /** The members of a pool, oldest first; empty if it has none or does not exist. */
  public List<Member> membersOfPool(String poolId) {
    return memberIndex.inPool(poolId);
  }

  /** The members with that address, of any pool or none. */
  public List<Member> membersAt(IPAddress<?> address) {
    return memberIndex.at(address);
  }

  /** Those of them with that port, or without one if it is null. */
  public List<Member> membersAt(IPAddress<?> address, @Nullable Integer port) {
    return memberIndex.at(address, port);
  }

  /** The members whose address has that {@link AddressKey}. */
  public List<Member> membersAt(int addressKey) {
    return memberIndex.at(addressKey);
  }

  /** Whether a VIP has that address. */
  public boolean isVipAddress(IPAddress<?> address) {
    return vipIndex.isVipAddress(address);
  }

  /** Whether a VIP has that address in that VLAN (0 if untagged). */
  public boolean isVipAddress(IPAddress<?> address, int vlan) {
    List<Vip> vips = vipsAt(address);
    return !vips.isEmpty() && vips.get(0).vlan() == vlan;
  }

  /**
   * Whether a VIP has the address with that {@link AddressKey} in that VLAN (0 if untagged).
   * Allocates nothing.
   */
  public boolean isVipAddress(int addressKey, int vlan) {
    return vipIndex.isVipAddress(addressKey, vlan);
  }

  /**
   * The VLAN of the VIPs whose address has that {@link AddressKey}, and of their clients; 0 if they
   * are untagged, or if there are none. Allocates nothing.
   */
  public int vlanOfVip(int addressKey) {
    return vipIndex.vlanOf(addressKey);
  }

  /** Whether a member has that address in that VLAN (0 if untagged). */
  public boolean isMemberAddress(IPAddress<?> address, int vlan) {
    List<Member> members = membersAt(address);
    return !members.isEmpty() && members.get(0).vlan() == vlan;
  }

  /** Whether the address of a VIP has that {@link AddressKey}. Allocates nothing. */
  public boolean isVipAddress(int addressKey) {
    return vipIndex.isVipAddress(addressKey);
  }

  /** Passes on the {@link AddressKey} of each VIP and member, which the indexes use. */
  public void addressKeys(IntConsumer keys) {
    vips().values().forEach(vip -> keys.accept(AddressKey.of(vip.address())));
    members().values().forEach(member -> keys.accept(AddressKey.of(member.address())));
  }

  /** Whether any VIP is or may become proactive. */
  public boolean hasProactiveVips() {
    return vipIndex.hasProactiveVips();
  }

  /**
   * Whether a VIP at the address with that {@link AddressKey} is or may become proactive. Allocates
   * nothing.
   */
  public boolean mayBeProactive(int addressKey) {
    return vipIndex.mayBeProactive(addressKey);
  }

  /**
   * The VIP of a packet. The most specific one wins: address, protocol and port; address and
   * protocol; address and port; address alone. Allocates nothing.
   *
   * @param addressKey the {@link AddressKey} of its destination
   * @param port the destination port, or the type for ICMP
   */
  public Optional<Vip> vipFor(int addressKey, Protocol protocol, int port) {
    return vipIndex.find(addressKey, protocol, port);
  }

  /**
   * The algorithm for a request: the VIP's, or else the pool's, or else that of the services table
   * for protocol and port, for the port alone, or by default.
   *
   * @param pool the VIP's pool, if it has one
   * @param port the destination port, or the type for ICMP
   */
  public AlgorithmChoice choiceFor(Vip vip, @Nullable Pool pool, Protocol protocol, int port) {
    Algorithm ofVip = vip.algorithm();
    if (ofVip != null) {
      return new AlgorithmChoice(ofVip, Source.VIP, vip);
    }
    Algorithm ofPool = pool == null ? null : pool.algorithm();
    if (pool != null && ofPool != null) {
      return new AlgorithmChoice(ofPool, Source.POOL, pool);
    }
    Service service = serviceFor(protocol, port);
    return new AlgorithmChoice(
        service.algorithm(), service.isDefault() ? Source.DEFAULT : Source.SERVICE, service);
  }

  /** The algorithm of {@link #choiceFor}. Allocates nothing. */
  public Algorithm algorithmFor(Vip vip, @Nullable Pool pool, Protocol protocol, int port) {
    Algorithm chosen = vip.algorithm();
    if (chosen == null && pool != null) {
      chosen = pool.algorithm();
    }
    return chosen == null ? serviceIndex.find(protocol, port).algorithm() : chosen;
  }

  /**
   * The entry of the services table for a request: that for protocol and port, for the port alone,
   * or the default one. Allocates nothing.
   *
   * @param port the destination port, or the type for ICMP
   */
  public Service serviceFor(Protocol protocol, int port) {
    return serviceIndex.find(protocol, port);
  }

  /** The algorithms of requests to a VIP, over all ports. */
  public Set<Algorithm> algorithmsFor(Vip vip, Pool pool) {
    Algorithm fixed = vip.algorithm() != null ? vip.algorithm() : pool.algorithm();
    return fixed != null
        ? Set.of(fixed)
        : services().values().stream().map(Service::algorithm).collect(Collectors.toSet());
  }

  /**
   * Whether the services table has an entry for this port, not only the default one. Allocates
   * nothing.
   */
  public boolean hasService(Protocol protocol, int port) {
    return serviceIndex.names(protocol, port);
  }

  /**
   * What keeps a VIP from rules in advance; null if nothing does. Linear in the members of its
   * pool.
   */
  public @Nullable String obstacleToRulesInAdvance(Vip vip, Pool pool) {
    return vip.placement() == PlacementMode.AUTO ? PlacementRules.obstacle(this, vip, pool) : null;
  }
}
