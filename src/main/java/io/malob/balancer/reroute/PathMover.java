package io.malob.balancer.reroute;

import com.google.common.collect.Maps;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.move.Move;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.ConnectionRuleSender;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.openflow.label.LabelTable;
import io.malob.openflow.label.LabelledPath;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reroutes open connections. The label of the new path is ready before the rule at the edge uses
 * it. The label of the old path is kept until the switch has confirmed the change, and its rules
 * stay for longer than packets are in flight. Thus no packet is lost, and packets are reordered
 * only if they overtake others on a shorter path. Runs on the given executor, which is serial.
 */
public final class PathMover {
  private static final Logger LOG = LoggerFactory.getLogger(PathMover.class);

  /** The min time between two moves of a connection. */
  static final long REST_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final double MEGA = 1e6;

  private final ConnectionTable connections;
  private final LabelTable labels;
  private final ConnectionRuleSender ruleSender;
  private final Executor serialExecutor;
  private final LongSupplier nanoTime;

  /** By generation: while it is dormant, a connection is no object. */
  private final Map<Integer, Long> movedAtNanos = new HashMap<>();

  private final Map<DirectedLink, Long> touchedAtNanos = new HashMap<>();

  /** Changes that their switches have not confirmed. */
  private final List<Change> unconfirmed = new ArrayList<>();

  private final LongAdder moved = new LongAdder();
  private final LongAdder failed = new LongAdder();

  /** A pending change of a rule's label. */
  private record Change(Connection connection, Route route, boolean isReply, LabelledPath old) {}

  public PathMover(
      ConnectionTable connections,
      LabelTable labels,
      ConnectionRuleSender ruleSender,
      Executor serialExecutor,
      LongSupplier nanoTime) {
    this.connections = connections;
    this.labels = labels;
    this.ruleSender = ruleSender;
    this.serialExecutor = serialExecutor;
    this.nanoTime = nanoTime;
  }

  /** Whether the latest move of a connection is long enough ago for another one. */
  boolean isRested(Connection connection) {
    return !movedAtNanos.containsKey(connection.generation());
  }

  /** The links that flows were moved to or from within that time: their utilization is changing. */
  Set<DirectedLink> touchedWithin(long nanos) {
    long now = nanoTime.getAsLong();
    return Set.copyOf(Maps.filterValues(touchedAtNanos, at -> now - at < nanos).keySet());
  }

  /** To be called every second. Removes old entries and retries unconfirmed changes. */
  void tick() {
    long now = nanoTime.getAsLong();
    movedAtNanos.values().removeIf(at -> now - at >= REST_NANOS);
    touchedAtNanos.values().removeIf(at -> now - at >= REST_NANOS);
    List<Change> retried = List.copyOf(unconfirmed);
    unconfirmed.clear();
    retried.forEach(this::send);
  }

  /** Moves a flow to another path as soon as that path is ready. */
  void move(LongFlow longFlow, Move move) {
    long now = nanoTime.getAsLong();
    Path before = longFlow.path();
    movedAtNanos.put(longFlow.connection().generation(), now);
    before.links().forEach(link -> touchedAtNanos.put(link, now));
    move.to().links().forEach(link -> touchedAtNanos.put(link, now));
    LabelledPath label = labels.acquire(move.to());
    CompletableFuture<Void> unused =
        label
            .ready()
            .thenAcceptAsync(
                ready -> changeOver(longFlow, label, ready, before, move), serialExecutor)
            .whenComplete(
                (nothing, failure) -> {
                  if (failure != null) {
                    LOG.error("flow_not_moved", failure);
                  }
                });
  }

  private void changeOver(
      LongFlow longFlow, LabelledPath label, boolean ready, Path before, Move move) {
    Connection connection = longFlow.connection();
    Route route = longFlow.over(label);
    if (!ready || !connection.move(longFlow.route(), route, nanoTime.getAsLong())) {
      labels.release(label);
      failed.increment();
      return;
    }
    moved.increment();
    connections.changed(connection);
    LOG.info(
        "flow_moved direction={} connection=\"{}\" to=\"{}\" from=\"{}\" mbps={}"
            + " mbps_before={}",
        longFlow.isReply() ? "reply" : "request",
        connection,
        label.path(),
        before,
        Math.round(move.afterBps() / MEGA),
        Math.round(move.beforeBps() / MEGA));
    send(new Change(connection, route, longFlow.isReply(), longFlow.labelled()));
  }

  /**
   * Keeps the old label until the switch has confirmed the new one, or the connection has another
   * route.
   */
  private void send(Change change) {
    if (!change.route.equals(change.connection.route())) {
      labels.release(change.old);
      return;
    }
    ruleSender.relabel(
        change.connection,
        change.route,
        change.isReply,
        done ->
            serialExecutor.execute(
                () -> {
                  if (done) {
                    labels.release(change.old);
                  } else {
                    unconfirmed.add(change);
                  }
                }));
  }

  long moved() {
    return moved.sum();
  }

  long failed() {
    return failed.sum();
  }
}
