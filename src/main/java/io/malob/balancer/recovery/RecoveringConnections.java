package io.malob.balancer.recovery;

import io.malob.algorithm.FiveTuple;
import io.malob.balancer.admission.Arrival;
import io.malob.balancer.admission.RecoveredConnections;
import io.malob.balancer.api.RecoveringConnection;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Protocol;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Connections that were found on switches and are not fully known yet. Their rules forward their
 * packets; the controller leaves these alone. Bounded. Thread-safe; one thread at a time may add.
 */
public final class RecoveringConnections implements RecoveredConnections {
  private final int limit;
  private final ReadSwitches readSwitches;
  private final LongSupplier nanoTime;
  private final Map<FiveTuple, RecoveringConnection> byRequest = new ConcurrentHashMap<>();
  private final Map<FiveTuple, RecoveringConnection> byReply = new ConcurrentHashMap<>();

  /** By the client's edge switch: reading one switch must not take time for those of all others. */
  private final Map<DatapathId, Set<RecoveringConnection>> bySwitch = new ConcurrentHashMap<>();

  /**
   * Connections whose request rules have timed out while switches are being read, with their
   * generations. A switch may have listed a rule before: that is older news, though it is handled
   * later.
   */
  private final Map<FiveTuple, Integer> timedOut = new ConcurrentHashMap<>();

  public RecoveringConnections(int limit, ReadSwitches readSwitches, LongSupplier nanoTime) {
    this.limit = limit;
    this.readSwitches = readSwitches;
    this.nanoTime = nanoTime;
  }

  /**
   * Adds a connection, and replaces an earlier one with the same request; false if there is no
   * room.
   */
  boolean add(RecoveringConnection connection) {
    @Nullable RecoveringConnection before = byRequest.get(connection.request());
    if (before != null) {
      remove(before);
    }
    if (byRequest.size() >= limit) {
      return false;
    }
    bySwitch.computeIfAbsent(connection.at(), any -> ConcurrentHashMap.newKeySet()).add(connection);
    byReply.put(connection.reply(), connection);
    byRequest.put(connection.request(), connection);
    if (hasTimedOut(connection.request(), connection.rule().generation())) {
      expire(connection);
    }
    return true;
  }

  /** Whether a request rule has timed out while switches are being read. */
  boolean hasTimedOut(FiveTuple request, int generation) {
    @Nullable Integer timedOutLast = timedOut.get(request);
    return timedOutLast != null && timedOutLast == generation;
  }

  /** Forgets what has timed out, unless a switch is being read. */
  void tidy() {
    if (readSwitches.isComplete()) {
      timedOut.clear();
    }
  }

  @Nullable RecoveringConnection get(FiveTuple request) {
    return byRequest.get(request);
  }

  /** Removes a connection; false if it is not here any more. */
  boolean remove(RecoveringConnection connection) {
    byReply.remove(connection.reply(), connection);
    bySwitch.getOrDefault(connection.at(), Set.of()).remove(connection);
    return byRequest.remove(connection.request(), connection);
  }

  /** A live view of all connections. */
  public Collection<RecoveringConnection> all() {
    return Collections.unmodifiableCollection(byRequest.values());
  }

  /** Those whose client is at a switch; a live view. */
  Collection<RecoveringConnection> at(DatapathId switchId) {
    return Collections.unmodifiableCollection(bySwitch.getOrDefault(switchId, Set.of()));
  }

  public int size() {
    return byRequest.size();
  }

  @Override
  public Verdict judge(Arrival arrival, boolean mustBeRead) {
    Packet packet = arrival.packet();
    boolean isMidConnection = packet.kind() == Packet.Kind.TCP && !packet.isTcpSyn();
    boolean pending = packet.isTcpSyn() ? isOpen(packet.fiveTuple()) : isKnown(packet.fiveTuple());
    if (isMidConnection) {
      return pending || isIncomplete() ? Verdict.LEAVE : Verdict.NEW;
    }
    boolean mayBePlaced =
        mustBeRead
            ? readSwitches.contains(arrival.switchId())
            : readSwitches.isUsable(arrival.switchId());
    return pending || !mayBePlaced ? Verdict.WAIT : Verdict.NEW;
  }

  private boolean isKnown(FiveTuple request) {
    return byRequest.containsKey(request);
  }

  /**
   * Whether a connection is pending that has not expired. An expired one is removed: a SYN starts a
   * new one in its place.
   */
  private boolean isOpen(FiveTuple request) {
    @Nullable RecoveringConnection pending = byRequest.get(request);
    if (pending != null && pending.isExpired()) {
      remove(pending);
      return false;
    }
    return pending != null;
  }

  @Override
  public boolean isIncomplete() {
    return !readSwitches.isComplete();
  }

  @Override
  public boolean giveUp(FiveTuple request) {
    @Nullable RecoveringConnection pending = byRequest.get(request);
    return pending != null && remove(pending);
  }

  @Override
  public boolean hasReply(FiveTuple reply) {
    return byReply.containsKey(reply);
  }

  @Override
  public void ended(FiveTuple request) {
    @Nullable RecoveringConnection pending = byRequest.get(request);
    if (pending != null) {
      pending.end();
    }
  }

  @Override
  public void timedOut(FiveTuple request, int generation) {
    if (isIncomplete() && timedOut.size() < limit) {
      timedOut.put(request, generation);
    }
    @Nullable RecoveringConnection pending = byRequest.get(request);
    if (pending != null && pending.rule().generation() == generation) {
      expire(pending);
    }
  }

  /**
   * A TCP connection may continue after a pause. For other protocols, a later packet starts a new
   * connection anyway.
   */
  void expire(RecoveringConnection pending) {
    if (pending.request().protocol() == Protocol.TCP.ipNumber() && !pending.hasEnded()) {
      pending.expire(nanoTime.getAsLong());
    } else {
      remove(pending);
    }
  }
}
