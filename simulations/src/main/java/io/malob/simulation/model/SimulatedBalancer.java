package io.malob.simulation.model;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Placers;
import io.malob.algorithm.Server;
import io.malob.algorithm.ServerLoad;
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
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The environment of a placer in the controller: the snapshot that it reads, and the counts of its
 * placements.
 */
final class SimulatedBalancer {
  /** The port of hosts; no link ends at it. */
  private static final int HOST_PORT = 65_000;

  private final EventQueue events;
  private final Setting setting;
  private final ImmutableList<Server> servers;
  private final Placer placer;
  private final LinkLoads loads = new LinkLoads();
  private final Learning learning;
  private NetworkSnapshot snapshot;

  /**
   * A request that has been placed.
   *
   * @param profile that of its service
   * @param inFlight how many others its server had
   * @param atNanos when it was placed
   * @param whenEnded teaches the profile
   */
  record Placed(
      Placement placement,
      ServiceProfile profile,
      long inFlight,
      long atNanos,
      Runnable whenEnded) {}

  SimulatedBalancer(EventQueue events, Setting setting) {
    this.events = events;
    this.setting = setting;
    this.learning = new Learning(events);
    ImmutableList.Builder<Server> list = ImmutableList.builder();
    for (int i = 0; i < setting.network().servers().size(); i++) {
      list.add(server(i + 1, setting.network().servers().get(i), setting.weights().get(i)));
    }
    this.servers = list.build();
    this.placer = Placers.of(setting.algorithm(), servers, new AtomicInteger(), setting.counting());
    this.snapshot = new NetworkSnapshot(setting.network().topology());
  }

  private static Server server(int number, LabNetwork.Host host, int weight) {
    Attachment at = new Attachment(host.switchId(), OFPort.of(HOST_PORT), MacAddress.of(number));
    return new Server(number, host.address().getInt(), 0, weight, at, new ServerLoad());
  }

  /** Chooses, and counts the connection until {@link #ended}. */
  Placed place(DatapathId clientSwitch, Service service) {
    Placer.Request request =
        new Placer.Request(clientSwitch, any -> true, learning.profile(service));
    if (!(placer.place(request, snapshot) instanceof Placement placement)) {
      throw new IllegalStateException(setting.algorithm().name() + " has refused a request");
    }
    long inFlight = placement.server().load().present();
    Runnable whenEnded = learning.placed(service, placement, snapshot);
    placement.server().load().opened();
    placer.loadChanged(placement.server());
    count(placement, 1);
    return new Placed(placement, request.profile(), inFlight, events.nowNanos(), whenEnded);
  }

  /** The connection is over. */
  void ended(Placed placed) {
    placed.placement().server().load().closed();
    placer.loadChanged(placed.placement().server());
    count(placed.placement(), -1);
    measure(placed);
    placed.whenEnded().run();
  }

  /** As for a client's FIN in the controller. */
  private void measure(Placed placed) {
    Placement placement = placed.placement();
    double networkNanos =
        NetworkTime.nanos(
            snapshot.values(), placement.requestPath(), placement.replyPath(), placed.profile());
    double nanos = events.nowNanos() - placed.atNanos() - networkNanos;
    placement.server().load().responded(placed.inFlight(), Math.max(0, nanos));
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

  /** The place of a server in the network. */
  int indexOf(Server server) {
    return server.number() - 1;
  }
}
