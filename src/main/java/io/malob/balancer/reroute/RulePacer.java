package io.malob.balancer.reroute;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.MessageBatch;
import io.malob.openflow.RuleSender;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Changes rules at a bounded rate: at most {@link #PER_TICK} rules of a switch per tick, and no
 * more until the switch has confirmed them. Each switch has one queue, whatever the changes are
 * for. For one thread at a time, except for {@link #isWaiting}.
 */
public final class RulePacer {
  public static final long TICK_MILLIS = 50;

  /** 1,000 rules per second and switch. */
  static final int PER_TICK = 50;

  private final RuleSender ruleSender;
  private final Executor serialExecutor;
  private final LongSupplier nanoTime;
  private final Map<DatapathId, Queue<Change>> waiting = new TreeMap<>();
  private volatile boolean isWaiting;

  /** The changes that their switches have not confirmed, by switch. */
  private final Map<DatapathId, Integer> unconfirmed = new TreeMap<>();

  /** A change that waits for its turn. */
  public interface Change {
    /** The message to send now; empty if the rule need not change any more. */
    Optional<OFMessage> message(long nowNanos);
  }

  public RulePacer(RuleSender ruleSender, Executor serialExecutor, LongSupplier nanoTime) {
    this.ruleSender = ruleSender;
    this.serialExecutor = serialExecutor;
    this.nanoTime = nanoTime;
  }

  /** Adds a change of a rule of a switch. */
  public void add(DatapathId at, Change change) {
    waiting.computeIfAbsent(at, any -> new ArrayDeque<>()).add(change);
    isWaiting = true;
  }

  /** Whether changes wait for their turn. Called by any thread. */
  public boolean isWaiting() {
    return isWaiting;
  }

  /** Makes some changes. To be called every {@link #TICK_MILLIS}. */
  public void tick() {
    waiting.forEach(this::send);
    waiting.values().removeIf(Queue::isEmpty);
    isWaiting = !waiting.isEmpty();
  }

  private void send(DatapathId at, Queue<Change> changes) {
    int free = PER_TICK - unconfirmed.getOrDefault(at, 0);
    long now = nanoTime.getAsLong();
    ImmutableList.Builder<OFMessage> turn = ImmutableList.builder();
    for (int count = 0; count < free && !changes.isEmpty(); ) {
      Optional<OFMessage> message = changes.remove().message(now);
      if (message.isPresent()) {
        turn.add(message.get());
        count++;
      }
    }
    ImmutableList<OFMessage> messages = turn.build();
    if (messages.isEmpty()) {
      return;
    }
    unconfirmed.merge(at, messages.size(), Integer::sum);
    ruleSender.sendInOrder(
        ImmutableList.of(new MessageBatch(at, messages)),
        // a switch that has not confirmed them is read when it is back
        done -> serialExecutor.execute(() -> confirmed(at, messages.size())));
  }

  private void confirmed(DatapathId at, int count) {
    unconfirmed.computeIfPresent(at, (any, all) -> all == count ? null : all - count);
  }
}
