package io.malob.rest.octavia;

import io.malob.balancer.api.MemberStats;
import io.malob.state.catalog.AdminState;
import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.LoadBalancer;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Operating statuses by Octavia's rules, from the state of members at one moment. A member that is
 * not located is in error as well, because it gets no connections. Immutable.
 */
record Statuses(CatalogSnapshot catalog, BalancerIndex balancers, Map<String, MemberStats> stats) {
  private static final String ONLINE = "ONLINE";
  private static final String OFFLINE = "OFFLINE";
  private static final String DEGRADED = "DEGRADED";
  private static final String ERROR = "ERROR";

  /** The status of an object of any type. */
  String of(CatalogItem item) {
    if (item instanceof Member member) {
      return of(member);
    } else if (item instanceof Pool pool) {
      return of(pool);
    } else if (item instanceof Vip vip) {
      return of(vip);
    } else if (item instanceof LoadBalancer balancer) {
      return of(balancer);
    }
    return item.adminState() == AdminState.DOWN ? OFFLINE : ONLINE;
  }

  private String of(Member member) {
    if (member.adminState() == AdminState.DOWN) {
      return OFFLINE;
    } else if (!member.takesNew()) {
      return "DRAINING";
    }
    @Nullable MemberStats seen = stats.get(member.id());
    if (seen == null || !seen.located()) {
      return ERROR;
    }
    return switch (seen.health()) {
      case UNCHECKED -> "NO_MONITOR";
      case UP -> ONLINE;
      case CHECKING -> OFFLINE;
      case DOWN, EJECTED -> ERROR;
    };
  }

  private String of(Pool pool) {
    return pool.adminState() == AdminState.DOWN
        ? OFFLINE
        : together(catalog.membersOfPool(pool.id()).stream().map(this::of).toList());
  }

  private String of(Vip vip) {
    if (vip.adminState() == AdminState.DOWN) {
      return OFFLINE;
    }
    return together(catalog.poolOfVip(vip.id()).stream().map(this::of).toList());
  }

  private String of(LoadBalancer balancer) {
    return balancer.adminState() == AdminState.DOWN
        ? OFFLINE
        : together(balancers.vips(balancer).stream().map(this::of).toList());
  }

  /** The status of what consists of these: without errors it is online. */
  private static String together(List<String> parts) {
    boolean isFailing = parts.contains(ERROR) || parts.contains(DEGRADED);
    if (!isFailing) {
      return ONLINE;
    }
    return parts.stream().allMatch(ERROR::equals) ? ERROR : DEGRADED;
  }
}
