package io.malob.simulation.model;

import com.google.common.collect.ImmutableList;
import io.malob.simulation.model.LabNetwork.Host;
import java.util.stream.IntStream;

/**
 * The sources of requests.
 *
 * @param sources each starts requests of its own; all continue until each has its measured answers,
 *     so that none is measured while others have stopped
 */
public record Workload(ImmutableList<Source> sources) {

  /** A source of requests. */
  public sealed interface Source permits ClosedLoop, Poisson {
    /** Where it is. */
    Host at();

    /** Its service. */
    Service service();

    /** The number of measured requests: the first ones. */
    int requests();
  }

  /**
   * A client with one request at a time: the next one is started some time after the last has
   * ended.
   *
   * @param pauseSeconds mean of that time, which is exponentially distributed; also of the time
   *     before the first request
   */
  public record ClosedLoop(Host at, Service service, int requests, double pauseSeconds)
      implements Source {}

  /**
   * Many clients at one place, whose requests come at random, independent of open ones.
   *
   * @param perSecond how many come on average
   * @param varied whether answers and processor times are drawn from exponential distributions
   */
  public record Poisson(Host at, Service service, int requests, double perSecond, boolean varied)
      implements Source {

    /** Requests that are all alike. */
    public Poisson(Host at, Service service, int requests, double perSecond) {
      this(at, service, requests, perSecond, false);
    }
  }

  /** A number of closed loops at the clients of a network, in turn. */
  public static ImmutableList<Source> closedLoops(
      LabNetwork network, int count, Service service, int requests, double pauseSeconds) {
    return IntStream.range(0, count)
        .mapToObj(i -> network.clients().get(i % network.clients().size()))
        .map(client -> new ClosedLoop(client, service, requests, pauseSeconds))
        .collect(ImmutableList.toImmutableList());
  }

  /** Requests at random at each client of a network, all alike. */
  public static ImmutableList<Source> poisson(
      LabNetwork network, Service service, int requests, double perSecond) {
    return poisson(network, service, requests, perSecond, false);
  }

  /** Requests at random at each client of a network; see {@link Poisson}. */
  static ImmutableList<Source> poisson(
      LabNetwork network, Service service, int requests, double perSecond, boolean varied) {
    return network.clients().stream()
        .map(client -> new Poisson(client, service, requests, perSecond, varied))
        .collect(ImmutableList.toImmutableList());
  }
}
