package io.malob.balancer.admission;

import io.malob.algorithm.Explanation;
import io.malob.balancer.api.ExplainedConnection.Exclusion;
import io.malob.balancer.view.BalancerView;
import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.LoadBalancer;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Vip;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds out why members of a pool cannot be chosen for a connection.
 *
 * @param view the view on which the choice is based
 * @param client the client's address
 * @param backupsRest whether backup members are excluded because another member is chosen
 */
record Exclusions(BalancerView view, int client, boolean backupsRest) {

  /**
   * The reason why a member cannot be chosen; empty if it can be.
   *
   * @param candidate the placer's assessment of the member; null if the placer does not have it
   */
  Optional<Exclusion> of(Member member, Explanation.@Nullable Candidate candidate) {
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
