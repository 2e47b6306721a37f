package io.malob.controller.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

class StandbyMessagesTest {
  private static final MacAddress SRC = MacAddress.of("02:00:00:00:00:01");
  private static final MacAddress DST = MacAddress.of("02:00:00:00:00:02");
  private static final IPv6Address TARGET = IPv6Address.of("2001:db8::9");
  private static final Ipv6Frames IPV6 =
      new Ipv6Frames(SRC, DST, IPv6Address.of("2001:db8::1"), IPv6Address.of("2001:db8::2"));
  private static final int ICMP_TYPE_AT = 54;

  private static boolean isOfUse(byte[] frame) {
    OFPacketIn packetIn =
        OFFactories.getFactory(OFVersion.OF_13)
            .buildPacketIn()
            .setReason(OFPacketInReason.NO_MATCH)
            .setData(frame)
            .build();
    return StandbyMessages.isOfUse(packetIn);
  }

  @Test
  void whatShowsAddressesOfHosts_isOfUse() {
    IPv4Address ip = IPv4Address.of("10.0.0.1");
    assertTrue(isOfUse(Frames.arpRequest(SRC, ip, IPv4Address.of("10.0.0.2"))));
    assertTrue(isOfUse(IPV6.solicitation(TARGET)));
    assertTrue(isOfUse(IPV6.advertisement(TARGET, SRC)));
  }

  @Test
  void otherPackets_areForTheMaster() {
    assertFalse(isOfUse(IPV6.tcp(1, 2, 2)));
    assertFalse(isOfUse(IPV6.icmp(128, 64, 1, new byte[8])));
    assertFalse(isOfUse(IPV6.udp(135, 136, new byte[8])));
    assertFalse(isOfUse(Frames.echoRequest(SRC, DST, IPv4Address.of(1), IPv4Address.of(2))));
  }

  @Test
  void shortFrame_isOfUseFromTheTypeOn() {
    byte[] whole = IPV6.solicitation(TARGET);
    for (int length = 0; length <= whole.length; length++) {
      assertEquals(length > ICMP_TYPE_AT, isOfUse(Arrays.copyOf(whole, length)));
    }
  }
}
