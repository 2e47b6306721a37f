package io.malob.state.report;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.state.network.ServerValue;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * A report of an agent. Immutable.
 *
 * @param stamp its identity; null if it is unsigned
 */
public record Report(@Nullable Stamp stamp, Content content) {

  /**
   * The identity of a report of one agent.
   *
   * @param boot a random name of this run of the agent
   * @param sequence counts the reports of the run
   * @param timeMillis the agent's wall clock, from 1970
   * @param uptimeMillis the agent's monotonic clock
   */
  public record Stamp(String boot, long sequence, long timeMillis, long uptimeMillis) {}

  /** The content of a report. */
  public sealed interface Content {
    /** The kind of agent that reports this. */
    Agent.Kind kind();
  }

  /**
   * The state of a server.
   *
   * @param values the measurements
   * @param answers whether its service answered the agent; empty if it was not asked
   * @param connections established TCP connections by local port; under {@link #ANY_PORT} those of
   *     all ports
   */
  public record Server(
      ImmutableMap<ServerValue, Double> values,
      Optional<Boolean> answers,
      ImmutableMap<Integer, Integer> connections)
      implements Content {
    /** The key for all ports together. */
    public static final int ANY_PORT = 0;

    /** The state of a server whose agent does not probe its service. */
    public Server(
        ImmutableMap<ServerValue, Double> values, ImmutableMap<Integer, Integer> connections) {
      this(values, Optional.empty(), connections);
    }

    @Override
    public Agent.Kind kind() {
      return Agent.Kind.SERVER;
    }
  }

  /** Throughputs from the agent's node to its neighbours. */
  public record Links(ImmutableList<Throughput> links) implements Content {
    @Override
    public Agent.Kind kind() {
      return Agent.Kind.LINK;
    }
  }

  /**
   * The available TCP throughput between the agent's node and another node, in bit/s.
   *
   * @param upBps towards the neighbour
   * @param downBps from the neighbour
   */
  public record Throughput(IPAddress<?> neighbour, OptionalDouble upBps, OptionalDouble downBps) {}
}
