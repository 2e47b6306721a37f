package io.malob.simulation.model;

import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.algorithm.estimate.ServiceProfile.Ended;
import io.malob.algorithm.estimate.TransferTime;
import io.malob.simulation.fluid.EventQueue;
import java.util.HashMap;
import java.util.Map;

/** Feeds the profile of each service with its connections, as switches' rules would. */
final class Learning {
  /** What a client sends in one exchange; assumed. */
  private static final long REQUEST_BYTES = 1_000;

  /** The idle time after which a rule reports its counts. */
  private static final double IDLE_SECONDS = 15;

  private final EventQueue events;
  private final Map<String, ServiceProfile> profiles = new HashMap<>();

  Learning(EventQueue events) {
    this.events = events;
  }

  /** The profile of a service. */
  ServiceProfile profile(Service service) {
    return profiles.computeIfAbsent(service.name(), any -> new ServiceProfile());
  }

  /**
   * A connection has been placed, and is not yet counted.
   *
   * @return to be run when it has ended
   */
  Runnable placed(Service service, Placement placement, NetworkSnapshot network) {
    ServiceProfile profile = profile(service);
    if (!profile.wantsNext()) {
      return () -> {};
    }
    Server server = placement.server();
    long replyBytes = (long) (service.exchanges() * service.answerBits() / 8);
    long began = events.nowNanos();
    long inFlight = server.load().present();
    double roundTripNanos =
        (double) network.values().latencyNanos(placement.requestPath())
            + network.values().latencyNanos(placement.replyPath());
    double networkNanos =
        TransferTime.nanos(
            (double) replyBytes, roundTripNanos, network.values().shareBps(placement.replyPath()));
    return () -> {
      Ended ended =
          new Ended(
              server.number(),
              server.weight(),
              inFlight,
              replyBytes,
              service.exchanges() * REQUEST_BYTES,
              (double) (events.nowNanos() - began),
              networkNanos);
      events.after(IDLE_SECONDS, () -> profile.learn(ended));
    };
  }
}
