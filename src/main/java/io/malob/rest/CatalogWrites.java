package io.malob.rest;

import io.malob.balancer.api.IBalancerService;
import java.io.IOException;
import java.util.Set;

/**
 * Tells those who change the catalog whether the change is in force. A change is stored before
 * that, so the answer to one that is not in force is no error as long as it will be: 202. Safe for
 * use by several threads.
 */
final class CatalogWrites {
  private final IBalancerService balancer;

  CatalogWrites(IBalancerService balancer) {
    this.balancer = balancer;
  }

  /** Answers a request that may change the catalog. */
  interface Answerer {
    Reply answer(Call call) throws IOException, RefusedException;
  }

  /** The answer, or that the change is not in force yet, or could not be put in force. */
  Reply answer(Call call, Answerer answerer) throws IOException, RefusedException {
    Reply reply = answerer.answer(call);
    if (Set.of("GET", "HEAD").contains(call.method()) || call.query().contains("dry_run=true")) {
      return reply;
    }
    return switch (balancer.catalogEffect()) {
      case IN_FORCE -> reply;
      case PENDING -> Reply.pending(reply.body());
      case FAILED ->
          throw new RefusedException(
              500, "the change is stored, but could not be put in force; the log says why", null);
    };
  }
}
