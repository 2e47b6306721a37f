package io.malob.state.report;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import java.util.Collection;
import java.util.Optional;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The agents that may report. Immutable.
 *
 * @param allowUnsigned whether unsigned reports in the plain text formats are accepted
 * @param byId all agents, in the order of the file
 * @param addresses theirs
 */
public record AgentTable(
    boolean allowUnsigned, ImmutableMap<String, Agent> byId, ImmutableSet<IPAddress<?>> addresses) {

  /** A table without agents. */
  public static final AgentTable EMPTY =
      new AgentTable(false, ImmutableMap.of(), ImmutableSet.of());

  /** A table of agents with unique ids, and with unique addresses per kind. */
  static AgentTable of(boolean allowUnsigned, Collection<Agent> agents) {
    return new AgentTable(
        allowUnsigned,
        Maps.uniqueIndex(agents, Agent::id),
        agents.stream()
            .flatMap(agent -> agent.addresses().stream())
            .collect(ImmutableSet.toImmutableSet()));
  }

  /** The addresses of the agents of a kind. */
  public ImmutableSet<IPAddress<?>> addresses(Agent.Kind kind) {
    return byId.values().stream()
        .filter(agent -> agent.kind() == kind)
        .map(Agent::address)
        .collect(ImmutableSet.toImmutableSet());
  }

  /** The agent of a kind at an address. */
  public Optional<Agent> at(IPAddress<?> address, Agent.Kind kind) {
    return byId.values().stream()
        .filter(agent -> agent.kind() == kind && agent.addresses().contains(address))
        .findFirst();
  }
}
