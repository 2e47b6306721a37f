package io.malob.balancer;

import io.malob.algorithm.Attachment;
import io.malob.balancer.Housekeeping.Task;
import io.malob.balancer.admission.Relocations;
import io.malob.balancer.bucket.VipNextHops;
import io.malob.balancer.connection.CoreAccess;
import io.malob.balancer.recovery.SwitchRecovery;
import io.malob.balancer.view.BalancerView;
import io.malob.module.AttachedHosts;
import io.malob.module.NetworkEvents;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import net.floodlightcontroller.devicemanager.IDevice;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/** Schedules the tasks that follow when switches, links or hosts change. Thread-safe. */
final class NetworkChanges implements NetworkEvents.Follower {
  private final Housekeeping housekeeping;
  private final Supplier<BalancerView> views;
  private final SwitchRecovery switchRecovery;
  private final Relocations relocations;
  private final CoreAccess coreAccess;
  private final VipNextHops nextHops;
  private final Reactions reactions;
  private final Function<DatapathId, ? extends CompletableFuture<?>> capabilities;

  /** The number of pending changes of the topology. */
  private final AtomicInteger topologyChanges = new AtomicInteger();

  /** Whether a switch that new connections can use before it is read waits for that. */
  private final AtomicBoolean usableWaits = new AtomicBoolean();

  private final AtomicInteger hostChanges = new AtomicInteger();

  /** Whether one of the pending changes is of a member; for housekeeping only. */
  private boolean memberChanged;

  /**
   * The tasks that follow.
   *
   * @param topology when links or switches were added or removed
   * @param member when a member's host has changed
   * @param host when any host has changed
   * @param switchRemoved when a switch has disconnected or is no longer controlled
   * @param leadsToMembers whether an address is that of a router to members
   * @param hostMoved when a host is attached elsewhere; on the thread that has found that
   */
  record Reactions(
      List<Task> topology,
      List<Task> member,
      List<Task> host,
      Consumer<DatapathId> switchRemoved,
      Predicate<IPAddress<?>> leadsToMembers,
      Consumer<Attachment> hostMoved) {}

  /**
   * Schedules tasks.
   *
   * @param capabilities completes when the layout of a switch's tables is known
   */
  NetworkChanges(
      Housekeeping housekeeping,
      Supplier<BalancerView> views,
      SwitchRecovery switchRecovery,
      Relocations relocations,
      CoreAccess coreAccess,
      VipNextHops nextHops,
      Reactions reactions,
      Function<DatapathId, ? extends CompletableFuture<?>> capabilities) {
    this.housekeeping = housekeeping;
    this.views = views;
    this.switchRecovery = switchRecovery;
    this.relocations = relocations;
    this.coreAccess = coreAccess;
    this.nextHops = nextHops;
    this.reactions = reactions;
    this.capabilities = capabilities;
  }

  /**
   * Handles added or removed links and switches. Of several pending changes, the last one handles
   * all.
   */
  @Override
  public void topologyChanged() {
    topologyChanges.incrementAndGet();
    housekeeping.execute(
        () -> {
          if (topologyChanges.decrementAndGet() == 0) {
            housekeeping.run(reactions.topology);
          }
        });
  }

  /**
   * Handles a host that was added, moved, changed or removed. Of several pending changes, the last
   * one handles all.
   */
  @Override
  public void hostChanged(IDevice device) {
    List<IPAddress<?>> addresses = AttachedHosts.addressesOf(device);
    hostChanges.incrementAndGet();
    housekeeping.execute(
        () -> {
          boolean isLast = hostChanges.decrementAndGet() == 0;
          housekeeping.run(List.of(new Task("finding a host's members", () -> note(addresses))));
          if (!isLast) {
            return;
          }
          if (memberChanged) {
            memberChanged = false;
            housekeeping.run(reactions.member);
          }
          housekeeping.run(reactions.host);
        });
  }

  @Override
  public void hostVlanChanged(IDevice device) {
    hostChanged(device);
  }

  private void note(List<IPAddress<?>> addresses) {
    memberChanged |= addresses.stream().anyMatch(this::isOfMember);
  }

  private boolean isOfMember(IPAddress<?> address) {
    return !views.get().catalog().membersAt(address).isEmpty()
        || reactions.leadsToMembers.test(address);
  }

  @Override
  public void hostMoved(IDevice device) {
    coreAccess
        .edgeOf(device)
        .ifPresent(
            now -> {
              reactions.hostMoved.accept(now);
              nextHops.moved(now);
              housekeeping.execute(() -> relocations.hostMoved(now));
            });
  }

  /** Handles a switch that connects or reconnects. */
  @Override
  public void switchActivated(DatapathId switchId) {
    if (switchRecovery.connected(switchId) && usableWaits.compareAndSet(false, true)) {
      // new connections can use it at once, not behind the tasks of this switch and others
      housekeeping.execute(
          () -> {
            usableWaits.set(false);
            housekeeping.run(reactions.topology);
          });
    }
    CompletableFuture<Void> unused =
        capabilities.apply(switchId).thenRun(() -> housekeeping.execute(() -> begin(switchId)));
    topologyChanged();
  }

  private void begin(DatapathId switchId) {
    if (switchRecovery.begin(switchId)) {
      switchRecovery.whenGroupsAreKnown(
          switchId,
          () ->
              housekeeping.run(
                  List.of(
                      new Task("preparing a switch", () -> switchRecovery.prepare(switchId)),
                      new Task(
                          "reading a switch",
                          () -> switchRecovery.read(switchId, this::topologyChanged)))));
    }
  }

  /** Handles a switch that disconnected or is no longer controlled. */
  @Override
  public void switchRemoved(DatapathId switchId) {
    switchRecovery.disconnected(switchId);
    housekeeping.execute(
        () -> {
          switchRecovery.remove(switchId);
          reactions.switchRemoved.accept(switchId);
        });
    topologyChanged();
  }
}
