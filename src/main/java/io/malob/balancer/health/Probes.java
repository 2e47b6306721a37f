package io.malob.balancer.health;

import io.malob.algorithm.Server;
import io.malob.state.catalog.HttpCheck;
import io.malob.state.catalog.Monitor;
import io.malob.state.network.ServerMeasurements;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/** Asks members in the way that their monitor says. For one thread. */
public final class Probes {
  /** After a start switches, links and hosts are found one after the other. */
  static final long FIND_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final FrameProbes probes;
  private final HttpProbes http;
  private final Function<IPAddress<?>, ServerMeasurements> measured;
  private final Predicate<DatapathId> takesOrders;
  private final Consumer<Probe> answered;

  /**
   * Nothing asked yet.
   *
   * @param probes asks through the switches
   * @param http asks over the controller's own network
   * @param measured what agents have reported of the server at an address
   * @param takesOrders whether a switch can be told to ask
   * @param answered takes each question once, with its answer, on any thread
   */
  public Probes(
      FrameProbes probes,
      HttpProbes http,
      Function<IPAddress<?>, ServerMeasurements> measured,
      Predicate<DatapathId> takesOrders,
      Consumer<Probe> answered) {
    this.probes = probes;
    this.http = http;
    this.measured = measured;
    this.takesOrders = takesOrders;
    this.answered = answered;
  }

  /**
   * Asks a member.
   *
   * @param servers where members are
   * @return null if it cannot be asked now, which says nothing about it
   */
  @Nullable Probe ask(HealthCheck check, Map<Integer, Server> servers, long nowNanos) {
    if (!check.canBeAsked()) {
      return null;
    }
    return switch (check.monitor.type()) {
      case AGENT -> known(check, hasReportedWell(check, nowNanos));
      case PING, TCP -> probe(check, servers, nowNanos);
      case HTTP -> request(check);
    };
  }

  private @Nullable Probe request(HealthCheck check) {
    @Nullable HttpCheck asked = check.monitor.http();
    return asked == null
        ? null
        : http.ask(
            new HttpProbes.Target(
                check.member.number(),
                check.member.monitored(),
                check.port(),
                asked,
                Duration.ofSeconds(check.monitor.timeoutSeconds())));
  }

  private boolean hasReportedWell(HealthCheck check, long nowNanos) {
    ServerMeasurements report = measured.apply(check.member.address());
    @Nullable Long reportedAt = report.reportedAtNanos();
    long timeout = TimeUnit.SECONDS.toNanos(check.monitor.timeoutSeconds());
    return reportedAt != null
        && nowNanos - reportedAt <= timeout
        && !Boolean.FALSE.equals(report.answers());
  }

  /** A question whose answer is known without asking anybody. */
  private Probe known(HealthCheck check, boolean passed) {
    Probe probe = new Probe(check.member.number(), answered, () -> {});
    probe.answer(passed);
    return probe;
  }

  /**
   * Whether the switch of a member is not controlled. It goes on forwarding, and so may the member:
   * that a question is not answered, or its place is forgotten, says nothing about it.
   */
  boolean isOutOfReach(HealthCheck check) {
    return check.switchId != null && !takesOrders.test(check.switchId);
  }

  private @Nullable Probe probe(HealthCheck check, Map<Integer, Server> servers, long nowNanos) {
    @Nullable Server server = servers.get(check.member.number());
    if (server != null) {
      check.switchId = server.at().switchId();
    }
    if (check.vip == null) {
      return null;
    }
    if (isOutOfReach(check)) {
      check.soughtSinceNanos = nowNanos;
      return null;
    }
    if (server == null) {
      boolean isSought = nowNanos - check.soughtSinceNanos < FIND_NANOS;
      return isSought ? null : known(check, false);
    }
    FrameProbes.Target target =
        new FrameProbes.Target(
            check.member.number(), check.member.address(), server.at(), check.vip.address());
    return check.monitor.type() == Monitor.Type.PING
        ? probes.echo(target)
        : probes.syn(target, check.port());
  }
}
