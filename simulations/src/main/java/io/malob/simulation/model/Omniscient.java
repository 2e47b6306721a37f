package io.malob.simulation.model;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.Path;
import io.malob.simulation.fluid.EventQueue;
import io.malob.simulation.fluid.Forecast;
import java.util.ArrayList;
import java.util.List;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * A balancer that knows the capacity of each link, the size of each transfer and how much of it is
 * left, at every moment. For each server and each path to the client, it calculates when the
 * present transfers and the new one would end, and takes the smallest sum of these times. It does
 * not know future requests, and may delay a transfer to speed up others: a reference for placers,
 * not a bound. It ignores computations.
 */
final class Omniscient implements Balancer {
  /** The max number of paths from a server to a client: those with the lowest latency. */
  private static final int MAX_PATHS = 200;

  private final EventQueue events;
  private final FluidNetwork network;
  private final ImmutableListMultimap<DatapathId, Candidate> candidates;
  private final List<Pending> pending = new ArrayList<>();

  /**
   * A server with its paths.
   *
   * @param requestNanos the latency of the request path
   * @param latencySeconds that of both paths
   */
  private record Candidate(Placement placement, long requestNanos, double latencySeconds) {}

  /** A transfer whose request is on its way to the server until a time. */
  private record Pending(Path path, double bits, long untilNanos) {}

  Omniscient(EventQueue events, Setting setting, FluidNetwork network) {
    this.events = events;
    this.network = network;
    ImmutableList<Server> servers = setting.servers();
    ImmutableListMultimap.Builder<DatapathId, Candidate> all = ImmutableListMultimap.builder();
    setting.network().clients().stream()
        .map(LabNetwork.Host::switchId)
        .distinct()
        .forEach(
            client -> servers.forEach(server -> all.putAll(client, from(client, server, setting))));
    this.candidates = all.build();
  }

  private List<Candidate> from(DatapathId client, Server server, Setting setting) {
    LabNetwork lab = setting.network();
    NetworkSnapshot idle = lab.idle();
    DatapathId serverSwitch = server.at().switchId();
    Path request = idle.lowestLatency(client, serverSwitch).orElseThrow();
    long requestNanos = lab.latencyNanos(request);
    return idle.values().shortest(serverSwitch, client, MAX_PATHS).stream()
        .map(
            reply ->
                new Candidate(
                    new Placement(server, request, reply),
                    requestNanos,
                    (requestNanos + lab.latencyNanos(reply)) / EventQueue.SECOND))
        .toList();
  }

  @Override
  public Placed place(DatapathId clientSwitch, Service service) {
    Forecast forecast = network.forecast();
    pending.removeIf(each -> each.untilNanos <= events.nowNanos());
    pending.forEach(each -> forecast.add(network.numbers(each.path), each.bits));
    ImmutableList<Candidate> all = candidates.get(clientSwitch);
    Candidate best = all.get(0);
    double least = Double.POSITIVE_INFINITY;
    for (Candidate candidate : all) {
      double seconds =
          candidate.latencySeconds
              + forecast.secondsWith(
                  network.numbers(candidate.placement.replyPath()), service.answerBits());
      if (seconds < least) {
        least = seconds;
        best = candidate;
      }
    }
    long startNanos = events.nowNanos() + best.requestNanos;
    pending.add(new Pending(best.placement.replyPath(), service.answerBits(), startNanos));
    return new Placed(best.placement, () -> {});
  }

  /** The network shows which transfers have ended. */
  @Override
  public void ended(Placed placed) {}
}
