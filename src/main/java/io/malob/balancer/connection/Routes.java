package io.malob.balancer.connection;

import io.malob.algorithm.Placement;
import io.malob.balancer.connection.Connection.Route;
import io.malob.openflow.label.LabelTable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The pairs of labelled paths that connections use. Thread-safe. */
public final class Routes {
  private static final Logger LOG = LoggerFactory.getLogger(Routes.class);

  private final LabelTable labels;

  public Routes(LabelTable labels) {
    this.labels = labels;
  }

  /** The labelled paths of a placement, counted as used until they are released. */
  public Route acquire(Placement placement) {
    return new Route(
        labels.acquire(placement.requestPath()), labels.acquire(placement.replyPath()));
  }

  public void release(Route route) {
    labels.release(route.request());
    labels.release(route.reply());
  }

  /** Tells, on any thread, when both paths are ready (true) or one of them has failed (false). */
  public void whenReady(Route route, Consumer<Boolean> done) {
    CompletableFuture<Void> unused =
        route
            .request()
            .ready()
            .thenCombine(route.reply().ready(), (there, back) -> there && back)
            .thenAccept(done)
            .whenComplete(
                (nothing, failure) -> {
                  if (failure != null) {
                    LOG.error("connection_failed - it could not use its paths", failure);
                  }
                });
  }
}
