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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the buckets of a VIP depend on, at one moment. Immutable.
 *
 * @param view the view
 * @param network its network, which searches for paths at once
 * @param plan the plan of the VIP's connections
 * @param traffic the VIP's traffic
 * @param candidates the members that take new connections
 * @param standings the standing of the members of the VIP's pool, by number
 * @param nowNanos the time, on the controller's monotonic clock
 */
record Situation(
    BalancerView view,
    NetworkSnapshot network,
    ServicePlan plan,
    BucketTraffic traffic,
    ImmutableList<Server> candidates,
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

  static Situation of(BalancerView view, ServicePlan plan, BucketTraffic traffic, long nowNanos) {
    Map<Integer, Standing> standings = new HashMap<>();
    ImmutableList.Builder<Server> candidates = ImmutableList.builder();
    for (Member member : view.catalog().membersOfPool(plan.pool().id())) {
      @Nullable Server server = plan.members().inTurn(member.number());
      if (server != null) {
        candidates.add(server);
      }
      standings.put(member.number(), standing(view, member, server != null));
    }
    return new Situation(
        view,
        view.network().searchingAtOnce(),
        plan,
        traffic,
        candidates.build(),
        standings,
        nowNanos);
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

  /** The located members of the pool, by number. */
  List<Server> located() {
    List<Server> located = new ArrayList<>();
    for (int number : new TreeSet<>(standings.keySet())) {
      @Nullable Server server = server(number);
      if (server != null) {
        located.add(server);
      }
    }
    return located;
  }

  /** A located member of the pool; null if it is not located or not in the pool. */
  @Nullable Server server(int memberNumber) {
    return standings.containsKey(memberNumber) ? view.servers().get(memberNumber) : null;
  }
}
