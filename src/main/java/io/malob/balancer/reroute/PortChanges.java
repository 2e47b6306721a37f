package io.malob.balancer.reroute;

import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.ConnectionProgrammer;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.openflow.label.LabelledPath;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Changes the rules of connections that name their output port, when the repair of their path has
 * changed that port. Switches without groups have such rules. It changes at most {@link #PER_TICK}
 * rules of a switch per tick, and waits for the switch to confirm them. For one thread at a time,
 * except for {@link #rerouted} and {@link #isPending}.
 */
public final class PortChanges {
  public static final long TICK_MILLIS = 50;

  /** 1,000 rules per second and switch. */
  static final int PER_TICK = 50;

  private final ConnectionTable connections;
  private final ConnectionProgrammer programmer;
  private final Executor serialExecutor;

  /** Labels whose connections have not been looked for. */
  private final Set<LabelledPath> rerouted = ConcurrentHashMap.newKeySet();

  private final Map<DatapathId, Queue<Change>> waiting = new TreeMap<>();

  private volatile boolean isWaiting;

  /** The changes that their switches have not confirmed, by switch. */
  private final Map<DatapathId, Integer> unconfirmed = new TreeMap<>();

  private final LongAdder changed = new LongAdder();

  /** One direction of a connection whose rule is to be changed. */
  private record Change(Connection connection, boolean isRequest) {
    DatapathId at() {
      return connection.edge(isRequest);
    }

    boolean uses(Set<LabelledPath> labels, Route route) {
      return labels.contains(isRequest ? route.request() : route.reply());
    }
  }

  public PortChanges(
      ConnectionTable connections, ConnectionProgrammer programmer, Executor serialExecutor) {
    this.connections = connections;
    this.programmer = programmer;
    this.serialExecutor = serialExecutor;
  }

  /** A label leaves its first switch by another port. Called by any thread. */
  public void rerouted(LabelledPath labelled) {
    rerouted.add(labelled);
  }

  /** Whether there is anything to do. Called by any thread. */
  public boolean isPending() {
    return isWaiting || !rerouted.isEmpty();
  }

  /** How many rules have been changed. */
  public long changed() {
    return changed.sum();
  }

  /** Changes some rules. To be called every {@link #TICK_MILLIS}. */
  public void tick() {
    if (!rerouted.isEmpty()) {
      find();
    }
    for (Map.Entry<DatapathId, Queue<Change>> entry : waiting.entrySet()) {
      int free = PER_TICK - unconfirmed.getOrDefault(entry.getKey(), 0);
      for (int i = 0; i < free && !entry.getValue().isEmpty(); i++) {
        change(entry.getValue().remove());
      }
    }
    waiting.values().removeIf(Queue::isEmpty);
    isWaiting = !waiting.isEmpty();
  }

  private void find() {
    Set<LabelledPath> labels = new HashSet<>(rerouted);
    rerouted.removeAll(labels);
    for (Connection connection : connections.findWithRules(any -> any.uses(labels))) {
      @Nullable Route route = connection.route();
      if (route != null) {
        add(new Change(connection, true), labels, route);
        add(new Change(connection, false), labels, route);
      }
    }
  }

  private void add(Change change, Set<LabelledPath> labels, Route route) {
    if (change.uses(labels, route)
        && programmer.namesPort(change.connection, route, change.isRequest)) {
      waiting.computeIfAbsent(change.at(), any -> new ArrayDeque<>()).add(change);
    }
  }

  private void change(Change change) {
    @Nullable Route route = change.connection.route();
    if (route == null) {
      return; // it has no rules any more
    }
    DatapathId at = change.at();
    unconfirmed.merge(at, 1, Integer::sum);
    programmer.relabel(
        change.connection,
        route,
        !change.isRequest,
        done ->
            serialExecutor.execute(
                () -> {
                  // a switch that has not confirmed it is read when it is back
                  unconfirmed.computeIfPresent(at, (any, count) -> count == 1 ? null : count - 1);
                  if (done) {
                    changed.increment();
                  }
                }));
  }
}
