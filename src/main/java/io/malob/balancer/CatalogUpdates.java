package io.malob.balancer;

import io.malob.algorithm.health.Health;
import io.malob.balancer.Housekeeping.Task;
import io.malob.balancer.admission.CatalogEffects;
import io.malob.balancer.admission.VipAnnouncer;
import io.malob.balancer.health.HealthChecks;
import io.malob.balancer.proactive.ProactiveVips;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Monitor;
import io.malob.state.catalog.Vip;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies operators' changes of the catalog and the results of health checks, and closes the
 * connections that they end. For tasks of one schedule.
 *
 * @param whenInView is called with each change of the catalog, after the view has it
 */
record CatalogUpdates(
    BalancerContext context,
    Viewing viewing,
    Connecting connecting,
    Placing placing,
    ProactiveVips proactive,
    HealthChecks checks,
    VipAnnouncer announcer,
    Runnable whenInView) {
  private static final Logger LOG = LoggerFactory.getLogger(CatalogUpdates.class);

  /** Adds the periodic task. */
  void schedule() {
    context.housekeeping.every(
        VipAnnouncer.TICK_MILLIS, announcer::isDue, new Task("announcing VIPs", announcer::tick));
  }

  /**
   * Applies an operator's change of the catalog. The future completes when the change is in force.
   * Thread-safe.
   */
  CompletableFuture<Void> catalogChanged(CatalogSnapshot before, CatalogSnapshot after) {
    return context.housekeeping.apply(() -> apply(before, after));
  }

  private void apply(CatalogSnapshot before, CatalogSnapshot after) {
    connecting.affinity.keep(
        after.pools().values().stream().anyMatch(pool -> pool.persistence() != null));
    checks.follow(before, after, viewing.view.get().servers());
    viewing.view.setHealth(checks.health());
    viewing.view.setCatalog(after);
    Set<DatapathId> all = context.switches.getAllSwitchDpids();
    proactive.removeEnded(); // before a packet meets the rules of a VIP in its place
    viewing.preparation.catalogChanged(before, after, all);
    CatalogEffects change = new CatalogEffects(before, after);
    List<Member> endedMembers = change.endedMembers();
    if (!endedMembers.isEmpty()) {
      moveBuckets();
    }
    closeConnections(change.endedVips(), endedMembers);
    if (change.isOfVips()) {
      placing.aclDropRules.reconsider(all);
      announcer.announce(change.newVipAddresses());
      change
          .denied()
          .ifPresent(denied -> connecting.resetter.close(connecting.connections.find(denied)));
    }
    whenInView.run();
  }

  /** Puts the results of health checks in force, every {@link HealthChecks#TICK_MILLIS}. */
  void checkMembers() {
    List<HealthChecks.Change> changes = checks.tick(viewing.view.get().servers());
    if (!changes.isEmpty()) {
      viewing.view.setHealth(checks.health());
      viewing.view.refreshHosts();
      changes.forEach(CatalogUpdates::log);
      moveBuckets();
      closeConnections(
          List.of(),
          changes.stream().filter(this::isLost).map(HealthChecks.Change::member).toList());
      placing.requests.retryPending();
    }
  }

  /**
   * Moves the buckets of members that are gone or down, before their connections are closed: one
   * that a bucket opened afterwards would never be answered.
   */
  private void moveBuckets() {
    if (proactive.isNeeded()) {
      proactive.tick();
    }
  }

  /** Closes all connections of these VIPs and members. To be called in a task. */
  private void closeConnections(List<Vip> vips, List<Member> members) {
    if (vips.isEmpty() && members.isEmpty()) {
      return;
    }
    Set<Integer> vipNumbers = vips.stream().map(Vip::number).collect(Collectors.toSet());
    Set<Integer> memberNumbers = members.stream().map(Member::number).collect(Collectors.toSet());
    // clients' packets miss from now on; members' packets are forwarded until each connection is
    // reset
    viewing.preparation.removeRequests(
        vipNumbers, memberNumbers, context.switches.getAllSwitchDpids());
    connecting.resetter.close(
        connecting.connections.find(
            connection ->
                vipNumbers.contains(connection.vipNumber())
                    || memberNumbers.contains(connection.server().number())));
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
