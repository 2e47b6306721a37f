package io.malob.simulation.model;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Placement;
import io.malob.simulation.fluid.EventQueue;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import org.projectfloodlight.openflow.types.DatapathId;

/** Executes requests: placed once, then exchange after exchange on the same path. */
final class Requests {
  private final EventQueue events;
  private final LabNetwork lab;
  private final Balancer balancer;
  private final FluidNetwork network;
  private final ImmutableList<SimulatedServer> servers;
  private final Consumer<Placement> onPlaced;

  Requests(
      EventQueue events,
      LabNetwork lab,
      Balancer balancer,
      FluidNetwork network,
      ImmutableList<SimulatedServer> servers,
      Consumer<Placement> onPlaced) {
    this.events = events;
    this.lab = lab;
    this.balancer = balancer;
    this.network = network;
    this.servers = servers;
    this.onPlaced = onPlaced;
  }

  /**
   * Starts a request.
   *
   * @param whenDone called with the duration in seconds
   */
  void start(DatapathId clientSwitch, Service service, DoubleConsumer whenDone) {
    Balancer.Placed placed = balancer.place(clientSwitch, service);
    Placement placement = placed.placement();
    onPlaced.accept(placement);
    long began = events.nowNanos();
    exchange(
        placement,
        service,
        service.exchanges(),
        () -> {
          balancer.ended(placed);
          whenDone.accept((events.nowNanos() - began) / EventQueue.SECOND);
        });
  }

  /** A bit to the server, the computation, a bit back, and the rest of the answer behind it. */
  private void exchange(Placement placement, Service service, int left, Runnable whenDone) {
    if (left == 0) {
      whenDone.run();
      return;
    }
    SimulatedServer server = servers.get(placement.server().number() - 1);
    Runnable next = () -> exchange(placement, service, left - 1, whenDone);
    Runnable answer =
        () ->
            network.transfer(
                placement.replyPath(),
                service.answerBits(),
                () -> events.after(seconds(lab.latencyNanos(placement.replyPath())), next));
    events.after(
        seconds(lab.latencyNanos(placement.requestPath())),
        service.cpuSeconds() > 0 ? () -> server.compute(service.cpuSeconds(), answer) : answer);
  }

  private static double seconds(long nanos) {
    return nanos / EventQueue.SECOND;
  }
}
