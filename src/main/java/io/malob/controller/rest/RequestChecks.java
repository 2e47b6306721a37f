package io.malob.controller.rest;

import io.malob.controller.access.AccessDecision.Refused;
import io.malob.controller.access.RequestHead;
import io.malob.controller.http.HeadCheck;
import io.malob.resource.DeclaresDemands;
import io.malob.resource.Demand;
import io.malob.resource.Effect;
import java.util.List;
import java.util.OptionalInt;
import net.floodlightcontroller.restserver.RestletRoutable;
import org.restlet.Request;

/**
 * Before the body of a request is read: its sender has permission, and its resource takes a body of
 * that size.
 */
final class RequestChecks implements HeadCheck {
  private final AccessPolicy policy;
  private final RequestEffects effects;
  private final Declarations<DeclaresDemands> demands;

  /** Checks of these resources. */
  RequestChecks(AccessPolicy policy, RequestEffects effects, List<RestletRoutable> routables) {
    this.policy = policy;
    this.effects = effects;
    demands = new Declarations<>(routables, DeclaresDemands.class);
  }

  @Override
  public OptionalInt bodyLimit(Request request) {
    RequestHead head = AccessFilter.headOf(request);
    if (policy.decide(head) instanceof Refused refused) {
      AccessFilter.refuseLater(request, refused);
      return OptionalInt.empty();
    }
    return OptionalInt.of(demandOf(head).maxBodyBytes());
  }

  @Override
  public Wait waitOf(Request request) {
    RequestHead head = AccessFilter.headOf(request);
    if (demandOf(head).waits()) {
      return Wait.SWITCH;
    }
    return effects.of(head) == Effect.WRITE ? Wait.STORE : Wait.NOTHING;
  }

  private Demand demandOf(RequestHead head) {
    return demands
        .at(head.path(), (resources, path) -> resources.demandOf(head.method(), path))
        .reduce(Demand.USUAL, Demand::or);
  }
}
