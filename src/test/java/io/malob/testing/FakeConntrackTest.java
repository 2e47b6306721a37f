package io.malob.testing;

import static io.malob.openflow.tracked.ConntrackMatch.DESTINATION_TRANSLATED;
import static io.malob.openflow.tracked.ConntrackMatch.ESTABLISHED;
import static io.malob.openflow.tracked.ConntrackMatch.INVALID;
import static io.malob.openflow.tracked.ConntrackMatch.NEW;
import static io.malob.openflow.tracked.ConntrackMatch.REPLY;
import static io.malob.openflow.tracked.ConntrackMatch.SOURCE_TRANSLATED;
import static io.malob.openflow.tracked.ConntrackMatch.TRACKED;
import static io.malob.testing.TrackingSwitch.CLIENT;
import static io.malob.testing.TrackingSwitch.CLIENT_MAC;
import static io.malob.testing.TrackingSwitch.MEMBERS;
import static io.malob.testing.TrackingSwitch.MEMBER_MAC;
import static io.malob.testing.TrackingSwitch.OTHER_VIP;
import static io.malob.testing.TrackingSwitch.VIP;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.malob.testing.TrackingSwitch.Seen;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.U16;
import org.projectfloodlight.openflow.types.U32;

class FakeConntrackTest {
  private static final int SYN = 2;
  private static final int RST = 4;
  private static final int ACK = 16;
  private static final int FIN_ACK = 17;
  private static final int SYN_ACK = 18;

  private static final int FIRST = NEW | TRACKED | DESTINATION_TRANSLATED;
  private static final int TO_MEMBER = ESTABLISHED | TRACKED | DESTINATION_TRANSLATED;
  private static final int TO_CLIENT = ESTABLISHED | TRACKED | REPLY | SOURCE_TRANSLATED;

  private final TrackingSwitch ovs = new TrackingSwitch();

  /** With rules that place connections to both VIPs on the first member. */
  FakeConntrackTest() {
    ovs.place(VIP, 0);
    ovs.place(OTHER_VIP, 0);
  }

  private static byte[] request(int port, int flags) {
    return request(VIP, port, flags);
  }

  private static byte[] request(IPv4Address vip, int port, int flags) {
    return Frames.tcp(CLIENT_MAC, MEMBER_MAC, CLIENT, port, vip, 80, flags);
  }

  private static byte[] atMember(int member, int port, int flags) {
    return Frames.tcp(CLIENT_MAC, MEMBER_MAC, CLIENT, port, MEMBERS.get(member), 8080, flags);
  }

  private static byte[] reply(int member, int port, int flags) {
    return Frames.tcp(MEMBER_MAC, CLIENT_MAC, MEMBERS.get(member), 8080, CLIENT, port, flags);
  }

  private static byte[] atClient(IPv4Address vip, int port, int flags) {
    return Frames.tcp(MEMBER_MAC, CLIENT_MAC, vip, 80, CLIENT, port, flags);
  }

  private void assertSeen(int state, int mark, byte[] frame, Seen seen) {
    assertArrayEquals(frame, seen.frame());
    assertEquals(new TrackingSwitch.Fields(state, mark), seen.fields());
  }

  @Test
  void handshake_committedWithNat_isTranslatedInBothDirections() {
    assertSeen(FIRST, 1, atMember(0, 40_000, SYN), ovs.send(request(40_000, SYN)));
    assertSeen(TO_CLIENT, 1, atClient(VIP, 40_000, SYN_ACK), ovs.send(reply(0, 40_000, SYN_ACK)));
    assertSeen(TO_MEMBER, 1, atMember(0, 40_000, ACK), ovs.send(request(40_000, ACK)));
    assertSeen(TO_CLIENT, 1, atClient(VIP, 40_000, ACK), ovs.send(reply(0, 40_000, ACK)));
    assertEquals(1, ovs.connections().size());
  }

  @Test
  void packetIn_hasTheFieldsOfTheConnection() {
    Match.Builder match = TrackingSwitch.OF.buildMatch();
    Match fields = ovs.table().process(1, request(40_000, SYN)).get(0).addFields(match).build();
    assertEquals(U32.of(FIRST), fields.get(MatchField.CONN_TRACKING_STATE));
    assertEquals(U16.of(TrackingSwitch.ZONE), fields.get(MatchField.CONN_TRACKING_ZONE));
    assertEquals(U32.of(1), fields.get(MatchField.CONN_TRACKING_MARK));
    assertNull(fields.get(MatchField.METADATA));
  }

  @Test
  void connection_committed_isListedWithBothTuples() {
    ovs.send(request(40_000, SYN));
    assertEquals(
        List.of(
            new FakeConntrack.Connection(
                TrackingSwitch.ZONE,
                new ConntrackTuple(ConntrackTuple.TCP, CLIENT, 40_000, VIP, 80),
                new ConntrackTuple(ConntrackTuple.TCP, MEMBERS.get(0), 8080, CLIENT, 40_000),
                1,
                false)),
        ovs.connections());
  }

  @Test
  void retransmittedSyn_afterRulesChanged_goesToSameMember() {
    ovs.send(request(40_000, SYN));
    ovs.place(VIP, 1);
    assertSeen(FIRST, 1, atMember(0, 40_000, SYN), ovs.send(request(40_000, SYN)));
    assertSeen(FIRST, 2, atMember(1, 40_001, SYN), ovs.send(request(40_001, SYN)));
  }

  @Test
  void openConnection_afterRulesChanged_staysAtMember() {
    ovs.send(request(40_000, SYN));
    ovs.send(reply(0, 40_000, SYN_ACK));
    ovs.place(VIP, 1);
    assertSeen(TO_MEMBER, 1, atMember(0, 40_000, ACK), ovs.send(request(40_000, ACK)));
  }

  @Test
  void segment_fromTheMiddle_isPickedUp() {
    assertSeen(FIRST, 1, atMember(0, 40_000, ACK), ovs.send(request(40_000, ACK)));
    assertSeen(TO_MEMBER, 1, atMember(0, 40_000, ACK), ovs.send(request(40_000, ACK)));
    assertSeen(TO_CLIENT, 1, atClient(VIP, 40_000, ACK), ovs.send(reply(0, 40_000, ACK)));
  }

  @Test
  void synAck_ofUnknownConnection_isInvalid() {
    byte[] frame = reply(0, 40_000, SYN_ACK);
    assertSeen(INVALID | TRACKED, 0, frame, ovs.send(frame));
  }

  @Test
  void segment_withoutAckAndSyn_isInvalid() {
    byte[] frame = request(40_000, 1);
    assertSeen(INVALID | TRACKED, 0, frame, ovs.send(frame));
  }

  @Test
  void reset_ofUnknownConnection_isNew() {
    byte[] frame = reply(0, 40_000, RST);
    assertSeen(NEW | TRACKED, 0, frame, ovs.send(frame));
  }

  @Test
  void frame_withWrongChecksum_isInvalid() {
    byte[] frame = request(40_000, SYN);
    frame[50]++;
    assertSeen(INVALID | TRACKED, 0, frame, ovs.send(frame));
  }

  @Test
  void portCollision_betweenVips_givesTheLaterAnotherPort() {
    ovs.send(request(VIP, 40_000, SYN));
    assertSeen(FIRST, 1, atMember(0, 40_001, SYN), ovs.send(request(OTHER_VIP, 40_000, SYN)));
    assertSeen(
        TO_CLIENT, 1, atClient(OTHER_VIP, 40_000, SYN_ACK), ovs.send(reply(0, 40_001, SYN_ACK)));
    assertSeen(TO_CLIENT, 1, atClient(VIP, 40_000, SYN_ACK), ovs.send(reply(0, 40_000, SYN_ACK)));
  }

  @Test
  void syn_afterBothFins_beginsAnewByTheCurrentRules() {
    ovs.send(request(40_000, SYN));
    ovs.send(reply(0, 40_000, SYN_ACK));
    ovs.send(request(40_000, FIN_ACK));
    ovs.send(reply(0, 40_000, FIN_ACK));
    ovs.place(VIP, 1);
    assertSeen(TO_MEMBER, 1, atMember(0, 40_000, ACK), ovs.send(request(40_000, ACK)));
    assertSeen(FIRST, 2, atMember(1, 40_000, SYN), ovs.send(request(40_000, SYN)));
    assertEquals(1, ovs.connections().size());
  }

  @Test
  void syn_afterReset_toTheSameMember_hasAnotherPortThere() {
    ovs.send(request(40_000, SYN));
    ovs.send(reply(0, 40_000, RST | ACK));
    assertSeen(FIRST, 1, atMember(0, 40_001, SYN), ovs.send(request(40_000, SYN)));
    assertSeen(FIRST, 1, atMember(0, 40_001, SYN), ovs.send(request(40_000, SYN)));
    assertSeen(TO_CLIENT, 1, atClient(VIP, 40_000, SYN_ACK), ovs.send(reply(0, 40_001, SYN_ACK)));
    ovs.send(reply(0, 40_001, RST | ACK));
    assertSeen(FIRST, 1, atMember(0, 40_000, SYN), ovs.send(request(40_000, SYN)));
    assertEquals(1, ovs.connections().size());
  }

  @Test
  void syn_afterOneFin_staysAtMember() {
    ovs.send(request(40_000, SYN));
    ovs.send(reply(0, 40_000, SYN_ACK));
    ovs.send(request(40_000, FIN_ACK));
    ovs.place(VIP, 1);
    assertSeen(TO_MEMBER, 1, atMember(0, 40_000, SYN), ovs.send(request(40_000, SYN)));
  }

  @Test
  void syn_afterReset_beginsAnew() {
    ovs.send(request(40_000, SYN));
    ovs.send(reply(0, 40_000, RST | ACK));
    ovs.place(VIP, 1);
    assertSeen(FIRST, 2, atMember(1, 40_000, SYN), ovs.send(request(40_000, SYN)));
  }

  @Test
  void udp_isNewUntilAnswered() {
    byte[] data = {1, 2, 3};
    byte[] asked = Frames.udp(CLIENT_MAC, MEMBER_MAC, CLIENT, 5_000, VIP, 80, data);
    byte[] placed = Frames.udp(CLIENT_MAC, MEMBER_MAC, CLIENT, 5_000, MEMBERS.get(0), 8080, data);
    for (int i = 0; i < 3; i++) {
      assertSeen(FIRST, 1, placed, ovs.send(asked));
    }
    assertSeen(
        TO_CLIENT,
        1,
        Frames.udp(MEMBER_MAC, CLIENT_MAC, VIP, 80, CLIENT, 5_000, data),
        ovs.send(Frames.udp(MEMBER_MAC, CLIENT_MAC, MEMBERS.get(0), 8080, CLIENT, 5_000, data)));
    assertSeen(TO_MEMBER, 1, placed, ovs.send(asked));
  }

  @Test
  void clearedSwitch_knowsNoConnection() {
    ovs.send(request(40_000, SYN));
    ovs.table().conntrack().clear();
    ovs.place(VIP, 1);
    assertSeen(FIRST, 2, atMember(1, 40_000, ACK), ovs.send(request(40_000, ACK)));
  }

  @Test
  void idleConnection_isForgotten_onlyAfterTheTime() {
    ovs.table().conntrack().setMaxIdleNanos(TimeUnit.SECONDS.toNanos(10));
    ovs.send(request(40_000, SYN));
    ovs.pass(9);
    ovs.send(request(40_000, SYN));
    ovs.pass(9);
    assertEquals(1, ovs.connections().size());
    ovs.place(VIP, 1);
    ovs.pass(1);
    assertSeen(FIRST, 2, atMember(1, 40_000, SYN), ovs.send(request(40_000, SYN)));
    ovs.pass(10);
    assertEquals(List.of(), ovs.connections());
  }
}
