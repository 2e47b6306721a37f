package io.malob.balancer.admission;

import io.malob.algorithm.Explanation;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.balancer.connection.AffinityTable;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.ServicePlan;
import io.malob.state.catalog.Persistence;
import org.jspecify.annotations.Nullable;

/** Chooses the member and the paths of one connection. */
sealed interface MemberChoice {
  /** Chooses among the acceptable members. Turns go on, and clients' members are kept. */
  Placer.Result choose(Placer.Request request);

  /** The choice that {@link #choose} would make now, with its reasons. Changes nothing. */
  Explanation explain(Placer.Request request);

  private static Explanation on(Placer.Result result, String why, Explanation ofPlacer) {
    return new Explanation(result, new Reason(why, "none"), ofPlacer.path(), ofPlacer.candidates());
  }

  /** By the algorithm alone. */
  record ByAlgorithm(Placer placer, NetworkSnapshot network) implements MemberChoice {
    @Override
    public Placer.Result choose(Placer.Request request) {
      return placer.place(request, network);
    }

    @Override
    public Explanation explain(Placer.Request request) {
      return placer.explain(request, network);
    }
  }

  /** The member that the client had last, and another one only if that cannot take it. */
  record ByPersistence(
      AffinityTable affinity,
      Persistence persistence,
      int client,
      ServicePlan plan,
      NetworkSnapshot network)
      implements MemberChoice {
    @Override
    public Placer.Result choose(Placer.Request request) {
      int before = memberBefore();
      Placer.Result result = placeOn(before, request, network);
      if (!(result instanceof Placement)) {
        result = plan.placer().place(request, network);
      }
      if (!(result instanceof Placement placement)) {
        return result;
      }
      int chosen = placement.server().number();
      int now =
          affinity.remember(
              plan.vip().number(), client, chosen, before, persistence.timeoutSeconds());
      return now != chosen && placeOn(now, request, network) instanceof Placement others
          ? others
          : result;
    }

    @Override
    public Explanation explain(Placer.Request request) {
      Explanation ofPlacer = plan.placer().explain(request, network);
      return placeOn(memberBefore(), request, network.trial()) instanceof Placement kept
          ? on(kept, "the member that the client had last (session persistence)", ofPlacer)
          : ofPlacer;
    }

    private int memberBefore() {
      return affinity.memberOf(plan.vip().number(), client, persistence.timeoutSeconds());
    }

    private Placer.Result placeOn(int member, Placer.Request request, NetworkSnapshot in) {
      @Nullable Server server = member == AffinityTable.NONE ? null : plan.members().inTurn(member);
      return server == null || !request.acceptable().test(server)
          ? Placer.Refusal.NOT_ACCEPTABLE
          : plan.placer().placeOn(server, request, in);
    }
  }

  /** The member of its bucket, unless the client cannot be its client. */
  record ByBucket(Server member, ServicePlan plan, BalancerView view) implements MemberChoice {
    @Override
    public Placer.Result choose(Placer.Request request) {
      return request.acceptable().test(member)
          ? placeOnMember(request, view.network())
          : plan.placer().place(request, view.network());
    }

    @Override
    public Explanation explain(Placer.Request request) {
      return request.acceptable().test(member)
          ? explain(placeOnMember(request, view.network().trial()), request, plan, view)
          : plan.placer().explain(request, view.network());
    }

    /** A result that a bucket has led to. */
    static Explanation explain(
        Placer.Result result, Placer.Request request, ServicePlan plan, BalancerView view) {
      return on(
          result,
          "the member of its bucket",
          plan.placer()
              .explain(
                  new Placer.Request(request.clientSwitch(), any -> true, request.profile()),
                  view.network()));
    }

    private Placer.Result placeOnMember(Placer.Request request, NetworkSnapshot network) {
      @Nullable Server now = view.servers().get(member.number());
      return now == null ? Placer.Refusal.NO_SERVER : plan.placer().placeOn(now, request, network);
    }
  }

  /** The member of a control connection, regardless of its load. */
  record ByControl(Server target, Placer placer, NetworkSnapshot network) implements MemberChoice {
    @Override
    public Placer.Result choose(Placer.Request request) {
      return placeOn(request, network);
    }

    @Override
    public Explanation explain(Placer.Request request) {
      return on(
          placeOn(request, network.trial()),
          "the member of the client's FTP control connection",
          placer.explain(
              new Placer.Request(
                  request.clientSwitch(),
                  server -> server.number() == target.number(),
                  request.profile()),
              network));
    }

    private Placer.Result placeOn(Placer.Request request, NetworkSnapshot in) {
      return request.acceptable().test(target)
          ? placer.placeOn(target, request, in)
          : Placer.Refusal.NOT_ACCEPTABLE;
    }
  }
}
