package io.malob.balancer.health;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.MapDifference;
import com.google.common.collect.MapDifference.ValueDifference;
import com.google.common.collect.Maps;
import io.malob.algorithm.health.Health;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.TupleFormat;
import io.malob.module.FieldReader;
import io.malob.module.FieldWriter;
import io.malob.module.IClusterService;
import io.malob.module.IPeerService;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Shares the health of members with the other controllers of a cluster: the master of a member's
 * edge switch judges it, and the others follow. A peer that is reached gets all verdicts and
 * ejections of this controller, then changes. What a peer has told is forgotten when it is lost. A
 * connection without an answer is judged by the master of the member's switch, too.
 *
 * <p>Peers' threads deliver what they tell; the rest is called by one thread at a time. Never
 * blocks.
 */
public final class PeerHealth implements PeerListener {
  // the kinds of messages are part of the protocol
  private static final int ALL_VERDICTS = 0;
  private static final int CHANGED_VERDICTS = 1;
  private static final int EJECTIONS = 2;
  private static final int ANSWERED = 4;

  /** 3 was the same for IPv4 addresses only. */
  private static final int SUSPICION = 5;

  /** A verdict: the member's number, and a code; all members fit into one message. */
  private static final int VERDICT_BYTES = Short.BYTES + 1;

  /** An ejection: the member's number, its kind, its count and the nanoseconds that are left. */
  private static final int EJECTION_BYTES = Short.BYTES + 1 + Integer.BYTES + Long.BYTES;

  /** The member's number, and the connection's age. */
  private static final int ANSWERED_BYTES = Short.BYTES + Long.BYTES;

  /** A verdict's code is one more than its place; 0 is none. The order is part of the protocol. */
  private static final ImmutableList<Health> VERDICTS =
      ImmutableList.of(Health.CHECKING, Health.UP, Health.DOWN);

  /** The kinds of failures. The order is part of the protocol. */
  private static final ImmutableList<Ejections.Why> WHYS =
      ImmutableList.of(Ejections.Why.NO_REPLY, Ejections.Why.REFUSES);

  private final IPeerService peers;
  private final IClusterService cluster;
  private final Predicate<DatapathId> unowned;
  private final OutlierDetector outliers;

  /** The verdicts of each peer, by the members' numbers. */
  private final Map<String, Map<Integer, Health>> ofPeers = new ConcurrentHashMap<>();

  /** The members about which a peer has told something new. */
  private final Set<Integer> news = ConcurrentHashMap.newKeySet();

  /** The reached peers, and whether each has got all verdicts. */
  private final Map<String, Boolean> informed = new ConcurrentHashMap<>();

  private ImmutableMap<Integer, Health> own = ImmutableMap.of();

  /**
   * An ejected member, as controllers tell each other.
   *
   * @param nanosLeft the rest of the ejection
   */
  record PeerEjection(Ejections.Why why, int times, long nanosLeft) {}

  /**
   * Starts without verdicts.
   *
   * @param unowned the switches that other controllers are masters of
   * @param outliers ejects members, and is told what others know of them
   */
  public PeerHealth(
      IPeerService peers,
      IClusterService cluster,
      Predicate<DatapathId> unowned,
      OutlierDetector outliers) {
    this.peers = peers;
    this.cluster = cluster;
    this.unowned = unowned;
    this.outliers = outliers;
    outliers.shareWith(this);
  }

  /**
   * Whether another controller judges the members of a switch of which this one is not the master.
   *
   * @param switchId null if the member is not located
   */
  boolean mayJudge(@Nullable DatapathId switchId) {
    return IClusterService.isInCluster(cluster) && (switchId == null || unowned.test(switchId));
  }

  /**
   * The verdict about a member by the master of its switch, or by any controller if it is not
   * located. Null if none has told one.
   */
  @Nullable Health verdict(@Nullable DatapathId switchId, int memberNumber) {
    if (switchId != null) {
      Optional<String> master = cluster.masterOf(switchId);
      return master.isEmpty() ? null : verdict(master.get(), memberNumber);
    }
    for (Map<Integer, Health> verdicts : ofPeers.values()) {
      @Nullable Health verdict = verdicts.get(memberNumber);
      if (verdict != null) {
        return verdict;
      }
    }
    return null;
  }

  private @Nullable Health verdict(String peer, int memberNumber) {
    @Nullable Map<Integer, Health> verdicts = ofPeers.get(peer);
    return verdicts == null ? null : verdicts.get(memberNumber);
  }

  /** The members about which peers have told something new since the last call. */
  Set<Integer> takeNews() {
    if (news.isEmpty()) {
      return Set.of();
    }
    Set<Integer> taken = new HashSet<>(news);
    taken.forEach(news::remove); // before a verdict is read: a later one is news again
    return taken;
  }

  /** Tells the peers which verdicts this controller has now. */
  void publish(ImmutableMap<Integer, Health> verdicts) {
    MapDifference<Integer, Health> difference = Maps.difference(own, verdicts);
    own = verdicts;
    if (difference.areEqual()) {
      return;
    }
    byte[] message = changes(difference);
    informed.forEach(
        (peer, isInformed) -> {
          if (isInformed && !peers.send(peer, PeerTopic.HEALTH, message)) {
            informed.replace(peer, true, false);
          }
        });
  }

  private static byte[] changes(MapDifference<Integer, Health> difference) {
    Map<Integer, ValueDifference<Health>> differing = difference.entriesDiffering();
    FieldWriter out = new FieldWriter(64).putByte(CHANGED_VERDICTS);
    differing.forEach((number, both) -> write(out, number, both.rightValue()));
    difference.entriesOnlyOnLeft().forEach((number, was) -> write(out, number, null));
    difference.entriesOnlyOnRight().forEach((number, now) -> write(out, number, now));
    return out.toBytes();
  }

  private static void write(FieldWriter out, int memberNumber, @Nullable Health health) {
    int code = health == null ? 0 : 1 + VERDICTS.indexOf(health);
    out.putShort(memberNumber).putByte(code);
  }

  /** Tells all of an ejection. */
  void publishEjections(Map<Integer, PeerEjection> out) {
    byte[] message = message(out);
    informed.keySet().forEach(peer -> peers.send(peer, PeerTopic.HEALTH, message));
  }

  private static byte[] message(Map<Integer, PeerEjection> out) {
    FieldWriter bytes = new FieldWriter(64).putByte(EJECTIONS);
    out.forEach(
        (number, ejection) ->
            bytes
                .putShort(number)
                .putByte(WHYS.indexOf(ejection.why))
                .putInt(ejection.times)
                .putLong(ejection.nanosLeft));
    return bytes.toBytes();
  }

  /**
   * Lets the master of the member's switch find out whether a connection got an answer. False if
   * there is none that is reached.
   */
  boolean askMaster(Connection connection) {
    FieldWriter out = new FieldWriter(64).putByte(SUSPICION);
    TupleFormat.write(connection.request(), out);
    return sendToMaster(connection, out.toBytes());
  }

  /** Tells the master of the member's switch that a connection of that age got answers. */
  void publishAnswer(Connection connection, long ageNanos) {
    boolean unused =
        sendToMaster(
            connection,
            new FieldWriter(1 + ANSWERED_BYTES)
                .putByte(ANSWERED)
                .putShort(connection.server().number())
                .putLong(ageNanos)
                .toBytes());
  }

  private boolean sendToMaster(Connection connection, byte[] message) {
    return cluster
        .masterOf(connection.server().at().switchId())
        .filter(master -> peers.send(master, PeerTopic.HEALTH, message))
        .isPresent();
  }

  /** Tells everything to peers that have been reached, or had no room for a change. */
  void publishToNewPeers() {
    informed.forEach(
        (peer, isInformed) -> {
          if (!isInformed && informed.replace(peer, false, true) && !publishAll(peer)) {
            informed.replace(peer, true, false);
          }
        });
  }

  private boolean publishAll(String peer) {
    FieldWriter out = new FieldWriter(1 + own.size() * VERDICT_BYTES).putByte(ALL_VERDICTS);
    own.forEach((number, health) -> write(out, number, health));
    return peers.send(peer, PeerTopic.HEALTH, out.toBytes())
        && peers.send(peer, PeerTopic.HEALTH, message(outliers.ejections()));
  }

  @Override
  public void reached(String peer) {
    informed.put(peer, false);
  }

  @Override
  public void lost(String peer) {
    informed.remove(peer);
    ofPeers.remove(peer);
  }

  @Override
  public void received(String peer, ByteBuffer message) {
    FieldReader in = new FieldReader(message);
    int kind = in.hasRemaining() ? in.readByte() : -1;
    switch (kind) {
      case ALL_VERDICTS -> {
        ofPeers.remove(peer);
        readVerdicts(peer, in);
      }
      case CHANGED_VERDICTS -> readVerdicts(peer, in);
      case EJECTIONS -> readEjections(in);
      case SUSPICION -> readSuspicion(in);
      case ANSWERED -> readAnswered(in);
      default -> {
        // of a later version
      }
    }
  }

  private void readVerdicts(String peer, FieldReader in) {
    Map<Integer, Health> verdicts = ofPeers.computeIfAbsent(peer, any -> new ConcurrentHashMap<>());
    while (in.remaining() >= VERDICT_BYTES) {
      int number = in.readShort();
      int code = in.readByte();
      if (code == 0 || code > VERDICTS.size()) {
        verdicts.remove(number);
      } else {
        verdicts.put(number, VERDICTS.get(code - 1));
      }
      news.add(number);
    }
  }

  private void readSuspicion(FieldReader in) {
    try {
      outliers.suspected(TupleFormat.read(in));
    } catch (IllegalArgumentException e) {
      // damaged: no effect
    }
  }

  private void readAnswered(FieldReader in) {
    if (in.remaining() >= ANSWERED_BYTES) {
      outliers.answeredElsewhere(in.readShort(), in.readLong());
    }
  }

  private void readEjections(FieldReader in) {
    Map<Integer, PeerEjection> out = new HashMap<>();
    while (in.remaining() >= EJECTION_BYTES) {
      int number = in.readShort();
      int why = in.readByte();
      int times = in.readInt();
      long nanosLeft = in.readLong();
      if (why < WHYS.size() && times > 0 && nanosLeft > 0) {
        out.put(number, new PeerEjection(WHYS.get(why), times, nanosLeft));
      }
    }
    outliers.ejectedElsewhere(out);
  }
}
