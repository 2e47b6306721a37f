package io.malob.balancer.proactive;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.balancer.connection.HostRuleCache;
import io.malob.balancer.proactive.EdgeBuckets.Wire;
import io.malob.openflow.Onward;
import io.malob.openflow.TableLayout;
import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.bucket.ReplyRules;
import io.malob.openflow.bucket.ReplyRules.Counted;
import io.malob.openflow.label.LabelTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.OFPort;

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

  /** The paths to clients' switches, by the members' switch. */
  private final Map<DatapathId, Leads<DatapathId>> leads = new TreeMap<>();

  private @Nullable Asked asked;
  private long askedAtNanos;
  private Map<DatapathId, Map<DatapathId, Lead>> ready = Map.of();
  private @Nullable Inputs last;

  /** Whether members' edges have paths to all clients. */
  private boolean hasPaths;

  private boolean isComplete;

  /** The switches with one table whose members and clients are too many, and why. */
  private Map<DatapathId, String> crowded = Map.of();

  /** What the rules depend on. */
  private record Inputs(
      BucketTraffic traffic,
      List<Server> servers,
      Map<Integer, Attachment> clients,
      Map<DatapathId, Map<DatapathId, Lead>> leads,
      Map<DatapathId, Shape> connected,
      long portChanges) {
    Attachment at(int client) {
      return Objects.requireNonNull(clients.get(client));
    }
  }

  /** What the rules of a switch depend on, besides the others. */
  private record Shape(TableLayout layout, boolean countsTcpFlags) {}

  /** What the paths depend on. */
  private record Asked(
      List<Server> servers,
      Map<Integer, Attachment> clients,
      Set<DatapathId> clientSwitches,
      NetworkSnapshot network) {}

  private record Owner(int vipNumber) {}

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
   * Brings the rules up to date.
   *
   * @param clients the known clients of the VIP by address
   * @param clientSwitches the switches that may have clients
   */
  void advance(Situation now, Map<Integer, Attachment> clients, Set<DatapathId> clientSwitches) {
    List<Server> servers = now.located();
    Asked next = new Asked(servers, clients, Set.copyOf(clientSwitches), now.view().network());
    if (!next.equals(asked)
        || now.nowNanos() - askedAtNanos >= ASK_NANOS
        || leads.values().stream().anyMatch(Leads::hasPending)) {
      asked = next;
      askedAtNanos = now.nowNanos();
      ready = wantLeads(now, next);
      hasPaths =
          clients.values().stream()
              .map(Attachment::switchId)
              .distinct()
              .allMatch(at -> ready.values().stream().allMatch(to -> to.containsKey(at)));
      installHosts(servers, clients);
    }
    Map<DatapathId, Shape> connected = new HashMap<>();
    for (DatapathId each : leads.keySet()) {
      programmed
          .wire(each)
          .ifPresent(
              wire ->
                  connected.put(each, new Shape(wire.tables().layout(), wire.countsTcpFlags())));
    }
    isComplete = connected.keySet().equals(leads.keySet()) && hasPaths;
    Inputs inputs =
        new Inputs(now.traffic(), servers, clients, ready, connected, labels.portChanges());
    if (!inputs.equals(last)) {
      last = inputs;
      crowded = new HashMap<>();
      connected.keySet().forEach(edge -> program(edge, inputs, now.nowNanos()));
      leads.values().forEach(Leads::releaseReplaced);
    }
  }

  private Map<DatapathId, Map<DatapathId, Lead>> wantLeads(Situation now, Asked next) {
    Set<DatapathId> destinations = new HashSet<>(next.clientSwitches);
    next.clients.values().forEach(at -> destinations.add(at.switchId()));
    Set<DatapathId> edges = new HashSet<>();
    Map<DatapathId, Map<DatapathId, Lead>> found = new HashMap<>();
    for (Server server : next.servers) {
      DatapathId edge = server.at().switchId();
      if (!edges.add(edge)) {
        continue; // the path to a client is the same for all members of a switch
      }
      Leads<DatapathId> ofEdge = leads.computeIfAbsent(edge, any -> new Leads<>(labels));
      Map<DatapathId, Lead> readyHere = new HashMap<>();
      for (DatapathId destination : destinations) {
        if (now.plan().placer().placeOn(server, Placer.Request.from(destination), now.network())
            instanceof Placement placement) {
          ofEdge.want(destination, null, placement.replyPath());
        }
        ofEdge.find(destination).ifPresent(lead -> readyHere.put(destination, lead));
      }
      ofEdge.retain(destinations);
      found.put(edge, readyHere);
    }
    for (DatapathId gone : Set.copyOf(leads.keySet())) {
      if (!edges.contains(gone)) {
        clear(gone, now.traffic().vipNumber(), now.nowNanos());
      }
    }
    return found;
  }

  private void program(DatapathId edge, Inputs inputs, long nowNanos) {
    List<Server> servers =
        inputs.servers.stream().filter(each -> each.at().switchId().equals(edge)).toList();
    Map<Integer, Lead> to = new TreeMap<>();
    Map<DatapathId, Lead> leadsHere = inputs.leads.getOrDefault(edge, Map.of());
    inputs.clients.forEach(
        (address, at) -> {
          @Nullable Lead lead = leadsHere.get(at.switchId());
          if (lead != null) {
            to.put(address, lead);
          }
        });
    programmed
        .wire(edge)
        .ifPresent(
            wire -> {
              List<OFFlowAdd> rules =
                  wire.tables().isOne()
                      ? inOneTable(edge, wire, inputs, servers, to)
                      : inFourTables(wire, inputs, servers, to);
              if (inputs.traffic.isTcp()) {
                servers.forEach(
                    server ->
                        rules.add(ReplyRules.probeAnswers(wire.factory(), inputs.traffic, server)));
              }
              wire.sw().set(new Owner(inputs.traffic.vipNumber()), rules, wire.factory(), nowNanos);
            });
  }

  private static List<OFFlowAdd> inFourTables(
      Wire wire, Inputs inputs, List<Server> servers, Map<Integer, Lead> to) {
    List<OFFlowAdd> rules = new ArrayList<>();
    BucketTraffic traffic = inputs.traffic;
    Set<OFPort> ports = new HashSet<>();
    for (Server server : servers) {
      ports.add(server.at().port());
      rules.add(ReplyRules.translate(wire.factory(), traffic, server, Counted.ALL));
      if (traffic.isTcp() && wire.countsTcpFlags()) {
        for (Counted counted : List.of(Counted.OPENED, Counted.FINISHED, Counted.RESET)) {
          rules.add(ReplyRules.translate(wire.factory(), traffic, server, counted));
        }
      }
    }
    to.forEach(
        (address, lead) -> {
          IPAddress<?> client = AddressKey.toAddress(address);
          Onward next = lead.onward(inputs.at(address));
          rules.add(ReplyRules.toClient(wire.tables(), traffic, client, next));
          if (next.label() != null && ports.contains(next.out())) { // members behind a core switch
            rules.add(ReplyRules.toClientFrom(wire.tables(), traffic, client, next, next.out()));
          }
        });
    return rules;
  }

  private List<OFFlowAdd> inOneTable(
      DatapathId edge, Wire wire, Inputs inputs, List<Server> servers, Map<Integer, Lead> to) {
    List<OFFlowAdd> rules = new ArrayList<>();
    BucketTraffic traffic = inputs.traffic;
    servers.forEach(
        server -> rules.add(ReplyRules.translateToController(wire.factory(), traffic, server)));
    int maxClients = maxPairs / Math.max(1, servers.size());
    if (to.size() > maxClients) {
      crowded.put(
          edge,
          "replies of %d members to %d clients need more than %d rules in the table of switch %s"
              .formatted(servers.size(), to.size(), maxPairs, edge));
    }
    to.entrySet().stream()
        .limit(maxClients) // the controller forwards the other replies until the VIP is reactive
        .forEach(
            each -> {
              IPAddress<?> client = AddressKey.toAddress(each.getKey());
              Onward next = each.getValue().onward(inputs.at(each.getKey()));
              for (Server server : servers) {
                rules.add(ReplyRules.translateTo(wire.tables(), traffic, server, client, next));
              }
            });
    return rules;
  }

  /** Members and clients get host rules that stay while the controller is away. */
  private void installHosts(List<Server> servers, Map<Integer, Attachment> clients) {
    servers.forEach(server -> installHost(server.address(), server.at()));
    clients.forEach(this::installHost);
  }

  private void installHost(int address, Attachment at) {
    programmed
        .wire(at.switchId())
        .ifPresent(
            wire ->
                hostRules
                    .missingLasting(wire.factory(), address, at)
                    .forEach(message -> wire.sw().then(message)));
  }

  /** Whether all members' edges have the rules that they need. */
  boolean isReady() {
    return isComplete && leads.keySet().stream().allMatch(programmed::isSettled);
  }

  /** The switches with members. */
  Set<DatapathId> edges() {
    return Set.copyOf(leads.keySet());
  }

  /** Why a switch with one table has no room for the rules of replies; empty if all have. */
  Optional<String> crowded() {
    return crowded.values().stream().findFirst();
  }

  /** Removes all rules. */
  void clear(int vipNumber, long nowNanos) {
    Set.copyOf(leads.keySet()).forEach(edge -> clear(edge, vipNumber, nowNanos));
    asked = null;
    last = null;
    crowded = Map.of();
    isComplete = false;
  }

  private void clear(DatapathId edge, int vipNumber, long nowNanos) {
    programmed.clear(edge, new Owner(vipNumber), nowNanos);
    @Nullable Leads<DatapathId> removed = leads.remove(edge);
    if (removed != null) {
      removed.retain(Set.of());
      removed.releaseReplaced();
    }
  }
}
