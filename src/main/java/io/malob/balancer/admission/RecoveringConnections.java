package io.malob.balancer.admission;

import io.malob.algorithm.FiveTuple;
import io.malob.balancer.admission.Decision.Recovering;
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
public final class RecoveringConnections {
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
  public boolean add(RecoveringConnection connection) {
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
  public boolean hasTimedOut(FiveTuple request, int generation) {
    @Nullable Integer timedOutLast = timedOut.get(request);
    return timedOutLast != null && timedOutLast == generation;
  }

  /** Forgets what has timed out, unless a switch is being read. */
  public void tidy() {
    if (readSwitches.isComplete()) {
      timedOut.clear();
    }
  }

  public @Nullable RecoveringConnection get(FiveTuple request) {
    return byRequest.get(request);
  }

  /** Removes a connection; false if it is not here any more. */
  public boolean remove(RecoveringConnection connection) {
    byReply.remove(connection.reply(), connection);
    bySwitch.getOrDefault(connection.at(), Set.of()).remove(connection);
    return byRequest.remove(connection.request(), connection);
  }

  /** A live view of all connections. */
  public Collection<RecoveringConnection> all() {
    return Collections.unmodifiableCollection(byRequest.values());
  }

  /** Those whose client is at a switch; a live view. */
  public Collection<RecoveringConnection> at(DatapathId switchId) {
    return Collections.unmodifiableCollection(bySwitch.getOrDefault(switchId, Set.of()));
  }

  public int size() {
    return byRequest.size();
  }

  /**
   * Judges a packet whose connection is not in the table; null if it belongs to a new one.
   *
   * @param mustBeRead whether the rules of its switch may say which member gets it, as buckets do
   */
  @Nullable Recovering judge(Arrival arrival, boolean mustBeRead) {
    Packet packet = arrival.packet();
    boolean isMidConnection = packet.kind() == Packet.Kind.TCP && !packet.isTcpSyn();
    @Nullable RecoveringConnection known = byRequest.get(packet.fiveTuple());
    boolean found = known != null && !(packet.isTcpSyn() && known.isExpired());
    if (isMidConnection) {
      return found || isIncomplete() ? Recovering.LEAVE : null;
    }
    boolean mayBePlaced =
        mustBeRead
            ? readSwitches.contains(arrival.switchId())
            : readSwitches.isUsable(arrival.switchId());
    return found || !mayBePlaced ? Recovering.WAIT : null;
  }

  /** Removes a connection that has expired: a SYN starts a new one in its place. */
  void forgetExpired(FiveTuple request) {
    @Nullable RecoveringConnection found = byRequest.get(request);
    if (found != null && found.isExpired()) {
      remove(found);
    }
  }

  /** Whether the rules of a switch have been read. */
  public boolean hasRead(DatapathId switchId) {
    return readSwitches.contains(switchId);
  }

  /** Whether some switches have not been read yet, so that paths over them may be missing. */
  boolean isIncomplete() {
    return !readSwitches.isComplete();
  }

  /**
   * Gives up the recovery of a connection, because its client starts a new one; false if there is
   * none.
   */
  boolean giveUp(FiveTuple request) {
    @Nullable RecoveringConnection found = byRequest.get(request);
    return found != null && remove(found);
  }

  /** Whether there is a connection with this five-tuple of replies, as the member sends them. */
  public boolean hasReply(FiveTuple reply) {
    return byReply.containsKey(reply);
  }

  /** A member's packet has come to the controller: notes which next hop it is for. */
  void replied(Packet reply) {
    @Nullable RecoveringConnection found = byReply.get(reply.fiveTuple());
    if (found != null) {
      found.setNextHop(reply.dstMac());
    }
  }

  /** The client has sent FIN or RST. */
  void ended(FiveTuple request) {
    @Nullable RecoveringConnection found = byRequest.get(request);
    if (found != null) {
      found.end();
    }
  }

  /** The request rule of a connection has timed out, whether or not the connection is known. */
  void timedOut(FiveTuple request, int generation) {
    if (isIncomplete() && timedOut.size() < limit) {
      timedOut.put(request, generation);
    }
    @Nullable RecoveringConnection found = byRequest.get(request);
    if (found != null && found.rule().generation() == generation) {
      expire(found);
    }
  }

  /**
   * A TCP connection may continue after a pause. For other protocols, a later packet starts a new
   * connection anyway.
   */
  public void expire(RecoveringConnection found) {
    if (found.request().protocol() == Protocol.TCP.ipNumber() && !found.isEnded()) {
      found.expire(nanoTime.getAsLong());
    } else {
      remove(found);
    }
  }
}
