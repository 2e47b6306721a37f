package io.malob.balancer;

import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionTable;
import java.util.function.Consumer;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Gives connections rules of their own that would reach another member by their bucket.
 * Thread-safe.
 *
 * @param reinstall gives a dormant connection its rules again
 * @param watch lets the controller see packets of a connection that would reach another member
 */
record Pins(
    Buckets buckets,
    ConnectionTable connections,
    Consumer<Connection> reinstall,
    Consumer<Connection> watch) {
  /** How many connections of a VIP at a switch get rules of their own when it becomes proactive. */
  private static final int MAX_PINS = 10_000;

  /** Pins a dormant connection if it needs that. */
  void pin(Connection connection) {
    if (isNeededBy(connection)) {
      reinstall.accept(connection);
    }
  }

  /**
   * Lets the controller see packets of a VIP's connections with rules that come in at another edge
   * with the same clients, whose buckets lead to another member.
   */
  void watchElsewhere(int vipNumber) {
    connections
        .find(
            connection ->
                connection.vipNumber() == vipNumber
                    && connection.state().hasRules()
                    && !buckets
                        .exposedElsewhere(
                            vipNumber,
                            connection.client().switchId(),
                            connection.request(),
                            connection.server().number())
                        .isEmpty())
        .stream()
        .limit(MAX_PINS)
        .forEach(watch);
  }

  /** Pins the dormant connections of a VIP at a switch that need it. */
  void pinExposed(int vipNumber, DatapathId switchId) {
    connections
        .find(
            connection ->
                connection.vipNumber() == vipNumber
                    && connection.client().switchId().equals(switchId)
                    && isNeededBy(connection))
        .stream()
        .limit(MAX_PINS)
        .forEach(reinstall);
  }

  /** Whether a dormant connection that may go on would reach another member by its bucket. */
  private boolean isNeededBy(Connection connection) {
    return connection.state() == Connection.State.DORMANT
        && !connection.isEnded()
        && buckets.isExposed(
            connection.vipNumber(),
            connection.client().switchId(),
            connection.request(),
            connection.server().number());
  }
}
