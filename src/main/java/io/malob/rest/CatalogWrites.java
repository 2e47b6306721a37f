package io.malob.rest;

import io.malob.balancer.api.IBalancerService;
import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import io.malob.resource.Resource;

/**
 * Reports to clients whether a change of the catalog is in force. A change is stored before that,
 * so a change that is not in force yet is not an error: 202. Safe for use by several threads.
 */
record CatalogWrites(IBalancerService balancer) {
  /**
   * The same resource on the latest catalog, which reports if a change is not in force yet, or
   * could not be applied.
   */
  Resource confirmed(Resource change) {
    return call -> {
      Call repeatable = call.repeatable();
      Reply reply = balancer.catalog().onLatest(() -> change.answer(repeatable));
      return switch (balancer.catalogEffect()) {
        case IN_FORCE -> reply;
        case PENDING -> Reply.pending(reply.body());
        case FAILED ->
            throw new RejectedException(
                Reason.FAILED,
                "the change is stored, but could not be applied; the log says why",
                null);
      };
    };
  }
}
