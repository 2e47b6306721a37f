package io.malob.balancer.connection;

import io.malob.algorithm.Placement;
import io.malob.balancer.connection.Connection.Route;
import io.malob.openflow.label.LabelTable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Acquires and releases the labelled paths of connections. Thread-safe. */
public record ConnectionRoutes(LabelTable labels) {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionRoutes.class);

  /** The labelled paths of a placement. They count as used until {@link #release}. */
  public Route acquire(Placement placement) {
    return new Route(
        labels.acquire(placement.requestPath()), labels.acquire(placement.replyPath()));
  }

  public void release(Route route) {
    labels.release(route.request());
    labels.release(route.reply());
  }

  /** Calls back, on any thread, when both paths are ready (true) or one has failed (false). */
  public void whenReady(Route route, Consumer<Boolean> done) {
    CompletableFuture<Void> unused =
        route
            .request()
            .ready()
            .thenCombine(
                route.reply().ready(), (requestReady, replyReady) -> requestReady && replyReady)
            .thenAccept(done)
            .whenComplete(
                (nothing, failure) -> {
                  if (failure != null) {
                    LOG.error(
                        "connection_failed - could not use the paths of a connection", failure);
                  }
                });
  }
}
