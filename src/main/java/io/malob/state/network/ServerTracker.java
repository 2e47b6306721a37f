package io.malob.state.network;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.malob.state.network.Measurement.Source;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The reports of servers' agents, by address. Older data never replaces newer. Thread-safe: each
 * report is one atomic step for one server. Bounded by the number of agents, because only known
 * agents can report.
 */
public final class ServerTracker {
  private final TimesToLive times;
  private final Map<IPAddress<?>, Report> reports = new ConcurrentHashMap<>();
  private final List<Consumer<IPAddress<?>>> listeners = new CopyOnWriteArrayList<>();

  /** A tracker without servers. */
  public ServerTracker(TimesToLive times) {
    this.times = times;
  }

  /**
   * One report of a server's agent.
   *
   * @param values the measurements
   * @param answers whether its service answered the agent; empty if it was not asked
   * @param connections established connections by local port
   * @param atNanos when it was made, on the controller's steady clock
   */
  public record Report(
      ImmutableMap<ServerValue, Double> values,
      Optional<Boolean> answers,
      ImmutableMap<Integer, Integer> connections,
      long atNanos) {

    /** A report of an agent that does not probe its service. */
    public Report(
        ImmutableMap<ServerValue, Double> values,
        ImmutableMap<Integer, Integer> connections,
        long atNanos) {
      this(values, Optional.empty(), connections, atNanos);
    }
  }

  /**
   * Adds a listener for the addresses of servers with a new report. It is called at once, on the
   * report's thread.
   */
  public void addListener(Consumer<IPAddress<?>> listener) {
    listeners.add(listener);
  }

  /** Stores a report, unless there is a newer one. */
  public void report(IPAddress<?> server, Report report) {
    reports.merge(
        server, report, (before, now) -> now.atNanos() - before.atNanos() >= 0 ? now : before);
    listeners.forEach(listener -> listener.accept(server));
  }

  /** Forgets a server whose agent is no longer known. */
  public void forget(IPAddress<?> server) {
    reports.remove(server);
  }

  /** The measurements of a server that have not expired. */
  public ServerMeasurements get(IPAddress<?> server, long nowNanos) {
    @Nullable Report report = reports.get(server);
    if (report == null || nowNanos - report.atNanos() > times.serverNanos()) {
      return ServerMeasurements.UNKNOWN;
    }
    return measurements(report);
  }

  /** All reported servers, with their measurements that have not expired. */
  public ImmutableMap<IPAddress<?>, ServerMeasurements> snapshot(long nowNanos) {
    ImmutableMap.Builder<IPAddress<?>, ServerMeasurements> all = ImmutableMap.builder();
    reports.keySet().stream().sorted().forEach(server -> all.put(server, get(server, nowNanos)));
    return all.build();
  }

  private static ServerMeasurements measurements(Report report) {
    return new ServerMeasurements(
        measurements(report.values(), report.atNanos()),
        report.answers().orElse(null),
        measurements(report.connections(), report.atNanos()));
  }

  private static <K> ImmutableMap<K, Measurement> measurements(
      Map<K, ? extends Number> values, long atNanos) {
    return ImmutableMap.copyOf(
        Maps.transformValues(
            values, value -> new Measurement(value.doubleValue(), atNanos, Source.AGENT)));
  }
}
