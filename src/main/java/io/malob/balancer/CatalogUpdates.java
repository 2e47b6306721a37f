package io.malob.balancer;

import io.malob.balancer.admission.AclDropRules;
import io.malob.balancer.admission.CatalogChange;
import io.malob.balancer.admission.ConnectionResetter;
import io.malob.balancer.admission.VipAnnouncer;
import io.malob.balancer.connection.AffinityTable;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.health.HealthChecks;
import io.malob.balancer.recovery.SwitchPreparation;
import io.malob.balancer.view.ViewWriter;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Vip;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.projectfloodlight.openflow.types.DatapathId;

/** Applies operators' changes of the catalog, and closes the connections that they end. */
final class CatalogUpdates {
  private final Housekeeping housekeeping;
  private final ViewWriter view;
  private final HealthChecks checks;
  private final AffinityTable affinity;
  private final SwitchPreparation preparation;
  private final AclDropRules aclDropRules;
  private final ConnectionTable connections;
  private final ConnectionResetter resetter;
  private final IOFSwitchService switches;
  private final VipAnnouncer announcer;
  private final Runnable whenInView;

  /**
   * Updates by a schedule.
   *
   * @param whenInView is called with each change, after the view has it
   */
  CatalogUpdates(
      Housekeeping housekeeping,
      ViewWriter view,
      HealthChecks checks,
      AffinityTable affinity,
      SwitchPreparation preparation,
      AclDropRules aclDropRules,
      ConnectionTable connections,
      ConnectionResetter resetter,
      IOFSwitchService switches,
      VipAnnouncer announcer,
      Runnable whenInView) {
    this.housekeeping = housekeeping;
    this.view = view;
    this.checks = checks;
    this.affinity = affinity;
    this.preparation = preparation;
    this.aclDropRules = aclDropRules;
    this.connections = connections;
    this.resetter = resetter;
    this.switches = switches;
    this.announcer = announcer;
    this.whenInView = whenInView;
  }

  /**
   * Applies an operator's change of the catalog. The future completes when the change is in force.
   * Thread-safe.
   */
  CompletableFuture<Void> catalogChanged(CatalogSnapshot before, CatalogSnapshot after) {
    return housekeeping.apply(() -> apply(before, after));
  }

  private void apply(CatalogSnapshot before, CatalogSnapshot after) {
    affinity.keep(after.pools().values().stream().anyMatch(pool -> pool.persistence() != null));
    checks.follow(before, after, view.get().servers());
    view.setHealth(checks.health());
    view.setCatalog(after);
    Set<DatapathId> all = switches.getAllSwitchDpids();
    preparation.catalogChanged(before, after, all);
    CatalogChange change = new CatalogChange(before, after);
    closeConnections(change.endedVips(), change.endedMembers());
    if (change.isOfVips()) {
      aclDropRules.reconsider(all);
      announcer.announce(change.newVipAddresses());
      change.denied().ifPresent(denied -> resetter.close(connections.find(denied)));
    }
    whenInView.run();
  }

  /** Closes all connections of these VIPs and members. To be called in a task. */
  void closeConnections(List<Vip> vips, List<Member> members) {
    if (vips.isEmpty() && members.isEmpty()) {
      return;
    }
    Set<Integer> vipNumbers = vips.stream().map(Vip::number).collect(Collectors.toSet());
    Set<Integer> memberNumbers = members.stream().map(Member::number).collect(Collectors.toSet());
    // clients' packets miss from now on; members' packets are forwarded until each connection is
    // reset
    preparation.removeRequests(vipNumbers, memberNumbers, switches.getAllSwitchDpids());
    resetter.close(
        connections.find(
            connection ->
                vipNumbers.contains(connection.vipNumber())
                    || memberNumbers.contains(connection.server().number())));
  }
}
