package io.malob.balancer;

import io.malob.algorithm.health.Health;
import io.malob.balancer.admission.RequestHandler;
import io.malob.balancer.health.HealthChecks;
import io.malob.balancer.view.ViewWriter;
import io.malob.state.catalog.Monitor;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts the results of health checks in force. For tasks of one schedule. */
final class MemberChecks {
  private static final Logger LOG = LoggerFactory.getLogger(MemberChecks.class);

  private final HealthChecks checks;
  private final ViewWriter view;
  private final CatalogUpdates catalog;
  private final RequestHandler requests;

  MemberChecks(
      HealthChecks checks, ViewWriter view, CatalogUpdates catalog, RequestHandler requests) {
    this.checks = checks;
    this.view = view;
    this.catalog = catalog;
    this.requests = requests;
  }

  /** To be called every {@link HealthChecks#TICK_MILLIS}. */
  void tick() {
    List<HealthChecks.Change> changes = checks.tick(view.get().servers());
    if (!changes.isEmpty()) {
      view.setHealth(checks.health());
      view.refreshHosts();
      changes.forEach(MemberChecks::log);
      catalog.closeConnections(
          List.of(),
          changes.stream().filter(this::isLost).map(HealthChecks.Change::member).toList());
      requests.retryPending();
    }
  }

  /**
   * Whether the open connections of a member must be reset. If most of a pool seems to be down,
   * lost answers are more likely than failed members.
   */
  private boolean isLost(HealthChecks.Change change) {
    return change.now() == Health.DOWN
        && change.monitor().onDown() == Monitor.OnDown.RESET
        && checks.majorityIsUp(change.monitor());
  }

  private static void log(HealthChecks.Change change) {
    if (change.now() == Health.DOWN) {
      LOG.warn(
          "member_down member={} address={} monitor={} - it gets no new connections",
          change.member().id(),
          change.member().address(),
          change.monitor().id());
    } else {
      LOG.info(
          "member_up member={} address={} monitor={}",
          change.member().id(),
          change.member().address(),
          change.monitor().id());
    }
  }
}
