package io.malob.testing;

import static io.malob.openflow.tracked.ConntrackMatch.ESTABLISHED;
import static io.malob.openflow.tracked.ConntrackMatch.INVALID;
import static io.malob.openflow.tracked.ConntrackMatch.NEW;
import static io.malob.openflow.tracked.ConntrackMatch.RELATED;
import static io.malob.openflow.tracked.ConntrackMatch.REPLY;
import static io.malob.openflow.tracked.ConntrackMatch.TRACKED;

import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.QuotedPacket;
import io.malob.openflow.tracked.ConntrackAction;
import io.malob.openflow.tracked.Mark;
import io.malob.openflow.tracked.Nat;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPv6Address;

/**
 * The connections that a fake switch tracks, as Open vSwitch 3.1 does in user space ({@code
 * lib/conntrack.c}). Unlike there, fragments are not put together: they are invalid. So are ICMP
 * errors about ICMP. Not safe for use by several threads.
 */
public final class FakeConntrack {
  private final LongSupplier nanoTime;
  private final Map<Integer, Map<ConntrackTuple, FakeConnection>> zones = new LinkedHashMap<>();
  private long maxIdleNanos = Long.MAX_VALUE;
  private int maxConnections = Integer.MAX_VALUE;
  private boolean hasNoPorts;

  FakeConntrack(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * A connection as it is now.
   *
   * @param original its packets as they come from the client
   * @param reply its packets as they come from the server
   * @param isAnswered whether a packet of the server has come
   */
  public record Connection(
      int zone, ConntrackTuple original, ConntrackTuple reply, int mark, boolean isAnswered) {}

  /** All connections, the oldest of each zone first. */
  public List<Connection> connections() {
    List<Connection> all = new ArrayList<>();
    zones.forEach(
        (zone, tuples) -> {
          dropIdle(tuples);
          tuples.forEach(
              (tuple, each) -> {
                if (tuple.equals(each.original())) {
                  all.add(
                      new Connection(
                          zone, each.original(), each.reply(), each.mark(), each.isAnswered()));
                }
              });
        });
    return all;
  }

  /** Connections without a packet for that time are forgotten; by default they never are. */
  public void setMaxIdleNanos(long nanos) {
    maxIdleNanos = nanos;
  }

  /** Knows a translated connection again, as if its first packet had come late. */
  public void restore(Connection connection) {
    FakeConnection made =
        new FakeConnection(
            connection.original,
            connection.reply,
            Optional.of(Nat.End.DESTINATION),
            nanoTime.getAsLong());
    made.set(new Mark(connection.mark));
    Map<ConntrackTuple, FakeConnection> zone =
        zones.computeIfAbsent(connection.zone, any -> new LinkedHashMap<>());
    zone.put(connection.original, made);
    zone.put(connection.reply, made);
  }

  /** The max number of connections; there is no limit by default. */
  public void setMaxConnections(int connections) {
    maxConnections = connections;
  }

  /** From now on, all ports of all ranges are taken. */
  public void exhaustPorts() {
    hasNoPorts = true;
  }

  /** Forgets all connections, as a switch that starts again. */
  public void clear() {
    zones.clear();
  }

  /** Forgets the connections of a message. */
  void flush(FakeFlush flush) {
    zones.getOrDefault(flush.zone(), Map.of()).values().removeIf(flush::concerns);
  }

  /**
   * Performs an action; the frame is translated if the action says so.
   *
   * @param before what is known of the packet
   */
  Tracked track(MutableFrame frame, Tracked before, ConntrackAction action) {
    int state = before.stateIn(action.zone());
    Map<ConntrackTuple, FakeConnection> zone =
        zones.computeIfAbsent(action.zone(), any -> new LinkedHashMap<>());
    dropIdle(zone);
    Optional<QuotedPacket> quoted = QuotedPacket.of(Packet.parse(frame.copy()));
    if (quoted.isPresent()) {
      return trackError(frame, quoted.get(), state, zone, action);
    }
    Optional<ConntrackTuple> tuple = ConntrackTuple.of(frame);
    if (tuple.isEmpty()) {
      return Tracked.unknown(INVALID, action.zone());
    }
    // a packet that was translated here is known by what comes back
    boolean isTranslated = Tracked.isTranslated(state);
    ConntrackTuple key = isTranslated ? tuple.get().reversed() : tuple.get();
    @Nullable FakeConnection found = zone.get(key);
    if (found == null) {
      return begin(frame, tuple.get(), zone, action);
    }
    if (found.hasEnded()) {
      return Tracked.unknown(INVALID, action.zone());
    }
    boolean isReply = key.equals(found.original()) == isTranslated;
    switch (found.update(frame, isReply, nanoTime.getAsLong())) {
      case ESTABLISHED -> state = (state & ~NEW) | ESTABLISHED | (isReply ? REPLY : 0);
      case STILL_NEW -> state |= NEW;
      case INVALID -> state = INVALID;
      case NEXT -> {
        end(found, zone);
        return begin(frame, tuple.get(), zone, action);
      }
    }
    if (action.nat().isPresent() && !isTranslated) {
      state |= translate(frame, found, isReply);
    }
    return known(state, found, action, frame);
  }

  /** 3.1 keeps the reply of a translated connection for a while: the next one gets another port. */
  private static void end(FakeConnection connection, Map<ConntrackTuple, FakeConnection> zone) {
    connection.end();
    zone.values().removeIf(connection::equals);
    if (connection.translation(/* isReply= */ false) != 0) {
      zone.put(connection.reply(), connection);
    }
  }

  private void dropIdle(Map<ConntrackTuple, FakeConnection> zone) {
    long now = nanoTime.getAsLong();
    zone.values().removeIf(each -> each.isIdle(now, maxIdleNanos));
  }

  private Tracked begin(
      MutableFrame frame,
      ConntrackTuple tuple,
      Map<ConntrackTuple, FakeConnection> zone,
      ConntrackAction action) {
    if (!FakeConnection.mayBegin(tuple, frame)) {
      return Tracked.unknown(INVALID, action.zone());
    }
    Optional<Nat.Range> range = action.nat().flatMap(Nat::range);
    if (action.commits() && action.nat().isPresent() && range.isEmpty()) {
      // 3.1 would keep the connection with replies from 0.0.0.0 to port 0
      throw new UnsupportedOperationException("a new connection for " + action);
    }
    Optional<ConntrackTuple> reply =
        range.isEmpty()
            ? Optional.of(tuple.reversed())
            : TupleSearch.reply(tuple, range.get(), zone::containsKey);
    boolean isExhausted = hasNoPorts && range.filter(Nat.Range::hasLastPort).isPresent();
    if (!action.commits()
        || reply.isEmpty()
        || isExhausted
        || connections().size() >= maxConnections) {
      return Tracked.unknown(NEW, action.zone());
    }
    FakeConnection made =
        new FakeConnection(tuple, reply.get(), range.map(Nat.Range::end), nanoTime.getAsLong());
    zone.values().removeIf(each -> each.hasEnded() && each.original().equals(tuple));
    zone.put(tuple, made);
    zone.putIfAbsent(reply.get(), made);
    return known(NEW | translate(frame, made, /* isReply= */ false), made, action, frame);
  }

  private static Tracked known(
      int state, FakeConnection connection, ConntrackAction action, MutableFrame frame) {
    action.mark().ifPresent(connection::set);
    if (action.keepsSender()) {
      connection.setLabel(frame.sender());
    }
    return new Tracked(state | TRACKED, action.zone(), connection.mark(), connection.label());
  }

  private static int translate(MutableFrame frame, FakeConnection connection, boolean isReply) {
    int translation = connection.translation(isReply);
    if (translation != 0) {
      connection.translated(isReply).writeTo(frame);
    }
    return translation;
  }

  /** An ICMP error goes in the other direction than the packet that it quotes. */
  private static Tracked trackError(
      MutableFrame frame,
      QuotedPacket quoted,
      int before,
      Map<ConntrackTuple, FakeConnection> zone,
      ConntrackAction action) {
    ConntrackTuple key =
        new ConntrackTuple(
            quoted.protocol(),
            quoted.destination(),
            quoted.hasPorts() ? quoted.dstPort() : 0,
            quoted.source(),
            quoted.hasPorts() ? quoted.srcPort() : 0);
    boolean isTranslated = Tracked.isTranslated(before);
    @Nullable FakeConnection found = zone.get(isTranslated ? key.reversed() : key);
    boolean isRight = frame.hasRightChecksums() && quoted.source().equals(destination(frame));
    if (found == null || found.hasEnded() || !isRight) {
      return Tracked.unknown(INVALID, action.zone());
    }
    boolean isReply =
        (isTranslated ? key.reversed() : key).equals(found.original()) == isTranslated;
    int state = before | RELATED | (isReply ? REPLY : 0);
    int translation = found.translation(isReply);
    if (action.nat().isPresent() && !isTranslated && translation != 0) {
      translateError(frame, key, found.translated(isReply));
      state |= translation;
    }
    return known(state, found, action, frame);
  }

  private static Object destination(MutableFrame frame) {
    return Packet.parse(frame.copy()).destination();
  }

  /** The error is from the translated address, even if a router sent it. */
  private static void translateError(
      MutableFrame frame, ConntrackTuple before, ConntrackTuple after) {
    Packet error = Packet.parse(frame.copy());
    byte[] withReceiver =
        QuotedPacket.of(error)
            .orElseThrow()
            .withReceiver(error.srcMac(), error.dstMac(), after.src(), after.srcPort());
    byte[] withBoth =
        QuotedPacket.of(Packet.parse(withReceiver))
            .orElseThrow()
            .withSender(error.srcMac(), error.dstMac(), after.dst(), after.dstPort());
    frame.become(withBoth);
    if (!before.src().equals(after.src())) {
      frame.set(
          after.src() instanceof IPv6Address ? MatchField.IPV6_SRC : MatchField.IPV4_SRC,
          after.src());
    }
  }
}
