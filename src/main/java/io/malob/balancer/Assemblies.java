package io.malob.balancer;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.balancer.Housekeeping.Task;
import io.malob.balancer.admission.Relocations;
import io.malob.balancer.admission.VipAnnouncer;
import io.malob.balancer.proactive.ProactiveSettings;
import io.malob.module.IPacketInQueueService;
import io.malob.module.NetworkEvents;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.devicemanager.IDevice;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFType;

/**
 * The assemblies of the balancer in the order of their construction: each is constructed from the
 * context and from those before it, and schedules its own tasks.
 */
final class Assemblies {
  private static final long ADDRESSES_MILLIS = TimeUnit.MINUTES.toMillis(1);

  /** In sweeps. Only what {@link #passAddressKeys} tells holds keys of addresses for longer. */
  private static final int ADDRESSES_PATIENCE = 5;

  private static final long FOLLOW_MILLIS = 500;

  final BalancerContext context;
  final Viewing viewing;
  final Connecting connecting;
  final ProactivePlacement proactive;
  final Placing placing;
  final Clustered clustered;
  final Rerouting rerouting;
  final Recovering recovering;
  final Checking checking;
  final MessageDispatcher messages;
  final CatalogUpdates catalogUpdates;

  /** Refers to this from a field, because {@link AddressKey} does not. */
  private final Consumer<IntConsumer> addressKeys = this::passAddressKeys;

  /**
   * Constructs all of them.
   *
   * @param queues null in real Floodlight
   */
  Assemblies(BalancerContext context, @Nullable IPacketInQueueService queues)
      throws FloodlightModuleException {
    this.context = context;
    ProactiveSettings ofBuckets = ProactiveSettings.read(context.settings);
    viewing = new Viewing(context);
    connecting = new Connecting(context, viewing, ofBuckets);
    proactive = new ProactivePlacement(context, viewing, connecting, ofBuckets);
    placing = new Placing(context, viewing, connecting, proactive, queues);
    clustered = new Clustered(context, viewing, connecting, placing);
    rerouting = new Rerouting(context, viewing, connecting, clustered);
    recovering = new Recovering(context, viewing, connecting, proactive, placing, clustered);
    checking = new Checking(context, viewing, connecting, placing);
    messages =
        new MessageDispatcher(context, viewing, connecting, placing, checking.probes, proactive);
    Clustered.forwardMessages(context, viewing, connecting, placing, messages);
    catalogUpdates =
        new CatalogUpdates(
            context,
            viewing,
            connecting,
            placing,
            proactive.vips,
            checking.checks,
            new VipAnnouncer(viewing.view.views(), viewing.hosts::announce),
            this::inView);
    viewing.afterSearch = placing.retryPending;
    context.routes.addListener(this::routesChanged);
    viewing.whenEdgeChanged = this::edgeChanged;
  }

  /** A host behind core switches is attached to another edge for the balancer. */
  private void edgeChanged(IDevice device, Attachment place) {
    connecting.relocations.hostMoved(place);
    proactive.nextHops.moved(place);
  }

  /** Members behind routers may be elsewhere now. */
  private void routesChanged() {
    context.housekeeping.submit(
        List.of(viewing.locateMembers, viewing.askForMembers, placing.retryPending));
  }

  /** A change of the catalog is in the view. */
  private void inView() {
    viewing.updateAccess();
    viewing.askForMembers.work().run();
    recovering.stateRecovery.complete();
    placing.requests.retryPending();
  }

  private NetworkChanges networkChanges() {
    return new NetworkChanges(
        context.housekeeping,
        viewing.view.views(),
        recovering.switchRecovery,
        connecting.relocations,
        viewing.coreAccess,
        proactive.nextHops,
        new NetworkChanges.Reactions(
            List.of(
                new Task("applying the topology", rerouting::takeTopology),
                viewing.followSegments,
                viewing.followHosts,
                rerouting.repairPaths,
                viewing.locateMembers,
                recovering.recover,
                rerouting.preparePaths,
                viewing.askForMembers, // the ports that may have hosts are known only now
                placing.retryPending),
            // a member that was only silent is located again before a connection needs it
            List.of(
                viewing.locateMembers,
                recovering.recover,
                rerouting.preparePaths,
                viewing.askForMembers),
            List.of(viewing.followHosts, placing.retryPending),
            proactive.vips::disconnected,
            context.routes::isNextHop,
            checking.serverMoves.splitHosts()::moved),
        context.capabilities::whenKnown);
  }

  /** Connects the assemblies to the controller's events, and starts their tasks. */
  void start() {
    NetworkChanges changes = networkChanges();
    NetworkEvents events = new NetworkEvents(MessageDispatcher.NAME, changes);
    context.switches.addOFSwitchListener(events);
    context.devices.addListener(events);
    context.topology.addListener(events);
    for (OFType type : MessageDispatcher.TYPES) {
      context.provider.addOFMessageListener(type, messages);
    }
    AddressKey.addUser(addressKeys);
    schedule(changes);
  }

  private void schedule(NetworkChanges changes) {
    Housekeeping housekeeping = context.housekeeping;
    rerouting.schedule();
    recovering.schedule(context);
    connecting.schedule(context, viewing);
    viewing.schedule(context);
    clustered.schedule(context);
    if (context.relay != null) {
      housekeeping.every(
          FOLLOW_MILLIS,
          new Task(
              "following masters",
              () -> {
                if (rerouting.isOutdated()) {
                  changes.topologyChanged();
                }
              }));
    }
    proactive.schedule();
    catalogUpdates.schedule();
    housekeeping.every(
        ADDRESSES_MILLIS,
        new Task("sweeping addresses", () -> AddressKey.sweep(ADDRESSES_PATIENCE)));
    placing.schedule(context);
    checking.schedule(context, catalogUpdates);
    context.repetition.every(
        Relocations.TICK_MILLIS, "following hosts", connecting.relocations::tick);
    context.repetition.every(
        Housekeeping.TIDY_MILLIS, "completing records", context.records.records()::sweep);
    housekeeping.start(context.repetition);
  }

  private void passAddressKeys(IntConsumer keys) {
    context.catalog.snapshot().addressKeys(keys);
    connecting.addressKeys(keys);
  }
}
