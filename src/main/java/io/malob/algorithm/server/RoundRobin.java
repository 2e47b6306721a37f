package io.malob.algorithm.server;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Reason;
import java.util.concurrent.atomic.AtomicInteger;

/** RR of the thesis (section 3.3.2): the next server in turn, whatever its load. */
public final class RoundRobin implements ServerPicker {
  private static final Reason REASON = new Reason("the next in turn", "none: turns are exact");

  private final int servers;
  private final AtomicInteger turn;

  /** Takes turns over that many servers, from the given turn on. */
  public RoundRobin(int servers, AtomicInteger turn) {
    this.servers = servers;
    this.turn = turn;
  }

  @Override
  public int pick() {
    return Integer.remainderUnsigned(turn.getAndIncrement(), servers);
  }

  @Override
  public int next() {
    return Integer.remainderUnsigned(turn.get(), servers);
  }

  @Override
  public Reason reason() {
    return REASON;
  }

  @Override
  public ImmutableMap<String, Double> values(int index) {
    return ImmutableMap.of("turns_until", (double) Math.floorMod(index - next(), servers));
  }
}
