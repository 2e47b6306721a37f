package io.malob.simulation.model;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Placers;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ActiveCount;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkLoads;
import io.malob.algorithm.graph.LinkValue;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.joint.NetworkTime;
import io.malob.simulation.fluid.EventQueue;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The environment of a placer in the controller: the snapshot that it reads, and the counts of its
 * placements.
 */
final class SimulatedBalancer implements Balancer {
  /** The time between two snapshots of the controller. */
  private static final double HOUSEKEEPING_SECONDS = 1;

  private final EventQueue events;
  private final Setting setting;
  private final ImmutableList<Server> servers;
  private final Placer placer;
  private final LinkLoads loads = new LinkLoads();
  private final Learning learning;
  private NetworkSnapshot snapshot;

  SimulatedBalancer(EventQueue events, Setting setting) {
    this.events = events;
    this.setting = setting;
    this.learning = new Learning(events);
    this.servers = setting.servers();
    this.placer = Placers.of(setting.algorithm(), servers, new AtomicInteger(), setting.counting());
    this.snapshot = new NetworkSnapshot(setting.network().topology());
    events.after(HOUSEKEEPING_SECONDS, () -> keepHouse(events));
  }

  /** Renews known paths and ratings for the current loads, as the controller does. */
  private void keepHouse(EventQueue events) {
    snapshot = snapshot.with(snapshot.values());
    placer.prepare(snapshot);
    events.after(HOUSEKEEPING_SECONDS, () -> keepHouse(events));
  }

  @Override
  public Placed place(DatapathId clientSwitch, Service service) {
    Placer.Request request =
        new Placer.Request(clientSwitch, any -> true, learning.profile(service));
    if (!(placer.place(request, snapshot) instanceof Placement placement)) {
      throw new IllegalStateException(setting.algorithm().name() + " has refused a request");
    }
    long inFlight = placement.server().load().present();
    long atNanos = events.nowNanos();
    Runnable learn = learning.placed(service, placement, snapshot);
    placement.server().load().opened();
    placer.loadChanged(placement.server());
    count(placement, 1);
    return new Placed(
        placement,
        () -> {
          measure(placement, request.profile(), inFlight, atNanos);
          learn.run();
        });
  }

  @Override
  public void ended(Placed placed) {
    placed.placement().server().load().closed();
    placer.loadChanged(placed.placement().server());
    count(placed.placement(), -1);
    placed.whenEnded().run();
  }

  /** As for a client's FIN in the controller. */
  private void measure(Placement placement, ServiceProfile profile, long inFlight, long atNanos) {
    double networkNanos =
        NetworkTime.nanos(
            snapshot.values(), placement.requestPath(), placement.replyPath(), profile);
    double nanos = events.nowNanos() - atNanos - networkNanos;
    profile.responded(placement.server().number(), inFlight, Math.max(0, nanos));
  }

  private void count(Placement placement, int change) {
    Consumer<ActiveCount> add = load -> load.add(change);
    loads.along(placement.requestPath()).forEach(add);
    loads.along(placement.replyPath()).forEach(add);
  }

  /** There are new values of the links, all measured at this moment. */
  void linksMeasured(Map<DirectedLink, LinkValue> values) {
    values.keySet().forEach(link -> loads.of(link).measured());
    snapshot =
        snapshot.with(
            LinkValues.of(setting.network().topology(), values, loads, setting.counting()));
  }

  /**
   * A server has reported.
   *
   * @param index its place in the network
   */
  void serverReported(int index, double cpuFraction, double responseNanos) {
    Server server = servers.get(index);
    server.load().reported(cpuFraction, responseNanos);
    placer.loadChanged(server);
  }
}
