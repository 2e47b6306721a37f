package io.malob.mptcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableMap;
import io.malob.openflow.FakeSwitches;
import io.malob.openflow.RuleSender;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.subflow.Fan;
import io.malob.openflow.subflow.Fan.Tagging;
import io.malob.testing.Ipv6Frames;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** What hosts of an IPv6 plan are told that ARP does not have. */
class AliasNeighboursTest {
  private static final DatapathId SWITCH = DatapathId.of(1);
  private static final OFPort PORT = OFPort.of(7);
  private static final MacAddress OWNER = MacAddress.of("02:00:00:00:00:01");
  private static final MacAddress OTHER = MacAddress.of("02:00:00:00:00:02");
  private static final IPv6Address ALIAS = IPv6Address.of("fd00::b");
  private static final IPv6Address ALL_NODES = IPv6Address.of("ff02::1");
  private static final MacAddress ALL_NODES_MAC = MacAddress.of("33:33:00:00:00:01");
  private static final MacAddress ALIAS_GROUP_MAC = MacAddress.of("33:33:ff:00:00:0b");
  private static final IPv6Address ALIAS_GROUP = IPv6Address.of("ff02::1:ff00:b");

  private final FakeSwitches switches = new FakeSwitches(1);
  private final AliasNeighbours neighbours =
      new AliasNeighbours(
          () ->
              ImmutableMap.of(
                  ALIAS,
                  new Fan.Address(
                      ALIAS, ALIAS.withMaskOfLength(64), SWITCH, PORT, OWNER, 0, Tagging.NONE)),
          new RuleSender(switches));

  private boolean handle(byte[] frame) {
    return neighbours.handle(SWITCH, PORT, Packet.parse(frame));
  }

  private static byte[] check(MacAddress mac, IPv6Address target) {
    return new Ipv6Frames(mac, ALIAS_GROUP_MAC, IPv6Address.NONE, ALIAS_GROUP).solicitation(target);
  }

  private List<OFMessage> sent() {
    return switches.get(1).messages();
  }

  @Test
  void hostThatChecksWhetherItsOwnAliasIsFree_getsNoAnswer() {
    assertTrue(handle(check(OWNER, ALIAS)));
    assertEquals(List.of(), sent());
  }

  @Test
  void hostThatChecksAnAliasOfAnother_isToldByAnAnswerToAll() {
    assertTrue(handle(check(OTHER, ALIAS)));
    byte[] answer =
        new Ipv6Frames(OWNER, ALL_NODES_MAC, ALIAS, ALL_NODES)
            .icmp(136, 255, 0x2000_0000, withMac(ALIAS, OWNER));
    assertArrayEquals(answer, ((OFPacketOut) sent().get(0)).getData());
  }

  private static byte[] withMac(IPv6Address target, MacAddress mac) {
    return ByteBuffer.allocate(24)
        .put(target.getBytes())
        .put(new byte[] {2, 1})
        .put(mac.getBytes())
        .array();
  }

  @Test
  void otherAddressesAndAdvertisements_areLeftToOthers() {
    assertFalse(handle(check(OTHER, IPv6Address.of("fd00::c"))));
    Ipv6Frames frames =
        new Ipv6Frames(OTHER, OWNER, IPv6Address.of("fd00::2"), IPv6Address.of("fd00::1"));
    assertFalse(handle(frames.advertisement(ALIAS, OTHER)));
    assertFalse(handle(frames.tcp(1, 2, 2)));
    assertEquals(List.of(), sent());
  }
}
