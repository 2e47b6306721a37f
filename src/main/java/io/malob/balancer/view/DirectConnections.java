package io.malob.balancer.view;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.ServerLoad;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.network.Measurement;
import io.malob.state.network.ServerMeasurements;
import io.malob.state.report.Report;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Computes how many connections of a server did not come through a VIP: the connections in its
 * agent's report minus those that the balancer had open when the report arrived. The number stays
 * until the next report, or until the report is too old. Not thread-safe.
 */
final class DirectConnections {
  /** The result for each member, by number. */
  private final Map<Integer, Count> counts = new HashMap<>();

  private record Count(long reportedAtNanos, int direct) {}

  /**
   * The content of a report about a member.
   *
   * @param connections the number of its connections
   * @param ofItsPort whether the number is about the member's port only or about the whole server
   */
  record Reported(int connections, boolean ofItsPort, long atNanos) {}

  /** The report about a member: about its port, or about the whole server if it has no port. */
  static Optional<Reported> reported(Member member, ServerMeasurements measured) {
    ImmutableMap<Integer, Measurement> connections = measured.connections();
    @Nullable Integer port = member.port();
    @Nullable Measurement ofPort = port == null ? null : connections.get(port);
    if (ofPort != null) {
      return Optional.of(new Reported((int) ofPort.value(), true, ofPort.atNanos()));
    }
    @Nullable Measurement ofAll = connections.get(Report.Server.ANY_PORT);
    if (ofAll != null) {
      return Optional.of(new Reported((int) ofAll.value(), false, ofAll.atNanos()));
    }
    if (port != null || connections.isEmpty()) {
      return Optional.empty();
    }
    double sum = connections.values().stream().mapToDouble(Measurement::value).sum();
    long atNanos = connections.values().iterator().next().atNanos();
    return Optional.of(new Reported((int) sum, false, atNanos));
  }

  /**
   * The current direct connections of a member.
   *
   * @param measured the measurements of its server that are not too old
   * @param loads the balancer's own counts, by member number
   */
  int of(
      Member member,
      ServerMeasurements measured,
      CatalogSnapshot catalog,
      Map<Integer, ServerLoad> loads) {
    Optional<Reported> reported = reported(member, measured);
    if (reported.isEmpty()) {
      counts.remove(member.number());
      return 0;
    }
    @Nullable Count known = counts.get(member.number());
    if (known == null || known.reportedAtNanos() != reported.get().atNanos()) {
      int own = own(member, reported.get().ofItsPort(), catalog, loads);
      known = new Count(reported.get().atNanos(), Math.max(0, reported.get().connections() - own));
      counts.put(member.number(), known);
    }
    return known.direct();
  }

  /** Forgets all members but these. */
  void retain(Set<Integer> memberNumbers) {
    counts.keySet().retainAll(memberNumbers);
  }

  /**
   * The balancer's own connections to the server or port of the report. Several members may share
   * it.
   */
  private static int own(
      Member member, boolean ofItsPort, CatalogSnapshot catalog, Map<Integer, ServerLoad> loads) {
    int own = 0;
    for (Member other : catalog.membersAt(member.address())) {
      boolean isThere =
          !ofItsPort || other.port() == null || Objects.equals(other.port(), member.port());
      @Nullable ServerLoad load = isThere ? loads.get(other.number()) : null;
      own += load == null ? 0 : load.active() + load.estimated();
    }
    return own;
  }
}
