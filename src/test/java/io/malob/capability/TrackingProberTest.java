package io.malob.capability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.capability.FeatureProbes.Answer;
import io.malob.capability.ProbedNetwork.ProbedSwitch;
import io.malob.openflow.TableLayout;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.tracked.ConntrackAction;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import net.floodlightcontroller.core.IListener.Command;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.protocol.OFBadActionCode;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.OFErrorCauseData;
import org.projectfloodlight.openflow.types.U64;

/** Switches that track connections, refuse to, or only say that they do. */
class TrackingProberTest {
  private static final DatapathId ID = DatapathId.of(2);
  private static final OFErrorMsg UNKNOWN_VENDOR =
      ProbedNetwork.FACTORY
          .errorMsgs()
          .buildBadActionErrorMsg()
          .setCode(OFBadActionCode.BAD_EXPERIMENTER)
          .setData(OFErrorCauseData.NONE)
          .build();
  private static final OFErrorMsg SLAVE =
      ProbedNetwork.FACTORY
          .errorMsgs()
          .buildBadRequestErrorMsg()
          .setCode(OFBadRequestCode.IS_SLAVE)
          .setData(OFErrorCauseData.NONE)
          .build();

  private final List<DatapathId> refused = new ArrayList<>();
  private ProbedNetwork network;

  @BeforeEach
  void start() throws Exception {
    network = network(Map.of());
  }

  private ProbedNetwork network(Map<String, String> settings) throws Exception {
    ProbedNetwork started = new ProbedNetwork(settings);
    started.module().features().subscribe(SwitchFeature.CONNECTION_TRACKING, refused::add);
    return started;
  }

  private static ProbedSwitch sw() {
    return new ProbedSwitch(2, 4);
  }

  private static ProbedSwitch refusing(Predicate<OFMessage> which, OFErrorMsg error) {
    return sw().refuses(message -> which.test(message) ? Optional.of(error) : Optional.empty());
  }

  private static boolean isTracked(OFMessage message) {
    return message instanceof OFFlowAdd rule
        && rule.getMatch().get(MatchField.CONN_TRACKING_MARK) != null;
  }

  private static List<OFPacketOut> packets(ProbedSwitch sw) {
    return sw.received.stream()
        .filter(OFPacketOut.class::isInstance)
        .map(OFPacketOut.class::cast)
        .toList();
  }

  private static OFFlowAdd rule(ProbedSwitch sw) {
    return (OFFlowAdd)
        sw.received.stream().filter(TrackingProberTest::isTracked).findFirst().orElseThrow();
  }

  /** What all that shows it says of the switch. */
  private Answer answer() {
    FeatureProbes features = network.module().features();
    Answer known = features.known(ID, SwitchFeature.CONNECTION_TRACKING);
    assertEquals(known, network.module().capabilities().get(ID).tracking());
    assertEquals(known == Answer.ACCEPTED, features.has(ID, SwitchFeature.CONNECTION_TRACKING));
    return known;
  }

  @Test
  void switchThatReturnsThePacket_tracks_andHoldsNoRuleOfTheProbe() {
    ProbedSwitch sw = network.connect(sw());
    assertEquals(Answer.ACCEPTED, answer());
    assertEquals(List.of(), sw.held);
    assertEquals(List.of(Command.STOP), sw.commands);
    network.passMillis(SwitchProber.PATIENCE_MILLIS);
    assertEquals(Answer.ACCEPTED, answer());
    assertEquals(List.of(), refused);
    assertEquals(
        List.of(
            "[ct(commit,zone=7777,nat(dst=255.255.255.254:2),exec(set_field:0x4d4c->ct_mark))]",
            "[ct(table=0,zone=7777,nat)]"),
        packets(sw).stream().map(packet -> packet.getActions().toString()).toList());
  }

  /** It could not read the rules. */
  @Test
  void inRealFloodlight_noSwitchIsProbed() throws Exception {
    network = new ProbedNetwork(Map.of(), false);

    ProbedSwitch sw = network.connect(sw());

    assertEquals(Answer.PENDING, answer());
    assertEquals(List.of(), packets(sw));
    assertEquals(TableLayout.FOUR_TABLES, network.module().layout(ID));
  }

  @ParameterizedTest
  @CsvSource({"OF_13, ''", "OF_14, ''", "OF_15, GROUPS"})
  void switchOfEachVersion_isProbed_butNotForGroupsOfTheLatest(OFVersion version, String refused) {
    ProbedSwitch sw = network.connect(sw().openflow(version));
    assertEquals(Answer.ACCEPTED, answer());
    assertEquals(List.of(), sw.held);
    assertEquals(TableLayout.FOUR_TABLES, network.module().layout(ID));
    assertEquals(
        refused.isEmpty() ? Set.of() : Set.of(SwitchFeature.valueOf(refused)),
        network.module().capabilities().get(ID).refused());
    assertEquals(
        refused.isEmpty(),
        sw.received.stream().anyMatch(message -> message.getType() == OFType.GROUP_MOD));
  }

  @Test
  void packet_isValid_andOfNoHost() {
    ProbedSwitch sw = network.connect(sw());
    for (OFPacketOut packetOut : packets(sw)) {
      byte[] frame = packetOut.getData();
      Packet packet = Packet.parse(frame);
      assertEquals(Packet.Kind.UDP, packet.kind());
      assertEquals(IPAddress.of("255.255.255.255"), packet.source());
      assertEquals(packet.source(), packet.destination());
      int sum = 0;
      for (int at = 14; at < 34; at += 2) {
        sum += ByteBuffer.wrap(frame).getShort(at) & 0xffff;
      }
      assertEquals(0xffff, (sum & 0xffff) + (sum >> 16), "the checksum of the header");
    }
    assertEquals(ProbeMessages.COOKIE, rule(sw).getCookie());
    assertTrue(rule(sw).getHardTimeout() > 0);
  }

  @Test
  void zone_isThatOfTheSetting() throws Exception {
    network = network(Map.of("trackedZone", "9"));
    ProbedSwitch sw = network.connect(sw());
    assertEquals(Answer.ACCEPTED, answer());
    for (OFPacketOut packet : packets(sw)) {
      assertEquals(9, ((ConntrackAction) packet.getActions().get(0)).zone());
    }
  }

  @Test
  void switchThatRefusesTheActions_doesNotTrack_atOnce() {
    ProbedSwitch sw = network.connect(refusing(OFPacketOut.class::isInstance, UNKNOWN_VENDOR));
    assertEquals(Answer.REFUSED, answer());
    assertEquals(List.of(), sw.held);
    assertEquals(List.of(Command.STOP, Command.STOP), sw.commands);
    assertEquals(List.of(ID), refused);
    assertEquals(TableLayout.FOUR_TABLES, network.module().layout(ID));
    assertEquals(Set.of(), network.module().capabilities().get(ID).refused());
  }

  @Test
  void switchThatRefusesTheMatch_doesNotTrack_atOnce() {
    network.connect(refusing(TrackingProberTest::isTracked, UNKNOWN_VENDOR));
    assertEquals(Answer.REFUSED, answer());
  }

  @Test
  void switchThatAcceptsAndReturnsNothing_doesNotTrack_andItsLayoutIsKnownBefore() {
    ProbedSwitch sw = network.connect(sw().ignoresTracking());
    assertEquals(TableLayout.FOUR_TABLES, network.module().whenKnown(ID).getNow(null));
    network.passMillis(SwitchProber.PATIENCE_MILLIS - 1);
    assertEquals(Answer.PENDING, answer());
    network.passMillis(1);
    assertEquals(Answer.REFUSED, answer());
    assertEquals(List.of(), sw.held);
  }

  @Test
  void packetWithAnotherMark_showsNothing_andThatOfNoProbeGoesOn() {
    ProbedSwitch sw = network.connect(sw().ignoresTracking());
    OFFlowAdd rule = rule(sw);
    byte[] frame = packets(sw).get(0).getData();
    OFPacketIn otherMark = FakeTracking.packetIn(rule, 7_777, 1, frame);
    OFPacketIn right = FakeTracking.packetIn(rule, 7_777, 0x4d4c, frame);
    assertEquals(Command.STOP, network.receive(sw, otherMark));
    assertEquals(
        Command.CONTINUE, network.receive(sw, right.createBuilder().setCookie(U64.ZERO).build()));
    assertEquals(Answer.PENDING, answer());
    assertEquals(Command.STOP, network.receive(sw, right));
    assertEquals(Answer.ACCEPTED, answer());
    network.passMillis(SwitchProber.PATIENCE_MILLIS);
    assertEquals(Command.STOP, network.receive(sw, right), "no other module sees a late packet");
  }

  @Test
  void packetIn_comesToNoOtherModuleBefore() {
    assertTrue(network.module().isCallbackOrderingPostreq(OFType.PACKET_IN, "any"));
    assertFalse(network.module().isCallbackOrderingPostreq(OFType.ERROR, "any"));
  }

  @Test
  void errorOfAnotherMessage_isNotTaken() {
    ProbedSwitch sw = network.connect(sw().ignoresTracking());
    assertEquals(Command.CONTINUE, network.receive(sw, UNKNOWN_VENDOR));
    assertEquals(Answer.PENDING, answer());
  }

  @Test
  void slave_isNotJudged() {
    network.connect(refusing(OFPacketOut.class::isInstance, SLAVE));
    network.passMillis(SwitchProber.PATIENCE_MILLIS);
    assertEquals(Answer.PENDING, answer());
    assertEquals(List.of(), refused);
  }

  @Test
  void answerOfAnEarlierConnection_doesNotCount() {
    ProbedSwitch first = network.connect(sw().ignoresTracking());
    OFPacketIn late =
        FakeTracking.packetIn(rule(first), 7_777, 0x4d4c, packets(first).get(0).getData());
    network.disconnect(first);
    network.receive(first, late);
    network.connect(sw().software("2").ignoresTracking());
    network.passMillis(SwitchProber.PATIENCE_MILLIS - 1);
    assertEquals(Answer.PENDING, answer());
  }

  @Test
  void sameSwitchAgain_isNotAskedAgain() {
    ProbedSwitch sw = network.connect(sw());
    network.disconnect(sw);
    int messages = sw.received.size();
    network.connect(sw);
    assertEquals(messages, sw.received.size());
    assertEquals(Answer.ACCEPTED, answer());
  }

  @Test
  void switchThatDisconnectedBeforeItsAnswer_isAskedAgain() {
    ProbedSwitch sw = network.connect(sw().ignoresTracking());
    network.disconnect(sw);
    network.connect(sw());
    assertEquals(Answer.ACCEPTED, answer());
  }

  @ParameterizedTest
  @ValueSource(strings = {"2=four-tables", ""})
  void switchThatIsForced_orDoesNotAnswer_isNotAsked(String layouts) throws Exception {
    network = network(Map.of("layouts", layouts));
    ProbedSwitch sw = network.connect(layouts.isEmpty() ? sw().silent() : sw());
    network.passMillis(SwitchProber.PATIENCE_MILLIS);
    network.passMillis(SwitchProber.PATIENCE_MILLIS);
    assertEquals(TableLayout.FOUR_TABLES, network.module().layout(ID));
    assertEquals(Answer.PENDING, answer());
    assertEquals(List.of(), packets(sw));
  }

  @Test
  void peer_getsTheAnswer_thatComesLaterThanTheLayout() throws Exception {
    ProbedNetwork other = network(Map.of());
    network.peer().reached("other");
    network.connect(sw().ignoresTracking());
    network.passMillis(1_000);
    network.passSeconds(3);
    assertTrue(network.told.size() > 1, network.told.size() + " messages");
    List<Answer> answers = new ArrayList<>();
    for (byte[] message : network.told) {
      other.peer().received("this", ByteBuffer.wrap(message));
      answers.add(other.module().capabilities().get(ID).tracking());
    }
    assertEquals(Answer.REFUSED, answers.get(answers.size() - 1));
  }
}
