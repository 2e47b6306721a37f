package io.malob.balancer.proactive;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Server;
import io.malob.algorithm.health.Health;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.ServicePlan;
import io.malob.openflow.bucket.BucketTraffic;
import io.malob.state.catalog.AdminState;
import io.malob.state.catalog.Member;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * What the buckets of a VIP depend on, at one moment. Immutable.
 *
 * @param view the view
 * @param network its network, which searches for paths at once
 * @param plan the plan of the VIP's connections
 * @param traffic the VIP's traffic
 * @param candidates the members that take new connections
 * @param located the located members of the pool, by number
 * @param standings the standing of the members of the VIP's pool, by number
 * @param nowNanos the time, on the controller's monotonic clock
 */
record BucketInput(
    BalancerView view,
    NetworkSnapshot network,
    ServicePlan plan,
    BucketTraffic traffic,
    ImmutableList<Server> candidates,
    ImmutableList<Server> located,
    Map<Integer, Standing> standings,
    long nowNanos) {

  /** What a member takes. */
  enum Standing {
    /** New connections. */
    LIVE,
    /** No new connections; established ones go on. */
    DRAINING,
    /**
     * It is not located or not checked yet. This may change soon, so its buckets stay for a while.
     */
    ABSENT,
    /** Nothing. */
    DEAD
  }

  static BucketInput of(BalancerView view, ServicePlan plan, BucketTraffic traffic, long nowNanos) {
    Map<Integer, Standing> standings = new HashMap<>();
    ImmutableList.Builder<Server> candidates = ImmutableList.builder();
    for (Member member : view.catalog().membersOfPool(plan.pool().id())) {
      @Nullable Server server = plan.members().inTurn(member.number());
      if (server != null) {
        candidates.add(server);
      }
      standings.put(member.number(), standing(view, member, server != null));
    }
    return new BucketInput(
        view,
        view.network().searchingAtOnce(),
        plan,
        traffic,
        candidates.build(),
        located(view, standings.keySet()),
        standings,
        nowNanos);
  }

  /** Whether the address of a member of the VIP's pool is such a one. */
  boolean hasMember(Predicate<IPAddress<?>> such) {
    return view.catalog().membersOfPool(plan.pool().id()).stream()
        .anyMatch(member -> such.test(member.address()));
  }

  /** Whether a member of the VIP's pool has a limit of its own. */
  boolean hasLimits() {
    return view.catalog().membersOfPool(plan.pool().id()).stream()
        .anyMatch(member -> member.connectionLimit() != null);
  }

  private static Standing standing(BalancerView view, Member member, boolean takesNew) {
    if (takesNew) {
      return Standing.LIVE;
    }
    if (member.adminState() == AdminState.DOWN || view.health(member) == Health.DOWN) {
      return Standing.DEAD;
    }
    boolean isAbsent =
        view.health(member) == Health.CHECKING || !view.servers().containsKey(member.number());
    return isAbsent ? Standing.ABSENT : Standing.DRAINING;
  }

  Standing standing(int memberNumber) {
    return standings.getOrDefault(memberNumber, Standing.DEAD);
  }

  private static ImmutableList<Server> located(BalancerView view, Set<Integer> numbers) {
    ImmutableList.Builder<Server> located = ImmutableList.builder();
    for (int number : new TreeSet<>(numbers)) {
      @Nullable Server server = view.servers().get(number);
      if (server != null) {
        located.add(server);
      }
    }
    return located.build();
  }

  /** Whether each member is drained or dead, not just absent for a while. */
  boolean takesNothing() {
    return candidates.isEmpty() && !standings.containsValue(Standing.ABSENT);
  }

  /** Whether the view is the same as in another input. */
  @SuppressWarnings("ReferenceEquality") // views are immutable and large
  boolean hasViewOf(BucketInput other) {
    return view == other.view;
  }

  /** Whether the members, and what they take, are the same as in another input. */
  boolean hasMembersOf(BucketInput other) {
    return hasViewOf(other)
        || (standings.equals(other.standings)
            && candidates.equals(other.candidates)
            && located.equals(other.located));
  }

  /** A located member of the pool; null if it is not located or not in the pool. */
  @Nullable Server server(int memberNumber) {
    return standings.containsKey(memberNumber) ? view.servers().get(memberNumber) : null;
  }
}
