package io.malob.agent;

import io.malob.state.report.Agent;
import io.malob.state.report.AgentStatus;
import io.malob.state.report.RejectedReportException;
import io.malob.state.report.ReportCounts;
import java.util.List;
import java.util.Optional;
import net.floodlightcontroller.core.module.IFloodlightService;

/** The agents and their reports, for other modules. Safe for use by several threads. */
public interface IAgentService extends IFloodlightService {

  /**
   * Accepts a report that did not arrive through the network.
   *
   * @throws RejectedReportException if it is dropped; then it is counted, and nothing has changed
   */
  void take(byte[] report) throws RejectedReportException;

  /** The numbers of accepted and dropped reports, since the controller's start. */
  ReportCounts counts();

  /** The agents that may report, in the order of their file. */
  List<KnownAgent> agents();

  /** Now, on the clock of {@link AgentStatus#atNanos}. */
  long nanoTime();

  /**
   * An agent.
   *
   * @param status its last report; empty if there was none since the controller's start
   */
  record KnownAgent(Agent agent, Optional<AgentStatus> status) {}
}
