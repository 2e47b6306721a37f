package io.malob.algorithm.server;

import java.util.concurrent.atomic.AtomicInteger;

/** RR of the thesis (section 3.3.2): the next server in turn, whatever its load. */
public final class RoundRobin implements ServerPicker {
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
}
