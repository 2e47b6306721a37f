package io.malob.balancer.proactive;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.path.EqualPaths;
import io.malob.balancer.bucket.ReplyOrdinals;
import io.malob.balancer.connection.HostRuleCache;
import io.malob.balancer.proactive.EdgeReplies.ReplyInput;
import io.malob.balancer.proactive.EdgeReplies.TableFeatures;
import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.bucket.TrackedMark;
import io.malob.openflow.label.LabelTable;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The rules of a proactive VIP at its members' edges: translation of replies, and paths to clients.
 * For one thread at a time.
 */
final class ReplySide {
  /** How often paths are pathInput for although nothing else has changed: their loads have. */
  private static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LabelTable labels;
  private final HostRuleCache hostRules;
  private final Programmed programmed;
  private final ReplyOrdinals ordinals;
  private final int maxPairs;

  private final Map<DatapathId, EdgeReplies> edges = new TreeMap<>();

  /** The next hops that rules were made for last, by their numbers. */
  private ImmutableMap<MacAddress, Attachment> nextHops = ImmutableMap.of();

  /** Their switches. */
  private Set<DatapathId> homes = Set.of();

  private @Nullable PathInput pathInput;
  private long askedAtNanos;
  private Map<DatapathId, Map<DatapathId, ImmutableList<Lead>>> ready = Map.of();
  private @Nullable Inputs last;
  private boolean isComplete;

  /** Whether members' edges have the paths to next hops that exist: one may have vanished. */
  private boolean hasPaths;

  /** What the rules depend on, besides clients. */
  private record Inputs(
      BucketTraffic traffic,
      ImmutableList<Server> servers,
      Map<DatapathId, Map<DatapathId, ImmutableList<Lead>>> leads,
      ImmutableMap<IPAddress<?>, DatapathId> sources,
      Map<DatapathId, TableFeatures> connected,
      long portChanges) {

    ReplyInput of(DatapathId switchId, Wire wire, long nowNanos) {
      return new ReplyInput(
          traffic,
          servers.stream()
              .filter(each -> each.at().switchId().equals(switchId))
              .collect(ImmutableList.toImmutableList()),
          leads.getOrDefault(switchId, Map.of()),
          sources,
          wire,
          nowNanos);
    }
  }

  /** What the paths depend on. */
  private record PathInput(
      List<Server> servers, Set<DatapathId> destinations, NetworkSnapshot network) {}

  /**
   * No rules.
   *
   * @param ordinals gets the numbers of paths
   * @param maxPairs the max number of rules for replies of members in one table: one per member and
   *     next hop
   */
  ReplySide(
      LabelTable labels,
      HostRuleCache hostRules,
      Programmed programmed,
      ReplyOrdinals ordinals,
      int maxPairs) {
    this.ordinals = ordinals;
    this.maxPairs = maxPairs;
    this.labels = labels;
    this.hostRules = hostRules;
    this.programmed = programmed;
  }

  /**
   * Brings the rules up to date. If only next hops have changed, no rules of others are made.
   *
   * @param known the known next hops of the VIP by their numbers
   * @param clientSwitches the switches that may have clients
   * @param sources the addresses that members see instead of clients, and the switches of these
   */
  void advance(
      BucketInput now,
      ImmutableMap<MacAddress, Attachment> known,
      Set<DatapathId> clientSwitches,
      ImmutableMap<IPAddress<?>, DatapathId> sources) {
    Map<MacAddress, Attachment> changed = takeNextHops(known);
    changed.values().forEach(this::installHost);
    PathInput next =
        new PathInput(
            now.located(),
            ImmutableSet.copyOf(Sets.union(clientSwitches, homes)),
            now.view().network());
    if (!next.equals(pathInput)
        || now.nowNanos() - askedAtNanos >= ASK_NANOS
        || edges.values().stream().anyMatch(edge -> edge.paths().hasPending())) {
      pathInput = next;
      askedAtNanos = now.nowNanos();
      ready = wantLeads(now, next);
      installHosts(next.servers);
    }
    Map<DatapathId, TableFeatures> connected = new HashMap<>();
    for (DatapathId each : edges.keySet()) {
      wire(each, now.traffic()).ifPresent(wire -> connected.put(each, TableFeatures.of(wire)));
    }
    Inputs inputs =
        new Inputs(now.traffic(), now.located(), ready, sources, connected, labels.portChanges());
    boolean isOther = !inputs.equals(last);
    if (isOther || !changed.isEmpty()) {
      last = inputs;
      edges.forEach(
          (at, edge) ->
              wire(at, now.traffic())
                  .map(wire -> inputs.of(at, wire, now.nowNanos()))
                  .ifPresent(
                      input -> {
                        if (isOther) {
                          edge.program(input, nextHops);
                        } else {
                          changed.values().forEach(nextHop -> edge.program(input, nextHop));
                        }
                      }));
      isComplete = connected.keySet().equals(edges.keySet()) && hasPaths;
    }
    edges.forEach(
        (at, edge) -> {
          if (!programmed.at(at).isWaiting()) {
            edge.paths().releaseReplaced();
          }
        });
  }

  /** A switch that can be programmed now, and track connections if that is needed. */
  private Optional<Wire> wire(DatapathId at, BucketTraffic traffic) {
    return programmed.wire(at).filter(any -> !traffic.isTracked() || programmed.tracks(at));
  }

  /** Takes over the known next hops; those that are new or have moved. */
  private Map<MacAddress, Attachment> takeNextHops(ImmutableMap<MacAddress, Attachment> known) {
    if (known.equals(nextHops)) {
      return Map.of();
    }
    Map<MacAddress, Attachment> changed = new HashMap<>();
    Set<DatapathId> switches = new HashSet<>();
    known.forEach(
        (number, at) -> {
          switches.add(at.switchId());
          if (!at.equals(nextHops.get(number))) {
            changed.put(number, at);
          }
        });
    if (!known.keySet().containsAll(nextHops.keySet())) {
      last = null; // all rules are compared, so that those of next hops that are gone are found
    }
    nextHops = known;
    homes = switches;
    return changed;
  }

  private Map<DatapathId, Map<DatapathId, ImmutableList<Lead>>> wantLeads(
      BucketInput now, PathInput next) {
    Set<DatapathId> withMembers = new HashSet<>();
    Map<DatapathId, Map<DatapathId, ImmutableList<Lead>>> found = new HashMap<>();
    hasPaths = true;
    for (Server server : next.servers) {
      DatapathId at = server.at().switchId();
      if (!withMembers.add(at)) {
        continue; // the path to a next hop is the same for all members of a switch
      }
      ReplyPaths paths =
          edges.computeIfAbsent(at, any -> new EdgeReplies(labels, maxPairs)).paths();
      Map<DatapathId, ImmutableList<Lead>> readyHere = new HashMap<>();
      for (DatapathId destination : next.destinations) {
        if (now.plan().placer().placeOn(server, Placer.Request.from(destination), now.network())
            instanceof Placement placement) {
          paths.want(destination, equalPaths(now, placement.replyPath(), paths));
          hasPaths &= !homes.contains(destination) || !paths.ready(destination).isEmpty();
        }
        ImmutableList<Lead> leads = paths.ready(destination);
        if (!leads.isEmpty()) {
          readyHere.put(destination, leads);
          ordinals.publish(now.traffic().vipNumber(), destination, at, leads.size());
        }
      }
      paths.retain(next.destinations);
      found.put(at, readyHere);
    }
    for (DatapathId gone : Set.copyOf(edges.keySet())) {
      if (!withMembers.contains(gone)) {
        clear(gone, now.traffic().vipNumber(), now.nowNanos());
      }
    }
    return found;
  }

  /** Connections that switches remember take several paths in turn. */
  private static List<Path> equalPaths(BucketInput now, Path best, ReplyPaths paths) {
    return now.traffic().isTracked()
        ? EqualPaths.of(now.network(), best, paths.used(best.dst()), TrackedMark.MAX_PATHS)
        : List.of(best);
  }

  /** Members and next hops get host rules that stay while the controller is away. */
  private void installHosts(List<Server> servers) {
    servers.forEach(server -> installHost(server.at()));
    nextHops.values().forEach(this::installHost);
  }

  private void installHost(Attachment at) {
    hostRules
        .left(at)
        .ifPresent(left -> send(left.switchId(), sw -> hostRules.superfluous(sw, left)));
    send(at.switchId(), sw -> hostRules.missingLasting(sw, at));
  }

  /** Sends messages to a switch, unless it is away. */
  private void send(DatapathId at, Function<OFFactory, List<OFMessage>> messages) {
    programmed
        .wire(at)
        .ifPresent(
            wire -> messages.apply(wire.factory()).forEach(message -> wire.sw().then(message)));
  }

  /** Whether all members' edges have the rules that they need. */
  boolean isReady() {
    return isComplete && edges.keySet().stream().allMatch(programmed::isSettled);
  }

  /** The members that have rules. */
  List<Server> members() {
    @Nullable Inputs now = last;
    return now == null ? List.of() : now.servers;
  }

  /** The switches with members. */
  Set<DatapathId> edges() {
    return Set.copyOf(edges.keySet());
  }

  /** Why a switch with one table has no room for the rules of replies; empty if all have. */
  Optional<String> crowded() {
    return edges.values().stream().flatMap(edge -> edge.crowded().stream()).findFirst();
  }

  /** Removes all rules. */
  void clear(int vipNumber, long nowNanos) {
    Set.copyOf(edges.keySet()).forEach(edge -> clear(edge, vipNumber, nowNanos));
    ordinals.forget(vipNumber);
    nextHops = ImmutableMap.of();
    homes = Set.of();
    pathInput = null;
    last = null;
    isComplete = false;
  }

  private void clear(DatapathId switchId, int vipNumber, long nowNanos) {
    @Nullable EdgeReplies removed = edges.remove(switchId);
    if (removed != null) {
      removed.clear(programmed, switchId, vipNumber, nowNanos);
    }
  }
}
