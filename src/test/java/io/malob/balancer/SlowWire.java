package io.malob.balancer;

import io.malob.testing.EventQueue;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Connections between a controller and its switches that take their time: in order for one switch
 * and one direction, as TCP is, and in any order across switches. What is on its way when a
 * connection breaks is lost. The upkeep's tasks take their time, too.
 */
final class SlowWire implements BalancerNetwork.Transport {
  private static final long USUAL_MICROS = 3_000;
  private static final long SLOW_MICROS = 900_000;
  private static final int SLOW_ONES = 20;

  private final EventQueue events;
  private final Random random;
  private final Map<DatapathId, Line> toSwitches = new HashMap<>();
  private final Map<DatapathId, Line> toController = new HashMap<>();
  private final Map<DatapathId, Integer> connections = new HashMap<>();
  private @Nullable Runnable housekeeping;
  private boolean upkeepAtOnce = true;

  /** When the latest message in one direction arrives. */
  private static final class Line {
    private long lastNanos;
  }

  SlowWire(EventQueue events, Random random) {
    this.events = events;
    this.random = random;
  }

  @Override
  public void toSwitch(DatapathId switchId, Runnable arrival) {
    send(toSwitches.computeIfAbsent(switchId, any -> new Line()), switchId, arrival);
  }

  @Override
  public void toController(DatapathId switchId, Runnable arrival) {
    send(toController.computeIfAbsent(switchId, any -> new Line()), switchId, arrival);
  }

  private void send(Line line, DatapathId switchId, Runnable arrival) {
    line.lastNanos = Math.max(line.lastNanos, events.now() + delayNanos());
    int connection = connections.getOrDefault(switchId, 0);
    events.at(
        line.lastNanos,
        () -> {
          if (connections.getOrDefault(switchId, 0) == connection) {
            arrival.run();
          }
        });
  }

  private long delayNanos() {
    long max = random.nextInt(SLOW_ONES) == 0 ? SLOW_MICROS : USUAL_MICROS;
    return TimeUnit.MICROSECONDS.toNanos(random.nextInt((int) max));
  }

  /** The connection of a switch breaks. */
  void broken(DatapathId switchId) {
    connections.merge(switchId, 1, Integer::sum);
  }

  @Override
  public void toUpkeep(Runnable task) {
    if (upkeepAtOnce) {
      task.run();
      return;
    }
    housekeeping = task;
    events.after(delayNanos(), this::doUpkeep);
  }

  private void doUpkeep() {
    Runnable task = housekeeping;
    housekeeping = null;
    if (task != null) {
      task.run();
    }
  }

  /** Does something that waits for the upkeep. */
  void waiting(Runnable action) {
    doUpkeep();
    boolean before = upkeepAtOnce;
    upkeepAtOnce = true;
    action.run();
    upkeepAtOnce = before;
  }

  /** From now on the upkeep takes its time. */
  void slowUpkeep() {
    upkeepAtOnce = false;
  }
}
