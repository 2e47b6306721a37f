package io.malob.cluster.election;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Hands switches over to other controllers, in this order:
 *
 * <ol>
 *   <li>Packet-ins go to the next master, which keeps them until it is the master.
 *   <li>A barrier: the switch has the rules for all earlier packet-ins.
 *   <li>The key is deleted; the next master creates it, and claims the role.
 * </ol>
 *
 * So each packet-in is handled by one of the two, and the switch accepts its rules. All methods on
 * one serial executor.
 */
final class HandOvers {
  /** The max time that a hand-over waits for the next masters. */
  private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The max time that it waits for the barriers. */
  private static final long BARRIER_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

  private final MasterKeys keys;
  private final Preference preference;
  private final PacketRelay relay;
  private final ElectionStore store;
  private final Runnable released;
  private final List<HandOver> running = new ArrayList<>();

  /** One that runs; {@code awaited} are the switches that have not answered their barriers. */
  private record HandOver(
      boolean isOfAll,
      ImmutableMap<DatapathId, LocalSwitch> switches,
      Set<LocalSwitch> awaited,
      long begunNanos,
      CompletableFuture<Integer> done) {}

  /**
   * None yet.
   *
   * @param released called when keys wait to be deleted
   */
  HandOvers(
      MasterKeys keys,
      Preference preference,
      PacketRelay relay,
      ElectionStore store,
      Runnable released) {
    this.keys = keys;
    this.preference = preference;
    this.relay = relay;
    this.store = store;
    this.released = released;
  }

  /**
   * Begins to hand over those of these switches that have a next master.
   *
   * @param isOfAll whether this controller offers itself for no switch until that is done
   * @return the number of switches that have been handed over, in the end
   */
  CompletableFuture<Integer> begin(Collection<LocalSwitch> locals, boolean isOfAll) {
    ImmutableMap<DatapathId, LocalSwitch> switches =
        locals.stream()
            .filter(local -> keys.isHeld(local.id()) && !includes(local.id()))
            .filter(local -> preference.next(local.id()).isPresent())
            .collect(ImmutableMap.toImmutableMap(LocalSwitch::id, Function.identity()));
    HandOver begun =
        new HandOver(
            isOfAll,
            switches,
            new HashSet<>(switches.values()),
            store.now(),
            new CompletableFuture<>());
    running.add(begun);
    switches.values().forEach(local -> divert(begun, local));
    return begun.done();
  }

  private void divert(HandOver handOver, LocalSwitch local) {
    Optional<Node> next = preference.next(local.id());
    next.ifPresent(
        node ->
            store.then(
                local.channel().handOn(relay.to(node.name(), local.id())),
                (none, problem) -> {
                  if (handOver.awaited().remove(local)) {
                    keys.release(ImmutableSet.of(local.id()));
                    released.run();
                  }
                }));
  }

  /** Whether a switch is being handed over. */
  boolean includes(DatapathId id) {
    return running.stream().anyMatch(each -> each.switches().containsKey(id));
  }

  boolean areNone() {
    return running.isEmpty();
  }

  /** The one of all switches that runs, if any: this controller wants to be master of none. */
  Optional<CompletableFuture<Integer>> ofAll() {
    return running.stream().filter(HandOver::isOfAll).map(HandOver::done).findFirst();
  }

  /** Goes on, and ends those whose switches have their next master, or whose time is over. */
  void check() {
    long now = store.now();
    running.removeIf(
        each -> {
          if (!each.awaited().isEmpty() && now - each.begunNanos() >= BARRIER_NANOS) {
            keys.release(each.awaited().stream().map(LocalSwitch::id).toList());
            each.awaited().clear();
            released.run();
          }
          return ends(each, now);
        });
  }

  private boolean ends(HandOver one, long now) {
    List<LocalSwitch> kept =
        one.switches().values().stream().filter(LocalSwitch::isMaster).toList();
    boolean isOver = kept.isEmpty() || now - one.begunNanos() >= MAX_NANOS;
    if (isOver) {
      kept.forEach(local -> local.channel().stopHandingOn());
      one.done().complete(one.switches().size() - kept.size());
    }
    return isOver;
  }
}
