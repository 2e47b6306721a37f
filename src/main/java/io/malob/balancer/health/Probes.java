package io.malob.balancer.health;

import io.malob.algorithm.Server;
import io.malob.state.catalog.HttpCheck;
import io.malob.state.catalog.Monitor;
import io.malob.state.network.Routing;
import io.malob.state.network.ServerMeasurements;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * Probes members by the type of their monitor. Not thread-safe.
 *
 * @param probes sends probes through the data plane
 * @param http sends probes over the management network
 * @param measured the agents' reports of the server at an address
 * @param isControlled whether this controller is master of a switch
 * @param standby whether switches are connected, but this controller is master of none
 * @param routing has the sources of probes; members without one are probed from VIPs
 * @param answered receives each probe once, at its answer, on any thread
 */
public record Probes(
    FrameProbes probes,
    HttpProbes http,
    Function<IPAddress<?>, ServerMeasurements> measured,
    Predicate<DatapathId> isControlled,
    BooleanSupplier standby,
    Routing routing,
    Consumer<Probe> answered) {
  /**
   * The time to locate a member. After a start, the controller discovers switches, links and hosts
   * one after the other.
   */
  static final long MAX_SEARCH_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * Probes a member.
   *
   * @param servers the located members, by number
   * @return null if the member cannot be probed now, which proves nothing about its health
   */
  @Nullable Probe start(HealthCheck check, Map<Integer, Server> servers, long nowNanos) {
    if (!check.canBeProbed()) {
      return null;
    }
    return switch (check.monitor.type()) {
      case AGENT -> known(check, hasGoodReport(check, nowNanos));
      case PING, TCP -> probe(check, servers, nowNanos);
      case HTTP -> request(check);
    };
  }

  private @Nullable Probe request(HealthCheck check) {
    @Nullable HttpCheck httpCheck = check.monitor.http();
    return httpCheck == null
        ? null
        : http.start(
            new HttpProbes.Target(
                check.member.number(),
                check.member.monitored(),
                check.port(),
                httpCheck,
                Duration.ofSeconds(check.monitor.timeoutSeconds())));
  }

  private boolean hasGoodReport(HealthCheck check, long nowNanos) {
    ServerMeasurements report = measured.apply(check.member.address());
    @Nullable Long reportedAt = report.reportedAtNanos();
    long timeout = TimeUnit.SECONDS.toNanos(check.monitor.timeoutSeconds());
    return reportedAt != null
        && nowNanos - reportedAt <= timeout
        && !Boolean.FALSE.equals(report.answers());
  }

  /** A probe whose result is known already. */
  private Probe known(HealthCheck check, boolean passed) {
    Probe probe = new Probe(check.member.number(), answered, () -> {});
    probe.answer(passed);
    return probe;
  }

  /**
   * Whether the member's switch is out of control. The switch continues to forward, and the member
   * may continue to work: neither a missing answer nor a missing location proves anything about it.
   */
  boolean isOutOfControl(HealthCheck check) {
    return check.monitor.type().usesDataPlane()
        && check.switchId != null
        && !isControlled.test(check.switchId);
  }

  private @Nullable Probe probe(HealthCheck check, Map<Integer, Server> servers, long nowNanos) {
    @Nullable Server server = servers.get(check.member.number());
    if (server != null) {
      check.switchId = server.at().switchId();
    }
    if (check.vip == null) {
      return null;
    }
    // a controller that stands by cannot look for a member
    if (isOutOfControl(check) || (server == null && standby.getAsBoolean())) {
      check.searchSinceNanos = nowNanos;
      return null;
    }
    if (server == null) {
      boolean isSearching = nowNanos - check.searchSinceNanos < MAX_SEARCH_NANOS;
      return isSearching ? null : known(check, false);
    }
    FrameProbes.Target target =
        new FrameProbes.Target(
            check.member.number(), check.member.address(), server.at(), source(check));
    return check.monitor.type() == Monitor.Type.PING
        ? probes.echo(target)
        : probes.syn(target, check.port());
  }

  /** A member may have no route to a VIP that is not in its subnet. */
  private IPAddress<?> source(HealthCheck check) {
    return routing.sourceTo(check.member.address(), check.member.vlan()).orElseGet(check::source);
  }
}
