package io.malob.balancer.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.malob.openflow.packet.Packet;
import io.malob.testing.Frames;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

class ChosenMembersTest {
  private static final IPv4Address CLIENT = IPv4Address.of("10.0.0.1");
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");

  private final ChosenMembers chosen = new ChosenMembers(100, 0);

  private static Arrival syn(int port, int sequence, long millis) {
    byte[] frame =
        Frames.tcp(MacAddress.of(1), MacAddress.of(2), CLIENT, port, VIP, 80, Packet.TCP_SYN);
    int sequenceAt = 14 + 20 + 4;
    for (int index = 0; index < 4; index++) {
      frame[sequenceAt + index] = (byte) (sequence >>> (8 * (3 - index)));
    }
    return new Arrival(
        DatapathId.of(1),
        OFPort.of(1),
        Packet.parse(frame),
        TimeUnit.MILLISECONDS.toNanos(millis),
        true);
  }

  private @Nullable Integer find(Arrival packet) {
    return chosen.find(packet.packet().fiveTuple(), packet);
  }

  private void remember(Arrival packet, int member) {
    chosen.remember(packet.packet().fiveTuple(), packet, member);
  }

  @Test
  void packetThatIsSentAgain_findsItsMember_forFiveSeconds() {
    remember(syn(40_000, 7, 0), 3);

    assertEquals(3, find(syn(40_000, 7, 1_000)));
    assertEquals(3, find(syn(40_000, 7, 6_000)));
    assertNull(find(syn(40_000, 7, 16_000)));
  }

  @Test
  void otherConnectionOfTheSamePort_findsNone() {
    remember(syn(40_000, 7, 0), 3);

    assertNull(find(syn(40_000, 8, 1)));
    assertNull(find(syn(40_001, 7, 1)));
  }

  @Test
  void number_isBounded_andTheLatestStay() {
    for (int port = 1; port <= 10_000; port++) {
      remember(syn(port, 7, 1), port);
    }

    assertEquals(10_000, find(syn(10_000, 7, 2)));
    assertEquals(9_902, find(syn(9_902, 7, 2)));
    assertNull(find(syn(9_700, 7, 2)));
  }
}
