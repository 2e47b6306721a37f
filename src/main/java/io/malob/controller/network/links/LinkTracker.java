package io.malob.controller.network.links;

import com.google.common.collect.ImmutableSortedSet;
import com.google.common.primitives.Longs;
import io.malob.module.Tasks;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.LDUpdate;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.SwitchType;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.UpdateOperation;
import net.floodlightcontroller.linkdiscovery.Link;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/**
 * The single writer of links: derives links from events of switches, ports and probes, and
 * publishes a snapshot soon after, before it notifies listeners. One thread at a time calls it;
 * {@link #current} may be called by any.
 */
final class LinkTracker {
  /**
   * The min and max pause between two publications; in between, four times the duration of the last
   * one. The cost of a snapshot grows with the network, so a thousand switches that connect at once
   * must not cost a thousand snapshots. A change after a pause is published at once.
   */
  private static final long MIN_REST_MILLIS = 50;

  private static final long MAX_REST_MILLIS = 500;

  private final LinkTimes times;
  private final LongSupplier millis;
  private final Outlet outlet;
  private final TreeSet<DatapathId> switches = new TreeSet<>();

  /** Those of the switches that another controller of the cluster probes. */
  private final Set<DatapathId> observed = new HashSet<>();

  private final ProbeSchedule schedule;
  private final LinkTable links = new LinkTable();
  private final List<LDUpdate> updates = new ArrayList<>();
  private final Tasks tasks;
  private long publishedAt;
  private long tickedAt;
  private long awakeSince;
  private long restMillis = MIN_REST_MILLIS;
  private boolean publicationWaits;
  private volatile LinkSnapshot snapshot = LinkSnapshot.EMPTY;

  /** The effects of the tracker. */
  interface Outlet {
    /** Queues a probe for a port; false if it cannot be sent now. */
    boolean probe(NodePortTuple port, ProbeKind kind);

    /**
     * Sends the queued probes, those of one switch by one write; returns the switches that accept
     * none now.
     */
    Set<DatapathId> sendProbes();

    /**
     * Runs a task on the tracker's thread after that time, behind its pending tasks, so that many
     * changes at a time cost one snapshot.
     */
    void soon(Runnable publication, long delayMillis);

    /** Notifies listeners of changes, oldest first. */
    void changed(List<LDUpdate> updates);
  }

  LinkTracker(LinkTimes times, LongSupplier millis, Outlet outlet) {
    this.times = times;
    this.millis = millis;
    this.outlet = outlet;
    schedule = new ProbeSchedule(times);
    tasks = new Tasks(() -> TimeUnit.MILLISECONDS.toNanos(millis.getAsLong()));
    publishedAt = millis.getAsLong() - restMillis;
    tickedAt = millis.getAsLong();
    awakeSince = tickedAt - times.linkLife();
  }

  LinkSnapshot current() {
    return snapshot;
  }

  /** This controller is now master of a switch, and these of the switch's ports are up. */
  void switchUp(DatapathId switchId, Collection<OFPort> ports) {
    if (observed.remove(switchId)) {
      takeOver(switchId);
      return;
    }
    // a switch that reconnects without a disconnect event may have lost or moved cables meanwhile
    forget(switchId);
    switches.add(switchId);
    long now = millis.getAsLong();
    ports.forEach(port -> schedule.add(new NodePortTuple(switchId, port), now, times.settle()));
    updates.add(new LDUpdate(switchId, SwitchType.BASIC_SWITCH, UpdateOperation.SWITCH_UPDATED));
    probeDuePorts(now);
    publish();
  }

  /** Keeps the links that the former master's probes have shown, until own probes confirm them. */
  private void takeOver(DatapathId switchId) {
    long now = millis.getAsLong();
    links.renew(switchId, now);
    schedule.takeOver(switchId, now); // the next tick probes all that are due
  }

  /**
   * This controller is connected to a switch, or was its master, and another controller of the
   * cluster probes it. These of its ports are up.
   */
  void switchObserved(DatapathId switchId, Collection<OFPort> ports) {
    long now = millis.getAsLong();
    if (!switches.contains(switchId)) {
      switches.add(switchId);
      ports.forEach(port -> schedule.add(new NodePortTuple(switchId, port), now, times.linkLife()));
      updates.add(new LDUpdate(switchId, SwitchType.BASIC_SWITCH, UpdateOperation.SWITCH_UPDATED));
      publish();
    }
    observed.add(switchId);
  }

  /** The switch has disconnected, or has another master than this controller. */
  void switchDown(DatapathId switchId) {
    if (forget(switchId)) {
      updates.add(new LDUpdate(switchId, SwitchType.BASIC_SWITCH, UpdateOperation.SWITCH_REMOVED));
      publish();
    }
  }

  private boolean forget(DatapathId switchId) {
    boolean wasThere = switches.remove(switchId);
    observed.remove(switchId);
    if (wasThere) {
      schedule.removeSwitch(switchId);
      removed(links.removeAt(switchId));
    }
    return wasThere;
  }

  /** A port came up. */
  void portUp(DatapathId switchId, OFPort port) {
    long now = millis.getAsLong();
    NodePortTuple end = new NodePortTuple(switchId, port);
    long hold = observed.contains(switchId) ? times.linkLife() : times.settle();
    if (switches.contains(switchId) && schedule.add(end, now, hold)) {
      probeDuePorts(now);
      publish();
    }
  }

  /** A port went down or was removed. */
  void portDown(DatapathId switchId, OFPort port) {
    NodePortTuple end = new NodePortTuple(switchId, port);
    if (schedule.remove(end)) {
      removed(links.removeAt(end));
      updates.add(new LDUpdate(switchId, port, UpdateOperation.PORT_DOWN));
      publish();
    }
  }

  /** A probe from one port arrived at another. */
  void probeArrived(ProbeKind kind, NodePortTuple from, NodePortTuple at) {
    // a probe may arrive after its port went down, and must not bring the link back
    if (!schedule.mayBeLinked(from) || !schedule.mayBeLinked(at)) {
      return;
    }
    // broadcasts cross cables, too, and come back from legacy switches that form a loop
    if (kind == ProbeKind.BDDP && (isCabled(from) || isCabled(at) || from.equals(at))) {
      return;
    }
    long now = millis.getAsLong();
    Link link = link(from, at);
    if (links.seen(link, kind, now)) {
      if (kind == ProbeKind.LLDP) {
        removed(links.removeAt(from, ProbeKind.BDDP));
        removed(links.removeAt(at, ProbeKind.BDDP));
      }
      updates.add(update(link, kind, UpdateOperation.LINK_UPDATED));
      if (!links.contains(link(at, from))) {
        schedule.hurry(at, now);
        probeDuePorts(now);
      }
      publish();
    }
  }

  private boolean isCabled(NodePortTuple port) {
    return links.has(ProbeKind.LLDP, port);
  }

  /**
   * Sends the probes that are due, settles ports, and removes links that are too old. After a pause
   * of the controller without probes, links do not count as old.
   */
  void tick() {
    long now = millis.getAsLong();
    if (now - tickedAt >= times.probeInterval()) {
      awakeSince = now;
    }
    tickedAt = now;
    if (now - awakeSince >= times.linkLife()) {
      tasks.run(
          "removing silent links",
          () -> removed(links.removeSeenBefore(now - times.linkLife(), observed)));
    }
    tasks.run("settling ports", () -> settlePorts(now));
    probeDuePorts(now);
    if (!updates.isEmpty() || now - publishedAt >= times.probeInterval()) {
      tasks.run("publishing links", this::publish); // also to show when links were last seen
    }
  }

  private void settlePorts(long now) {
    for (NodePortTuple port : schedule.settle(now)) {
      updates.add(new LDUpdate(port.getNodeId(), port.getPortId(), UpdateOperation.PORT_UP));
    }
  }

  private void probeDuePorts(long now) {
    List<NodePortTuple> due = schedule.due(now);
    if (due.isEmpty()) {
      return;
    }
    List<NodePortTuple> taken = new ArrayList<>(due.size());
    for (NodePortTuple port : due) {
      tasks.run(
          "probing a port",
          () -> {
            if (probe(port)) {
              taken.add(port);
            } else {
              schedule.probed(port, now, false);
            }
          });
    }
    Set<DatapathId> refused = outlet.sendProbes();
    taken.forEach(port -> schedule.probed(port, now, !refused.contains(port.getNodeId())));
  }

  private boolean probe(NodePortTuple port) {
    if (observed.contains(port.getNodeId())) {
      return true; // another controller sends the probes
    }
    // a cable is found at once, and needs no broadcasts
    boolean broadcasts = schedule.wasProbed(port) && !isCabled(port);
    boolean taken = outlet.probe(port, ProbeKind.LLDP);
    if (taken && broadcasts) {
      outlet.probe(port, ProbeKind.BDDP);
    }
    return taken;
  }

  private void removed(List<LinkTable.Gone> gone) {
    long now = millis.getAsLong();
    for (LinkTable.Gone each : gone) {
      updates.add(update(each.link(), each.kind(), UpdateOperation.LINK_REMOVED));
      schedule.restart(LinkTable.source(each.link()), now);
      schedule.restart(LinkTable.target(each.link()), now);
    }
  }

  private void publish() {
    if (!publicationWaits) {
      publicationWaits = true;
      long rested = millis.getAsLong() - publishedAt;
      outlet.soon(this::publishNow, Math.max(0, restMillis - rested));
    }
  }

  private void publishNow() {
    publicationWaits = false;
    long began = millis.getAsLong();
    snapshot =
        new LinkSnapshot(
            ImmutableSortedSet.copyOf(switches),
            schedule.ports(),
            schedule.settledPorts(),
            links.copy());
    if (!updates.isEmpty()) {
      List<LDUpdate> batch = List.copyOf(updates);
      updates.clear();
      outlet.changed(batch);
    }
    publishedAt = millis.getAsLong();
    restMillis =
        Longs.constrainToRange(4 * (publishedAt - began), MIN_REST_MILLIS, MAX_REST_MILLIS);
  }

  private static Link link(NodePortTuple from, NodePortTuple to) {
    return new Link(from.getNodeId(), from.getPortId(), to.getNodeId(), to.getPortId(), U64.ZERO);
  }

  private static LDUpdate update(Link link, ProbeKind kind, UpdateOperation operation) {
    return new LDUpdate(
        link.getSrc(),
        link.getSrcPort(),
        link.getDst(),
        link.getDstPort(),
        link.getLatency(),
        kind.linkType(),
        operation);
  }
}
