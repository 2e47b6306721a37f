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
import io.malob.balancer.connection.HostRuleCache;
import io.malob.balancer.proactive.EdgeBuckets.Wire;
import io.malob.balancer.proactive.EdgeReplies.Pass;
import io.malob.balancer.proactive.EdgeReplies.Shape;
import io.malob.openflow.bucket.BucketTraffic;
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

/**
 * The rules of a proactive VIP at its members' edges: translation of replies, and paths to clients.
 * For one thread at a time.
 */
final class ReplySide {
  /** How often paths are asked for although nothing else has changed: their loads have. */
  private static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LabelTable labels;
  private final HostRuleCache hostRules;
  private final Programmed programmed;
  private final int maxPairs;

  private final Map<DatapathId, EdgeReplies> edges = new TreeMap<>();

  /** The clients that rules were made for last. */
  private ImmutableMap<Integer, Attachment> clients = ImmutableMap.of();

  /** Their switches. */
  private Set<DatapathId> homes = Set.of();

  private @Nullable Asked asked;
  private long askedAtNanos;
  private Map<DatapathId, Map<DatapathId, Lead>> ready = Map.of();
  private @Nullable Inputs last;
  private boolean isComplete;

  /** What the rules depend on, besides clients. */
  private record Inputs(
      BucketTraffic traffic,
      ImmutableList<Server> servers,
      Map<DatapathId, Map<DatapathId, Lead>> leads,
      Map<DatapathId, Shape> connected,
      long portChanges) {

    Pass pass(DatapathId switchId, Wire wire, long nowNanos) {
      return new Pass(
          traffic,
          servers.stream()
              .filter(each -> each.at().switchId().equals(switchId))
              .collect(ImmutableList.toImmutableList()),
          leads.getOrDefault(switchId, Map.of()),
          wire,
          nowNanos);
    }
  }

  /** What the paths depend on. */
  private record Asked(
      List<Server> servers, Set<DatapathId> destinations, NetworkSnapshot network) {}

  /**
   * No rules.
   *
   * @param maxPairs the max number of rules for replies of members in one table: one per member and
   *     client
   */
  ReplySide(LabelTable labels, HostRuleCache hostRules, Programmed programmed, int maxPairs) {
    this.maxPairs = maxPairs;
    this.labels = labels;
    this.hostRules = hostRules;
    this.programmed = programmed;
  }

  /**
   * Brings the rules up to date. If only clients have changed, no rules of others are made.
   *
   * @param known the known clients of the VIP by address
   * @param clientSwitches the switches that may have clients
   */
  void advance(
      Situation now, ImmutableMap<Integer, Attachment> known, Set<DatapathId> clientSwitches) {
    Map<Integer, Attachment> changed = takeClients(known);
    changed.forEach(this::installHost);
    Asked next =
        new Asked(
            now.located(),
            ImmutableSet.copyOf(Sets.union(clientSwitches, homes)),
            now.view().network());
    if (!next.equals(asked)
        || now.nowNanos() - askedAtNanos >= ASK_NANOS
        || edges.values().stream().anyMatch(edge -> edge.leads().hasPending())) {
      asked = next;
      askedAtNanos = now.nowNanos();
      ready = wantLeads(now, next);
      installHosts(next.servers);
    }
    Map<DatapathId, Shape> connected = new HashMap<>();
    for (DatapathId each : edges.keySet()) {
      programmed.wire(each).ifPresent(wire -> connected.put(each, Shape.of(wire)));
    }
    Inputs inputs =
        new Inputs(now.traffic(), now.located(), ready, connected, labels.portChanges());
    boolean isOther = !inputs.equals(last);
    if (isOther || !changed.isEmpty()) {
      last = inputs;
      edges.forEach(
          (at, edge) ->
              programmed
                  .wire(at)
                  .map(wire -> inputs.pass(at, wire, now.nowNanos()))
                  .ifPresent(
                      pass -> {
                        if (isOther) {
                          edge.program(pass, clients);
                        } else {
                          changed.forEach((client, where) -> edge.program(pass, client, where));
                        }
                      }));
      isComplete = connected.keySet().equals(edges.keySet()) && hasPaths();
    }
    edges.forEach(
        (at, edge) -> {
          if (!programmed.at(at).isWaiting()) {
            edge.leads().releaseReplaced();
          }
        });
  }

  /** Takes over the known clients; those that are new or have moved. */
  private Map<Integer, Attachment> takeClients(ImmutableMap<Integer, Attachment> known) {
    if (known.equals(clients)) {
      return Map.of();
    }
    Map<Integer, Attachment> changed = new HashMap<>();
    Set<DatapathId> switches = new HashSet<>();
    known.forEach(
        (client, at) -> {
          switches.add(at.switchId());
          if (!at.equals(clients.get(client))) {
            changed.put(client, at);
          }
        });
    if (!known.keySet().containsAll(clients.keySet())) {
      last = null; // all rules are compared, so that those of clients that are gone are found
    }
    clients = known;
    homes = switches;
    return changed;
  }

  private Map<DatapathId, Map<DatapathId, Lead>> wantLeads(Situation now, Asked next) {
    Set<DatapathId> withMembers = new HashSet<>();
    Map<DatapathId, Map<DatapathId, Lead>> found = new HashMap<>();
    for (Server server : next.servers) {
      DatapathId at = server.at().switchId();
      if (!withMembers.add(at)) {
        continue; // the path to a client is the same for all members of a switch
      }
      Leads<DatapathId> leads =
          edges.computeIfAbsent(at, any -> new EdgeReplies(labels, maxPairs)).leads();
      Map<DatapathId, Lead> readyHere = new HashMap<>();
      for (DatapathId destination : next.destinations) {
        if (now.plan().placer().placeOn(server, Placer.Request.from(destination), now.network())
            instanceof Placement placement) {
          leads.want(destination, null, placement.replyPath());
        }
        leads.find(destination).ifPresent(lead -> readyHere.put(destination, lead));
      }
      leads.retain(next.destinations);
      found.put(at, readyHere);
    }
    for (DatapathId gone : Set.copyOf(edges.keySet())) {
      if (!withMembers.contains(gone)) {
        clear(gone, now.traffic().vipNumber(), now.nowNanos());
      }
    }
    return found;
  }

  /** Whether members' edges have paths to all clients. */
  private boolean hasPaths() {
    return homes.stream()
        .allMatch(home -> ready.values().stream().allMatch(to -> to.containsKey(home)));
  }

  /** Members and clients get host rules that stay while the controller is away. */
  private void installHosts(List<Server> servers) {
    servers.forEach(server -> installHost(server.address(), server.at()));
    clients.forEach(this::installHost);
  }

  private void installHost(int address, Attachment at) {
    hostRules
        .left(address, at)
        .ifPresent(left -> send(left.switchId(), sw -> hostRules.superfluous(sw, address, left)));
    send(at.switchId(), sw -> hostRules.missingLasting(sw, address, at));
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
    clients = ImmutableMap.of();
    homes = Set.of();
    asked = null;
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
