package io.malob.balancer.admission;

import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.balancer.connection.AffinityTable;
import io.malob.balancer.view.PoolView;
import io.malob.balancer.view.ServicePlan;
import io.malob.state.catalog.Persistence;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the member that the client had last, and another one only if that cannot take it.
 *
 * @param otherwise what chooses then
 * @param members those that there are to choose from
 */
record AffinityPicker(
    AffinityTable memory,
    Persistence persistence,
    int vipNumber,
    int client,
    PoolView members,
    Placer otherwise,
    NetworkSnapshot network)
    implements AdmissionControl.Choice {

  /** For the clients of a plan, whose pool has persistence. */
  static AffinityPicker of(
      AffinityTable memory, ServicePlan plan, int client, NetworkSnapshot network) {
    return new AffinityPicker(
        memory,
        Objects.requireNonNull(plan.pool().persistence()),
        plan.vip().number(),
        client,
        plan.members(),
        plan.placer(),
        network);
  }

  @Override
  public Placer.Result choose(Placer.Request request) {
    int before = memberBefore();
    Placer.Result result = placeOn(before, request);
    if (!(result instanceof Placement)) {
      result = otherwise.place(request, network);
    }
    if (!(result instanceof Placement placement)) {
      return result;
    }
    int chosen = placement.server().number();
    int now = memory.remember(vipNumber, client, chosen, before, persistence.timeoutSeconds());
    return now != chosen && placeOn(now, request) instanceof Placement others ? others : result;
  }

  /** A place on the member that the client had last, or that it cannot be taken. Keeps nothing. */
  Placer.Result keep(Placer.Request request) {
    return placeOn(memberBefore(), request);
  }

  private int memberBefore() {
    return memory.memberOf(vipNumber, client, persistence.timeoutSeconds());
  }

  private Placer.Result placeOn(int member, Placer.Request request) {
    @Nullable Server server = member == AffinityTable.NONE ? null : members.inTurn(member);
    return server == null || !request.acceptable().test(server)
        ? Placer.Refusal.NOT_ACCEPTABLE
        : otherwise.placeOn(server, request, network);
  }
}
