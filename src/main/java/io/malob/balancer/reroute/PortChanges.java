package io.malob.balancer.reroute;

import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.ConnectionRuleSender;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.openflow.label.LabelledPath;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Changes the rules of connections that name their output port, when the repair of their path has
 * changed that port. Switches without groups have such rules. {@link RulePacer} bounds the rate.
 * For one thread at a time, except for {@link #rerouted} and {@link #isPending}.
 */
public final class PortChanges {
  private final ConnectionTable connections;
  private final ConnectionRuleSender ruleSender;
  private final RulePacer pacer;

  /** Labels whose connections have not been looked for. */
  private final Set<LabelledPath> rerouted = ConcurrentHashMap.newKeySet();

  public PortChanges(
      ConnectionTable connections, ConnectionRuleSender ruleSender, RulePacer pacer) {
    this.connections = connections;
    this.ruleSender = ruleSender;
    this.pacer = pacer;
  }

  /** A label leaves its first switch by another port. Called by any thread. */
  public void rerouted(LabelledPath labelled) {
    rerouted.add(labelled);
  }

  /** Whether there are labels whose connections have not been looked for. Called by any thread. */
  public boolean isPending() {
    return !rerouted.isEmpty();
  }

  /** Finds the rules to change. To be called before the pacer's tick. */
  public void find() {
    if (rerouted.isEmpty()) {
      return;
    }
    Set<LabelledPath> labels = new HashSet<>(rerouted);
    rerouted.removeAll(labels);
    for (Connection connection : connections.findWithRules(any -> any.uses(labels))) {
      @Nullable Route route = connection.route();
      if (route != null) {
        add(connection, route, true, labels);
        add(connection, route, false, labels);
      }
    }
  }

  private void add(
      Connection connection, Route route, boolean isRequest, Set<LabelledPath> labels) {
    if (labels.contains(isRequest ? route.request() : route.reply())
        && ruleSender.namesPort(connection, route, isRequest)) {
      pacer.add(
          connection.edge(isRequest),
          any ->
              Optional.ofNullable(connection.route()) // null if it has no rules any more
                  .flatMap(now -> ruleSender.relabelling(connection, now, !isRequest)));
    }
  }
}
