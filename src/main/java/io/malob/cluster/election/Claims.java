package io.malob.cluster.election;

import com.google.common.collect.ImmutableSet;
import io.malob.module.Mastership.RoleChannel;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connected switches, and this controller's claims to be their master: it creates a switch's
 * key, and requests the role with the key's generation id. All methods on one serial executor.
 */
final class Claims {
  private static final Logger logger = LoggerFactory.getLogger(Claims.class);

  private final MasterKeys keys;
  private final Preference preference;
  private final Generations generations;
  private final ElectionStore store;
  private final HandOvers handOvers;
  private final Executor serialExecutor;
  private final Map<DatapathId, LocalSwitch> locals = new TreeMap<>();
  private boolean flushWaits;
  private boolean isChanged = true;
  private boolean isLeaving;
  private boolean wasMaster;

  Claims(
      MasterKeys keys,
      Preference preference,
      Generations generations,
      ElectionStore store,
      PacketRelay relay,
      Executor serialExecutor) {
    this.keys = keys;
    this.preference = preference;
    this.generations = generations;
    this.store = store;
    this.serialExecutor = serialExecutor;
    handOvers = new HandOvers(keys, preference, relay, store, this::flushSoon);
  }

  /** The connected switches. */
  Collection<LocalSwitch> locals() {
    return locals.values();
  }

  HandOvers handOvers() {
    return handOvers;
  }

  /** This controller stops: it claims nothing from now on. */
  void leave() {
    isLeaving = true;
  }

  /** The switches that this controller can be master of. */
  ImmutableSet<DatapathId> offered() {
    return isLeaving || handOvers.ofAll().isPresent()
        ? ImmutableSet.of()
        : locals.keySet().stream()
            .filter(id -> !keys.isPaused(id))
            .collect(ImmutableSet.toImmutableSet());
  }

  /** Does what is due. */
  void tick() {
    for (LocalSwitch local : locals()) {
      giveUpUnanswered(local);
      evaluate(local.id());
      askIfReplaced(local);
    }
    flush();
    handOvers.check();
  }

  /** Whether roles or keys may have changed since the last call. */
  boolean takeChanged() {
    boolean was = isChanged;
    isChanged = false;
    return was;
  }

  /** Lets the next transactions leave after the events that wait already: so they are few. */
  void flushSoon() {
    isChanged = true;
    if (!flushWaits) {
      flushWaits = true;
      serialExecutor.execute(
          () -> {
            flushWaits = false;
            flush();
          });
    }
  }

  private void flush() {
    keys.flush(
        id -> {
          @Nullable LocalSwitch local = locals.get(id);
          return local != null && mayClaim(local);
        },
        locals::containsKey);
  }

  // ---- events of switches ----

  void connected(RoleChannel sw) {
    locals.put(sw.id(), new LocalSwitch(sw, store.now()));
    keys.keep(sw.id());
    evaluate(sw.id());
    flushSoon();
  }

  void granted(RoleChannel sw, long generation) {
    @Nullable LocalSwitch local = local(sw);
    if (local != null) {
      local.granted(generation);
      wasMaster = true;
      evaluate(sw.id());
      flushSoon();
    }
  }

  void stale(RoleChannel sw, long generation) {
    @Nullable LocalSwitch local = local(sw);
    if (local != null && local.rejected(generation)) {
      keys.revision(sw.id()).ifPresent(revision -> generations.rejected(sw.id(), revision));
      flushSoon();
    }
  }

  void replaced(RoleChannel sw) {
    @Nullable LocalSwitch local = local(sw);
    if (local == null || !local.isMaster()) {
      return;
    }
    local.replaced();
    if (keys.isKept(sw.id()) && !local.isRequested()) {
      // the other one's key is unknown here yet, or it is of no cluster
      keys.standAside(sw.id());
    }
    evaluate(sw.id());
    handOvers.check();
    flushSoon();
  }

  /** False if another connection has replaced this one already. */
  boolean disconnected(RoleChannel sw) {
    @Nullable LocalSwitch local = local(sw);
    if (local == null) {
      return false;
    }
    local.replaced();
    locals.remove(sw.id());
    keys.endPause(sw.id());
    keys.release(ImmutableSet.of(sw.id()));
    return true;
  }

  /** The state of a connection; null if it has ended, or another one has replaced it. */
  private @Nullable LocalSwitch local(RoleChannel sw) {
    @Nullable LocalSwitch local = locals.get(sw.id());
    return local != null && local.channel() == sw ? local : null;
  }

  // ---- decisions ----

  /** Decides about one switch; transactions follow with {@link #flushSoon}. */
  void evaluate(DatapathId id) {
    @Nullable LocalSwitch local = locals.get(id);
    keys.reconcile(id, local != null);
    if (local == null) {
      return;
    }
    if (!keys.isHeld(id)) {
      local.forgetStale();
      if (mayClaim(local)) {
        keys.claim(id);
      }
    } else if (!keys.isToRelease(id)) {
      keys.revision(id).ifPresent(created -> local.request(generations.of(created), store.now()));
    }
  }

  void evaluateAll() {
    evaluate(locals.keySet());
  }

  /** Decides about these switches. */
  void evaluate(Collection<DatapathId> ids) {
    ids.forEach(this::evaluate);
    flushSoon();
  }

  /** The key of a switch has changed. */
  void keyChanged(DatapathId id) {
    evaluate(id);
    @Nullable LocalSwitch local = locals.get(id);
    if (local != null) {
      askIfReplaced(local);
    }
    flushSoon();
  }

  private boolean mayClaim(LocalSwitch local) {
    return keys.isFree(local.id())
        && !isLeaving
        && !handOvers.includes(local.id())
        && (local.isMaster() || preference.isForThis(local));
  }

  /** A switch that does not answer a claim gets another master, if there is one. */
  private void giveUpUnanswered(LocalSwitch local) {
    if (local.givesUp(store.now())) {
      logger.warn("mastership_unanswered switch={} - its claim is given up for now", local.id());
      keys.standAside(local.id());
    }
  }

  /**
   * Another controller has the key: it may be master already, and OpenFlow 1.3 does not report
   * that.
   */
  private void askIfReplaced(LocalSwitch local) {
    if (!keys.isHeld(local.id()) && keys.holder(local.id()) != null) {
      local.askIfReplaced(store.now());
    }
  }

  /** Whether this controller has been a master, and others are masters of all switches by now. */
  boolean othersRule() {
    return wasMaster
        && !isLeaving
        && handOvers.areNone()
        && !locals.isEmpty()
        && locals().stream().allMatch(local -> !local.isMaster() && keys.isOfOther(local.id()));
  }

  /** The first packets of these switches wait for their next master. */
  void awaitNextMaster(String silentMaster) {
    locals().stream()
        .filter(local -> silentMaster.equals(keys.holder(local.id())))
        .forEach(local -> local.channel().masterSilent());
  }

  /** Hands all switches over; the result is that of {@link HandOvers#begin}. */
  CompletableFuture<Integer> handOver() {
    return handOvers.ofAll().orElseGet(() -> handOvers.begin(locals(), true));
  }
}
