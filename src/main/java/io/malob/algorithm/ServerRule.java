package io.malob.algorithm;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.server.LeastConnections;
import io.malob.algorithm.server.LeastCpu;
import io.malob.algorithm.server.Prequal;
import io.malob.algorithm.server.RoundRobin;
import io.malob.algorithm.server.ServerPicker;
import io.malob.algorithm.server.TwoChoices;
import io.malob.algorithm.server.WeightedRoundRobin;
import java.util.concurrent.atomic.AtomicInteger;

/** The rules for choosing a server; each is combined with every {@link PathRule}. */
enum ServerRule {
  RR("in turn"),
  WRR("in turn by weight"),
  LC("fewest connections"),
  CPU("lowest CPU utilization"),
  P2C("better of two random servers"),
  PREQUAL("shortest expected response of servers with few connections");

  /** A short description. */
  final String description;

  ServerRule(String description) {
    this.description = description;
  }

  /** Whether the servers take turns, regardless of their load. */
  boolean isByTurns() {
    return this == RR || this == WRR;
  }

  /** What chooses by this rule among these servers; see {@link Placers#of}. */
  ServerPicker picker(ImmutableList<Server> servers, AtomicInteger turn, Counting counting) {
    return switch (this) {
      case RR -> new RoundRobin(servers, turn);
      case WRR -> new WeightedRoundRobin(servers, turn);
      case LC -> new LeastConnections(servers, counting);
      case CPU -> new LeastCpu(servers, counting);
      case P2C -> new TwoChoices(servers, turn, counting);
      case PREQUAL -> new Prequal(servers, turn, counting);
    };
  }
}
