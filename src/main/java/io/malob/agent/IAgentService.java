package io.malob.agent;

import io.malob.state.report.Agent;
import io.malob.state.report.AgentStatus;
import io.malob.state.report.RejectedReportException;
import io.malob.state.report.ReportCounts;
import java.util.List;
import java.util.Optional;
import net.floodlightcontroller.core.module.IFloodlightService;

/** The agents and what they report, as other modules see them. Safe for use by several threads. */
public interface IAgentService extends IFloodlightService {

  /**
   * Takes in a report that came by another way than through the network.
   *
   * @throws RejectedReportException if it is dropped; then it is counted, and nothing has changed
   */
  void take(byte[] report) throws RejectedReportException;

  /** What was accepted and what was dropped, since the controller's start. */
  ReportCounts counts();

  /** The agents that may report, in the order of their file. */
  List<KnownAgent> agents();

  /** Now, on the clock of {@link AgentStatus#atNanos}. */
  long nanoTime();

  /**
   * An agent.
   *
   * @param status how it was last heard; empty if it has not been since the controller's start
   */
  record KnownAgent(Agent agent, Optional<AgentStatus> status) {}
}
