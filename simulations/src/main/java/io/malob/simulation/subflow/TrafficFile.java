package io.malob.simulation.subflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.simulation.model.LabNetwork;
import io.malob.simulation.model.LabNetwork.Host;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * The {@code traffic.json} of {@code ./malob lab run mptcp}: networks, plans of sub-flows, and the
 * pairs of sender and receiver in each run of a cell. Immutable.
 */
public final class TrafficFile {
  private static final double MBPS = 1e6;

  private final double accessBps;
  private final ImmutableMap<String, LabNetwork> networks;
  private final ImmutableMap<String, JsonNode> plans;
  private final ImmutableList<Run> runs;

  /**
   * One run of a cell: of a method at a load on a network.
   *
   * @param plan the name of the plan; null for ordinary forwarding
   */
  private record Run(
      String cell, String network, @Nullable String plan, ImmutableList<Session> sessions) {}

  private TrafficFile(
      double accessBps,
      ImmutableMap<String, LabNetwork> networks,
      ImmutableMap<String, JsonNode> plans,
      ImmutableList<Run> runs) {
    this.accessBps = accessBps;
    this.networks = networks;
    this.plans = plans;
    this.runs = runs;
  }

  /**
   * Reads such a document.
   *
   * @throws IllegalArgumentException with a sentence, if it is not one
   */
  public static TrafficFile read(JsonNode document) {
    double accessMbps = document.path("access_mbps").asDouble();
    if (!(accessMbps > 0)) {
      throw new IllegalArgumentException("'access_mbps' must be a number above 0");
    }
    ImmutableMap.Builder<String, LabNetwork> networks = ImmutableMap.builder();
    document
        .path("networks")
        .properties()
        .forEach(entry -> networks.put(entry.getKey(), LabNetwork.read(entry.getValue())));
    ImmutableMap<String, LabNetwork> known = networks.buildOrThrow();
    ImmutableMap.Builder<String, JsonNode> plans = ImmutableMap.builder();
    document
        .path("plans")
        .properties()
        .forEach(entry -> plans.put(entry.getKey(), entry.getValue()));
    ImmutableList.Builder<Run> runs = ImmutableList.builder();
    for (JsonNode run : document.path("cells")) {
      runs.add(run(run, known));
    }
    return new TrafficFile(accessMbps * MBPS, known, plans.buildOrThrow(), runs.build());
  }

  private static Run run(JsonNode document, Map<String, LabNetwork> networks) {
    String name = document.path("network").asText();
    LabNetwork network = networks.get(name);
    if (network == null) {
      throw new IllegalArgumentException("there is no network '" + name + "'");
    }
    ImmutableList.Builder<Session> sessions = ImmutableList.builder();
    for (JsonNode session : document.path("sessions")) {
      ImmutableList.Builder<IPv4Address> sources = ImmutableList.builder();
      session.path("addresses").forEach(address -> sources.add(IPv4Address.of(address.asText())));
      sessions.add(
          new Session(
              host(network, session.path("from")),
              host(network, session.path("to")),
              sources.build()));
    }
    JsonNode plan = document.path("plan");
    return new Run(
        document.path("cell").asText(),
        name,
        plan.isTextual() ? plan.asText() : null,
        sessions.build());
  }

  private static Host host(LabNetwork network, JsonNode name) {
    return network
        .host(name.asText())
        .orElseThrow(() -> new IllegalArgumentException("there is no host " + name));
  }

  /**
   * By cell, in the order of the file: the total throughput of all sessions, in Mbit/s, on average
   * over the runs of the cell.
   *
   * @throws IllegalArgumentException if a plan is missing, or has no path for a sub-flow
   */
  public ImmutableMap<String, Double> modelMbps() {
    Map<String, double[]> sums = new LinkedHashMap<>();
    for (Run run : runs) {
      double[] sum = sums.computeIfAbsent(run.cell(), cell -> new double[2]);
      sum[0] += mbps(run);
      sum[1]++;
    }
    ImmutableMap.Builder<String, Double> means = ImmutableMap.builder();
    sums.forEach((cell, sum) -> means.put(cell, sum[0] / sum[1]));
    return means.buildOrThrow();
  }

  private double mbps(Run run) {
    LabNetwork network = Objects.requireNonNull(networks.get(run.network()));
    double total = 0;
    for (double bps :
        new SubflowShares(network, accessBps).of(run.sessions(), paths(run, network))) {
      total += bps / MBPS;
    }
    return total;
  }

  private SubflowPaths paths(Run run, LabNetwork network) {
    if (run.plan() == null) {
      return new ForwardingPaths(network.topology());
    }
    JsonNode plan = plans.get(run.plan());
    if (plan == null) {
      throw new IllegalArgumentException("there is no plan '" + run.plan() + "'");
    }
    return PlannedPaths.of(network, plan);
  }
}
