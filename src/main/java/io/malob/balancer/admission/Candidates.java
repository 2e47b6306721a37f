package io.malob.balancer.admission;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.malob.algorithm.Explanation;
import io.malob.balancer.api.ExplainedConnection.Candidate;
import io.malob.balancer.api.ExplainedConnection.Exclusion;
import io.malob.balancer.api.ExplainedConnection.Outcome;
import io.malob.balancer.api.ExplainedConnection.Placed;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.ServicePlan;
import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.LoadBalancer;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Vip;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Shows the members of a pool as candidates for a connection, and why some cannot be chosen.
 *
 * @param view the view on which the choice is based
 * @param client the client's address
 * @param backupsRest whether backup members are excluded because another member is chosen
 */
record Candidates(BalancerView view, int client, boolean backupsRest) {

  /**
   * All members of a plan's pool.
   *
   * @param client the client's address
   */
  static ImmutableList<Candidate> of(
      ServicePlan plan, Explanation explanation, Outcome outcome, int client, BalancerView view) {
    Map<Integer, Explanation.Candidate> byNumber =
        Maps.uniqueIndex(explanation.candidates(), each -> each.server().number());
    List<Member> members = view.catalog().membersOfPool(plan.pool().id());
    Candidates candidates = new Candidates(view, client, isUsual(outcome, members));
    return members.stream()
        .map(member -> candidates.of(member, byNumber.get(member.number())))
        .collect(ImmutableList.toImmutableList());
  }

  /** Whether a member is chosen, and is no backup. */
  private static boolean isUsual(Outcome outcome, List<Member> members) {
    return outcome instanceof Placed placed
        && members.stream()
            .anyMatch(
                member ->
                    member.number() == placed.placement().server().number() && !member.backup());
  }

  private Candidate of(Member member, Explanation.@Nullable Candidate placed) {
    Optional<Exclusion> excluded = exclusion(member, placed);
    return placed == null
        ? new Candidate(member, null, Optional.empty(), ImmutableMap.of(), excluded)
        : new Candidate(member, placed.server(), placed.paths(), placed.values(), excluded);
  }

  /**
   * The reason why a member cannot be chosen; empty if it can be.
   *
   * @param candidate the placer's assessment of the member; null if the placer does not have it
   */
  private Optional<Exclusion> exclusion(Member member, Explanation.@Nullable Candidate candidate) {
    if (candidate == null) {
      return Optional.of(notInPool(member));
    }
    if (member.backup() && backupsRest) {
      return Optional.of(Exclusion.BACKUP);
    }
    if (candidate.server().isFull()) {
      return Optional.of(Exclusion.FULL);
    }
    if (!candidate.acceptable()) {
      return Optional.of(
          candidate.server().address() == client
              ? Exclusion.CLIENT_ITSELF
              : Exclusion.BEHIND_CLIENTS_PORT);
    }
    return candidate.paths().isEmpty() ? Optional.of(Exclusion.NO_ROUTE) : Optional.empty();
  }

  private Exclusion notInPool(Member member) {
    Optional<CatalogItem> down = view.catalog().vipOf(member).flatMap(view.catalog()::downFor);
    if (down.isPresent()) {
      return down.get() instanceof LoadBalancer
          ? Exclusion.LOAD_BALANCER_DOWN
          : down.get() instanceof Vip ? Exclusion.VIP_DOWN : Exclusion.POOL_DOWN;
    }
    return switch (member.adminState()) {
      case DRAIN -> Exclusion.DRAIN;
      case DOWN -> Exclusion.DOWN;
      case UP -> notInPoolThoughUp(member);
    };
  }

  private Exclusion notInPoolThoughUp(Member member) {
    if (!member.takesNew()) {
      return Exclusion.NO_WEIGHT;
    }
    return switch (view.health(member)) {
      case UNCHECKED, UP -> Exclusion.NOT_LOCATED;
      case CHECKING, DOWN -> Exclusion.CHECKS;
      case EJECTED -> Exclusion.EJECTED;
    };
  }
}
