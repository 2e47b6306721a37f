package io.malob.balancer.view;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.ServerLoad;
import io.malob.balancer.api.MemberStats;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Vip;
import io.malob.state.network.Measurement;
import io.malob.state.network.ServerMeasurements;
import io.malob.state.network.ServerValue;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The loads of members: their connections here, and what their agents report. The view's writer
 * changes them; any thread may read them.
 */
public final class MemberLoads {
  private final Map<Integer, ServerLoad> loads = new ConcurrentHashMap<>();
  private final DirectConnections direct = new DirectConnections();
  private final Function<IPAddress<?>, ServerMeasurements> measured;
  private final IntUnaryOperator partOf;

  /** The time of each member's latest report. */
  private final Map<Integer, Long> reportedAt = new HashMap<>();

  /**
   * No loads.
   *
   * @param measured the measurements of the server at an address that are not too old
   * @param partOf this controller's part of a limit
   */
  public MemberLoads(Function<IPAddress<?>, ServerMeasurements> measured, IntUnaryOperator partOf) {
    this.measured = measured;
    this.partOf = partOf;
  }

  /** The load of a member. */
  ServerLoad of(Member member) {
    return loads.computeIfAbsent(member.number(), any -> new ServerLoad(partOf));
  }

  /** Forgets the members that are not in the catalog. */
  void retain(CatalogSnapshot catalog) {
    Set<Integer> numbers =
        catalog.members().values().stream().map(Member::number).collect(Collectors.toSet());
    loads.keySet().retainAll(numbers);
    direct.retain(numbers);
    reportedAt.keySet().retainAll(numbers);
  }

  /** Takes over the report about a member; whether that changed its load. */
  boolean refresh(Member member, CatalogSnapshot catalog) {
    @Nullable ServerLoad load = loads.get(member.number());
    if (load == null) {
      return false;
    }
    ServerMeasurements now = measured.apply(member.address());
    int directNow = direct.of(member, now, catalog, loads);
    boolean isChanged = directNow != load.direct();
    load.setDirect(directNow);
    return takeOver(member.number(), now, load) || isChanged;
  }

  /** Whether the member's report has changed. */
  private boolean takeOver(int number, ServerMeasurements now, ServerLoad load) {
    @Nullable Long at = now.reportedAtNanos();
    if (at == null) {
      load.forgetReport();
      return reportedAt.remove(number) != null;
    }
    if (at.equals(reportedAt.put(number, at))) {
      return false;
    }
    load.reported(valueOf(now.value(ServerValue.CPU)), valueOf(now.value(ServerValue.RESPONSE)));
    return true;
  }

  private static double valueOf(@Nullable Measurement measurement) {
    return measurement == null ? Double.NaN : measurement.value();
  }

  /**
   * Takes over the estimated connections of members, by number; others have none.
   *
   * @return the numbers of the members whose loads have changed
   */
  Set<Integer> setEstimated(Map<Integer, Integer> estimated) {
    Set<Integer> changed = new HashSet<>();
    loads.forEach(
        (number, load) -> {
          int before = load.estimated();
          load.setEstimated(estimated.getOrDefault(number, 0));
          if (before != load.estimated()) {
            changed.add(number);
          }
        });
    return changed;
  }

  /** Adds connections that switches have placed on a member to its total. */
  public void addPlaced(int memberNumber, long connections) {
    @Nullable ServerLoad load = loads.get(memberNumber);
    if (load != null) {
      load.placed(connections);
    }
  }

  /** The estimated connections of all members of a VIP's pool. */
  public int estimatedConnections(Vip vip, CatalogSnapshot catalog) {
    return catalog.poolOfVip(vip.id()).stream()
        .flatMap(pool -> catalog.membersOfPool(pool.id()).stream())
        .map(member -> loads.get(member.number()))
        .mapToInt(load -> load == null ? 0 : load.estimated())
        .sum();
  }

  /** The connections that a member's agent has reported; empty if it has not. */
  public OptionalInt reportedConnections(Member member) {
    return DirectConnections.reported(member, measured.apply(member.address())).stream()
        .mapToInt(DirectConnections.Reported::connections)
        .findFirst();
  }

  /** The connections that were placed on each member with connections, by member id. */
  public Map<String, Long> totalConnections(CatalogSnapshot catalog) {
    Map<String, Long> totals = new HashMap<>();
    for (Member member : catalog.members().values()) {
      @Nullable ServerLoad load = loads.get(member.number());
      long total = load == null ? 0 : load.total();
      if (total > 0) {
        totals.put(member.id(), total);
      }
    }
    return totals;
  }

  /** The counts of all members in the catalog, by member id. */
  public Map<String, MemberStats> stats(BalancerView view) {
    ImmutableMap.Builder<String, MemberStats> stats = ImmutableMap.builder();
    for (Member member : view.catalog().members().values()) {
      @Nullable ServerLoad load = loads.get(member.number());
      boolean isLocated = view.servers().containsKey(member.number());
      stats.put(
          member.id(),
          load == null
              ? MemberStats.unknown(isLocated)
              : new MemberStats(
                  load.active() + load.estimated(),
                  load.total(),
                  reportedConnections(member),
                  load.estimated(),
                  load.direct(),
                  isLocated,
                  view.health(member),
                  load.share()));
    }
    return stats.build();
  }
}
