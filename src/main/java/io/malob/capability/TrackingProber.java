package io.malob.capability;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import io.malob.capability.FeatureProbes.Answer;
import io.malob.openflow.IpFamily;
import io.malob.openflow.MaskedCookie;
import io.malob.openflow.PacketOuts;
import io.malob.openflow.RuleKey;
import io.malob.openflow.SwitchRules;
import io.malob.openflow.tracked.ConntrackAction;
import io.malob.openflow.tracked.ConntrackMatch;
import io.malob.openflow.tracked.Mark;
import io.malob.openflow.tracked.Nat;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import net.floodlightcontroller.core.IOFSwitch;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.errormsg.OFBadRequestErrorMsg;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U32;
import org.projectfloodlight.openflow.types.U64;

/**
 * Finds out by a packet whether switches track connections. A PACKET_OUT commits the packet's
 * connection with a translation and a mark; the next one looks it up and recirculates the same
 * packet to a rule for the translated packet with the mark, which sends it to the controller. So a
 * switch that accepts the actions and does not obey them is found out. Addresses and MAC addresses
 * are no host's, as in {@link ProbeMessages}. The entry of the connection expires by the switch's
 * own timeout, some 30 to 60 s. Thread-safe; nothing blocks.
 */
final class TrackingProber {
  /** A datagram from and to the highest address and port 1, without a checksum of UDP. */
  private static final byte[] PACKET =
      HexFormat.of()
          .parseHex(
              "0b4d4c0000000a4d4c0000000800"
                  + "4500001c0000000040117ad2ffffffffffffffff"
                  + "0001000100080000");

  private static final IPAddress<?> SOURCE = IpFamily.IPV4.highest();
  private static final IPAddress<?> TRANSLATED = IPAddress.of("255.255.255.254");
  private static final int PORT = 1;
  private static final int TRANSLATED_PORT = 2;
  private static final int MARK = 0x4d4c;

  /** No other rule takes the packet, and this one takes no other. */
  private static final int PRIORITY = 0xffff;

  private static final int HARD_TIMEOUT_SECONDS =
      (int) TimeUnit.MILLISECONDS.toSeconds(SwitchProber.PATIENCE_MILLIS);

  private final ScheduledExecutorService timer;
  private final int zone;
  private final boolean isOffered;
  private final Map<DatapathId, Trial> trials = new ConcurrentHashMap<>();

  /**
   * A prober that has not probed yet.
   *
   * @param zone where the packet's connection is committed
   * @param isOffered whether the controller can read rules that track connections; otherwise no
   *     switch is probed
   */
  TrackingProber(ScheduledExecutorService timer, int zone, boolean isOffered) {
    this.timer = timer;
    this.zone = zone;
    this.isOffered = isOffered;
  }

  /**
   * One probe of one connection to a switch. It is known until its time is up, because a switch may
   * refuse each of the messages.
   */
  private record Trial(ImmutableSet<Long> transactions, CompletableFuture<Answer> result) {}

  /**
   * Probes a switch of which this controller is master. The result comes on the thread that has
   * read the answer, or after {@link SwitchProber#PATIENCE_MILLIS}: a switch without an answer
   * lacks the feature. It is pending if the switch could not be asked.
   */
  CompletableFuture<Answer> probe(IOFSwitch sw) {
    if (!isOffered) {
      return CompletableFuture.completedFuture(Answer.PENDING);
    }
    OFFactory factory = sw.getOFFactory();
    ImmutableList<OFMessage> messages = messages(factory);
    ImmutableSet<Long> transactions =
        messages.stream().map(OFMessage::getXid).collect(ImmutableSet.toImmutableSet());
    Trial trial = new Trial(transactions, new CompletableFuture<>());
    DatapathId switchId = sw.getId();
    trials.put(switchId, trial);
    ScheduledFuture<?> unused =
        timer.schedule(
            () -> {
              trial.result.complete(Answer.REFUSED);
              trials.remove(switchId, trial);
            },
            SwitchProber.PATIENCE_MILLIS,
            TimeUnit.MILLISECONDS);
    CompletableFuture<Answer> result =
        trial.result.whenComplete(
            (answer, failure) -> {
              if (answer != Answer.PENDING) {
                sw.write(
                    List.of(new MaskedCookie(ProbeMessages.COOKIE, U64.NO_MASK).delete(factory)));
              }
            });
    if (!Iterables.isEmpty(sw.write(messages))) {
      trial.result.complete(Answer.PENDING);
    }
    return result;
  }

  private ImmutableList<OFMessage> messages(OFFactory factory) {
    ConntrackAction lookUp = ConntrackAction.inZone(factory, zone);
    Match tracked =
        ConntrackMatch.mark(
                ConntrackMatch.zone(
                    ConntrackMatch.state(
                        IpFamily.withPorts(
                            IpFamily.matchBetween(factory, IpProtocol.UDP, SOURCE, TRANSLATED),
                            IpProtocol.UDP,
                            PORT,
                            TRANSLATED_PORT),
                        ConntrackMatch.TRACKED,
                        0),
                    zone),
                MARK)
            .build();
    return ImmutableList.of(
        new RuleKey(TableId.ZERO, PRIORITY, tracked)
            .add(factory, ProbeMessages.COOKIE, SwitchRules.toController(factory))
            .setHardTimeout(HARD_TIMEOUT_SECONDS)
            .build(),
        packetOut(
            factory,
            lookUp
                .commit()
                .translate(Nat.destination(TRANSLATED, TRANSLATED_PORT))
                .setMark(new Mark(MARK))),
        packetOut(factory, lookUp.translate(Nat.EXISTING).continueIn(TableId.ZERO)));
  }

  private static OFMessage packetOut(OFFactory factory, ConntrackAction action) {
    return PacketOuts.of(factory, PACKET, List.of(action));
  }

  /** A switch has sent a packet to the controller; false if it is not of a probe. */
  boolean returned(DatapathId switchId, OFPacketIn packetIn) {
    if (packetIn.getVersion().compareTo(OFVersion.OF_13) < 0
        || !packetIn.getCookie().equals(ProbeMessages.COOKIE)) {
      return false;
    }
    @Nullable Trial trial = trials.get(switchId);
    if (trial != null
        && U32.of(MARK).equals(packetIn.getMatch().get(MatchField.CONN_TRACKING_MARK))) {
      // the rule has matched the rest
      trial.result.complete(Answer.ACCEPTED);
    }
    return true;
  }

  /** A switch has rejected a message; false if the message was not of a probe. */
  boolean refused(DatapathId switchId, OFErrorMsg error) {
    @Nullable Trial trial = trials.get(switchId);
    if (trial == null || !trial.transactions.contains(error.getXid())) {
      return false;
    }
    boolean isSlave =
        error instanceof OFBadRequestErrorMsg bad && bad.getCode() == OFBadRequestCode.IS_SLAVE;
    trial.result.complete(isSlave ? Answer.PENDING : Answer.REFUSED);
    return true;
  }

  /** A switch has disconnected: a result would be that of an earlier connection. */
  void forget(DatapathId switchId) {
    @Nullable Trial trial = trials.remove(switchId);
    if (trial != null) {
      trial.result.complete(Answer.PENDING);
    }
  }
}
