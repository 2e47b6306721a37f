package io.malob.algorithm.server;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** RR of the thesis (section 3.3.2): the next server in turn, regardless of its load. */
public final class RoundRobin implements ServerPicker {
  private static final Reason REASON = new Reason("the next in turn", "none, as turns are exact");

  private final int count;
  private final Turns turns;

  /** Takes turns over these servers, from the given turn on. */
  public RoundRobin(List<Server> servers, AtomicInteger turn) {
    this.count = servers.size();
    this.turns = new Turns(servers, turn, now -> Integer.remainderUnsigned(now, count));
  }

  @Override
  public int pick(ServiceProfile service) {
    return turns.pick();
  }

  @Override
  public int next(ServiceProfile service) {
    return turns.next();
  }

  @Override
  public Reason reason() {
    return REASON;
  }

  @Override
  public ImmutableMap<String, Double> values(int index, ServiceProfile service) {
    return ImmutableMap.of("turns_until", (double) Math.floorMod(index - turns.next(), count));
  }
}
