package io.malob.algorithm.server;

import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ResponseTimes;
import io.malob.algorithm.estimate.ServiceProfile;
import java.util.List;

/**
 * How slow servers are lately for a service: the time that each takes for each connection in flight
 * and for its weight, relative to all of them. Pure.
 */
public final class Slowness {
  /**
   * As how many measurements it counts that servers are equally fast. Otherwise, a rule would
   * follow the noise of a few measurements, as durations differ by more than servers do.
   */
  private static final double PRIOR = 16;

  private Slowness() {}

  /**
   * The slowness of some servers, 1 if usual; of all 1 without measurements.
   *
   * @param indexes their places in the list
   */
  public static double[] of(List<Server> servers, int[] indexes, ServiceProfile service) {
    ResponseTimes.Newest[] newest = new ResponseTimes.Newest[indexes.length];
    double nanos = 0;
    double inFlight = 0;
    for (int i = 0; i < indexes.length; i++) {
      Server server = servers.get(indexes[i]);
      newest[i] = service.responses(server.number());
      nanos += newest[i].nanos() * server.weight();
      inFlight += newest[i].inFlight();
    }
    double usualNanos = nanos / inFlight;
    double[] slowness = new double[indexes.length];
    for (int i = 0; i < indexes.length; i++) {
      double sum = PRIOR;
      if (nanos > 0 && newest[i].count() > 0) {
        double each = newest[i].nanos() / newest[i].inFlight();
        sum += newest[i].count() * each * servers.get(indexes[i]).weight() / usualNanos;
      }
      slowness[i] = nanos > 0 ? sum / (PRIOR + newest[i].count()) : 1;
    }
    return slowness;
  }
}
