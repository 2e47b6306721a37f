package io.malob.algorithm.joint;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Counting;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import java.util.concurrent.atomic.AtomicInteger;

/** The rules for choosing a server and the paths to and from it together. */
public enum JointRules {
  SL_PS("lowest round-trip latency plus the wait at the server"),
  HT_PS("server with the widest bottleneck"),
  PCT("earliest predicted completion"),
  PREQUAL("earliest predicted completion at servers with few connections");

  /** A short description. */
  public final String description;

  JointRules(String description) {
    this.description = description;
  }

  /** The name that users see. */
  public String text() {
    return name().replace('_', '-');
  }

  /** Whether it needs the widest paths. */
  public boolean isByWidth() {
    return this != SL_PS;
  }

  /**
   * The placer of a joint rule over these servers.
   *
   * @param turn the pool's turn, which continues when the servers change
   * @throws IllegalArgumentException if there is no such joint rule
   */
  public static Placer placer(
      Algorithm algorithm, ImmutableList<Server> servers, AtomicInteger turn, Counting counting) {
    return switch (valueOf(algorithm.name().replace('-', '_'))) {
      case SL_PS -> new ServerWithPath(servers, new ShortestLatency(), counting);
      case HT_PS -> new ServerWithPath(servers, new WidestBottleneck(), counting);
      case PCT -> new ServerWithPath(servers, new PredictedTime(), counting);
      case PREQUAL -> new PrequalWithPath(servers, turn, counting);
    };
  }
}
