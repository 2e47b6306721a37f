package io.malob.balancer.proactive;

import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.proactive.BucketInput.Standing;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The leads from a client edge to the members that its buckets lead to, or may lead to. For one
 * thread at a time.
 */
final class MemberLeads {
  private final DatapathId switchId;
  private final Leads<Integer> leads;
  private final Absences absences;

  MemberLeads(DatapathId switchId, Leads<Integer> leads, Absences absences) {
    this.switchId = switchId;
    this.leads = leads;
    this.absences = absences;
  }

  /**
   * Asks for leads to all members that take new connections, or are in use.
   *
   * @return whether any of these has become absent, so that the patience with it begins
   */
  boolean want(BucketInput now, Set<Integer> inUse) {
    boolean isAnyAbsent = false;
    Set<Integer> wanted = new HashSet<>(inUse);
    now.candidates().forEach(server -> wanted.add(server.number()));
    if (now.traffic().isTracked()) { // members without buckets may have open connections
      wanted.addAll(now.standings().keySet());
    }
    Map<DatapathId, Optional<Path>> paths = new HashMap<>();
    for (int number : wanted) {
      @Nullable Server server = now.server(number);
      Optional<Path> path =
          server == null
              ? Optional.empty()
              // the path is the same to all members of a switch
              : paths.computeIfAbsent(server.at().switchId(), any -> pathTo(server, now));
      path.ifPresent(found -> leads.want(number, server, found));
      boolean isThere = path.isPresent() && now.standing(number) != Standing.ABSENT;
      isAnyAbsent |= absences.note(number, isThere, now.nowNanos());
    }
    leads.retain(wanted);
    absences.retain(wanted);
    return isAnyAbsent;
  }

  private Optional<Path> pathTo(Server server, BucketInput now) {
    return now.plan().placer().placeOn(server, Placer.Request.from(switchId), now.network())
            instanceof Placement placement
        ? Optional.of(placement.requestPath())
        : Optional.empty();
  }

  /**
   * The members that buckets may move to. A switch whose table is full may lack the rules of
   * members that have no buckets yet.
   */
  List<Server> reachable(BucketInput now, Set<DatapathId> full, Map<Integer, Integer> byMember) {
    return now.candidates().stream()
        .filter(server -> leads.find(server.number()).isPresent())
        .filter(
            server ->
                !full.contains(server.at().switchId()) || byMember.containsKey(server.number()))
        .toList();
  }

  /** Whether the shares are those of all members that will soon take connections. */
  boolean isStable(BucketInput now, Set<Integer> withBuckets) {
    for (Server server : now.candidates()) {
      if (leads.find(server.number()).isEmpty() && !absences.isLost(now, server.number())) {
        return false;
      }
    }
    return withBuckets.stream()
        .noneMatch(
            number -> now.standing(number) == Standing.ABSENT && !absences.isLost(now, number));
  }
}
