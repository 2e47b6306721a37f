package io.malob.balancer.proactive;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.balancer.connection.HostRuleCache;
import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.bucket.ReplyRules;
import io.malob.openflow.bucket.ReplyRules.Counted;
import io.malob.openflow.label.LabelTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IpProtocol;

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

  /** The paths to clients' switches, by the members' switch. */
  private final Map<DatapathId, Leads<DatapathId>> leads = new TreeMap<>();

  private @Nullable Asked asked;
  private long askedAtNanos;
  private Map<DatapathId, Map<DatapathId, Lead>> ready = Map.of();
  private @Nullable Inputs last;

  /** Whether members' edges have paths to all clients. */
  private boolean hasPaths;

  private boolean isComplete;

  /** What the rules depend on. */
  private record Inputs(
      BucketTraffic traffic,
      List<Server> servers,
      Map<Integer, Attachment> clients,
      Map<DatapathId, Map<DatapathId, Lead>> leads,
      Set<DatapathId> connected,
      Set<DatapathId> withFlags) {}

  /** What the paths depend on. */
  private record Asked(
      List<Server> servers,
      Map<Integer, Attachment> clients,
      Set<DatapathId> clientSwitches,
      NetworkSnapshot network) {}

  private record Owner(int vipNumber) {}

  ReplySide(LabelTable labels, HostRuleCache hostRules, Programmed programmed) {
    this.labels = labels;
    this.hostRules = hostRules;
    this.programmed = programmed;
  }

  /**
   * Brings the rules up to date.
   *
   * @param clients the known clients of the VIP by address
   * @param clientSwitches the switches that may have clients
   * @param matchesFlags whether a switch matches TCP flags
   */
  void advance(
      Situation now,
      Map<Integer, Attachment> clients,
      Set<DatapathId> clientSwitches,
      Predicate<DatapathId> matchesFlags) {
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
    Set<DatapathId> connected = new HashSet<>();
    Set<DatapathId> withFlags = new HashSet<>();
    for (DatapathId each : leads.keySet()) {
      if (programmed.isConnected(each)) {
        connected.add(each);
      }
      if (matchesFlags.test(each)) {
        withFlags.add(each);
      }
    }
    isComplete = connected.equals(leads.keySet()) && hasPaths;
    Inputs inputs = new Inputs(now.traffic(), servers, clients, ready, connected, withFlags);
    if (!inputs.equals(last)) {
      last = inputs;
      connected.forEach(edge -> program(edge, inputs, now.nowNanos()));
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
    programmed
        .wire(edge)
        .ifPresent(
            wire -> {
              List<OFFlowAdd> rules = new ArrayList<>();
              boolean isTcp = inputs.traffic.protocol().equals(IpProtocol.TCP);
              for (Server server : inputs.servers) {
                if (!server.at().switchId().equals(edge)) {
                  continue;
                }
                rules.add(
                    ReplyRules.translate(wire.factory(), inputs.traffic, server, Counted.ALL));
                if (isTcp) {
                  rules.add(ReplyRules.probeAnswers(wire.factory(), inputs.traffic, server));
                }
                if (isTcp && inputs.withFlags.contains(edge)) {
                  for (Counted counted : List.of(Counted.OPENED, Counted.FINISHED, Counted.RESET)) {
                    rules.add(
                        ReplyRules.translate(wire.factory(), inputs.traffic, server, counted));
                  }
                }
              }
              Map<DatapathId, Lead> to = inputs.leads.getOrDefault(edge, Map.of());
              inputs.clients.forEach(
                  (address, at) -> {
                    @Nullable Lead lead = to.get(at.switchId());
                    if (lead != null) {
                      rules.add(
                          ReplyRules.toClient(
                              wire.factory(),
                              inputs.traffic,
                              AddressKey.toAddress(address),
                              lead.label()));
                    }
                  });
              wire.sw().set(new Owner(inputs.traffic.vipNumber()), rules, wire.factory(), nowNanos);
            });
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

  /** Removes all rules. */
  void clear(int vipNumber, long nowNanos) {
    Set.copyOf(leads.keySet()).forEach(edge -> clear(edge, vipNumber, nowNanos));
    asked = null;
    last = null;
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
