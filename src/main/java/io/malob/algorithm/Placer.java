package io.malob.algorithm;

import io.malob.algorithm.estimate.ServiceProfile;
import java.util.List;
import java.util.function.Predicate;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Chooses server and paths for the connections of one pool. A placer belongs to one fixed list of
 * servers; only its turn or its order by load changes. Safe for use by several threads, which never
 * wait for each other.
 */
public interface Placer {

  /** Chooses for one request, from the network as it is now. */
  Result place(Request request, NetworkSnapshot network);

  /** Finds paths to and from a server that was chosen before. */
  Result placeOn(Server server, Request request, NetworkSnapshot network);

  /** The result on the first server that can take a request, in turn from one on. */
  default Result placeFrom(
      int first, List<Server> servers, Request request, NetworkSnapshot network) {
    Refusal refusal = Refusal.NOT_ACCEPTABLE;
    for (int tried = 0; tried < servers.size(); tried++) {
      Server server = servers.get((first + tried) % servers.size());
      if (request.acceptable().test(server)) {
        Result result = placeOn(server, request, network);
        if (result instanceof Placement) {
          return result;
        }
        refusal = Refusal.NO_ROUTE;
      }
    }
    return refusal;
  }

  /** The choice that {@link #place} would make now, with reasons; changes nothing. */
  Explanation explain(Request request, NetworkSnapshot network);

  /**
   * Makes ready for placements in a network, whether another one or the same with other loads, so
   * that they need not. To be called by one thread at a time, before the network is given out.
   */
  default void prepare(NetworkSnapshot network) {}

  /** Tells that the load of a server has changed. */
  default void loadChanged(Server server) {}

  /** Tells that servers have come closer to their full shares. */
  default void sharesChanged() {}

  /**
   * One connection to be placed.
   *
   * @param clientSwitch the client's edge switch
   * @param acceptable which servers can take it at all
   * @param profile what is known of its service
   */
  record Request(DatapathId clientSwitch, Predicate<Server> acceptable, ServiceProfile profile) {

    /** A connection of an unknown service. */
    public Request(DatapathId clientSwitch, Predicate<Server> acceptable) {
      this(clientSwitch, acceptable, new ServiceProfile());
    }

    /** The same that any server can take. */
    public static Request from(DatapathId clientSwitch) {
      return new Request(clientSwitch, any -> true);
    }
  }

  /** Either a {@link Placement} or a {@link Refusal}. */
  sealed interface Result permits Placement, Refusal {}

  /** Why there is no placement. */
  enum Refusal implements Result {
    /** The pool has no server that could be chosen. */
    NO_SERVER,
    /** No server can be reached from the client and back. */
    NO_ROUTE,
    /** Every server was ruled out by the request. */
    NOT_ACCEPTABLE
  }
}
