package io.malob.simulation.subflow;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.simulation.fluid.MaxMinShares;
import io.malob.simulation.model.LabNetwork;
import io.malob.simulation.model.LabNetwork.Host;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The throughput of sessions if each sub-flow is a separate flow with its max-min fair share:
 * congestion control does not couple the sub-flows of a connection. Acknowledgements and headers
 * are not modelled. Immutable.
 */
public final class SubflowShares {
  private final LabNetwork network;
  private final double accessBps;

  private sealed interface Place {
    /** One direction of a link between switches. */
    record Core(DirectedLink link) implements Place {}

    /** From a host to its switch. */
    record Up(String host) implements Place {}

    /** From a switch to its host. */
    record Down(String host) implements Place {}
  }

  /**
   * For a network.
   *
   * @param accessBps the max rate of each host in each direction, in bit/s
   */
  public SubflowShares(LabNetwork network, double accessBps) {
    this.network = network;
    this.accessBps = accessBps;
  }

  /** The throughput of each session, in bit/s. */
  public double[] of(List<Session> sessions, SubflowPaths paths) {
    Map<Place, Integer> numbers = new HashMap<>();
    List<Double> capacities = new ArrayList<>();
    List<int[]> flows = new ArrayList<>();
    List<Integer> owners = new ArrayList<>();
    for (int session = 0; session < sessions.size(); session++) {
      for (ImmutableList<Place> places : placesOf(sessions.get(session), paths)) {
        flows.add(
            places.stream()
                .mapToInt(place -> numbers.computeIfAbsent(place, each -> add(each, capacities)))
                .toArray());
        owners.add(session);
      }
    }
    double[] rates =
        new MaxMinShares(capacities.stream().mapToDouble(Double::doubleValue).toArray()).of(flows);
    double[] bySession = new double[sessions.size()];
    for (int flow = 0; flow < rates.length; flow++) {
      bySession[owners.get(flow)] += rates[flow];
    }
    return bySession;
  }

  private int add(Place place, List<Double> capacities) {
    capacities.add(
        place instanceof Place.Core core ? network.limits(core.link()).capacityBps() : accessBps);
    return capacities.size() - 1;
  }

  private static ImmutableList<ImmutableList<Place>> placesOf(Session session, SubflowPaths paths) {
    Host from = session.from();
    Host to = session.to();
    return session.sources().stream()
        .map(source -> places(from, to, paths.of(source, from.switchId(), to.switchId())))
        .collect(ImmutableList.toImmutableList());
  }

  private static ImmutableList<Place> places(Host from, Host to, Path path) {
    ImmutableList.Builder<Place> places = ImmutableList.builder();
    places.add(new Place.Up(from.name()));
    path.links().forEach(link -> places.add(new Place.Core(link)));
    return places.add(new Place.Down(to.name())).build();
  }
}
