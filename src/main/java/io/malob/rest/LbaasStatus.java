package io.malob.rest;

import io.malob.balancer.api.MemberStats;
import io.malob.state.catalog.AdminState;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The operating status in OpenStack's form, from the state of members at one moment: a member that
 * is not located, or fails its checks, gets no connections.
 */
final class LbaasStatus {
  private static final String ONLINE = "ONLINE";
  private static final String DRAINING = "DRAINING";
  private static final String OFFLINE = "OFFLINE";
  private static final String DEGRADED = "DEGRADED";
  private static final String ERROR = "ERROR";

  private final CatalogSnapshot catalog;
  private final Map<String, MemberStats> stats;

  LbaasStatus(CatalogSnapshot catalog, Map<String, MemberStats> stats) {
    this.catalog = catalog;
    this.stats = stats;
  }

  String of(Member member) {
    if (member.adminState() == AdminState.DOWN) {
      return OFFLINE;
    } else if (!member.takesNew()) {
      return DRAINING;
    }
    @Nullable MemberStats seen = stats.get(member.id());
    if (seen == null || !seen.located()) {
      return ERROR;
    }
    return switch (seen.health()) {
      case UNCHECKED, UP -> ONLINE;
      case CHECKING -> OFFLINE;
      case DOWN, EJECTED -> ERROR;
    };
  }

  /** The status of the members that may take connections; offline if there are none. */
  String of(Pool pool) {
    return together(
        catalog.membersOfPool(pool.id()).stream()
            .filter(Member::takesNew)
            .map(this::of)
            .collect(Collectors.toList()));
  }

  String of(Vip vip) {
    Optional<Pool> pool = catalog.poolOfVip(vip.id());
    return pool.isEmpty() ? OFFLINE : of(pool.get());
  }

  /** The status of all VIPs at an address. */
  String of(Collection<Vip> vips) {
    return together(vips.stream().map(this::of).collect(Collectors.toList()));
  }

  private static String together(List<String> all) {
    if (all.isEmpty()) {
      return OFFLINE;
    }
    return all.stream().distinct().count() == 1 ? all.get(0) : DEGRADED;
  }
}
