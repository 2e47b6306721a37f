package io.malob.openflow.packet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

class AnnouncementTest {
  private static final MacAddress MAC = MacAddress.of("0e:4d:00:00:00:01");

  @Test
  void announcementOfIpv4_isGratuitousArp() {
    IPv4Address address = IPv4Address.of("10.0.0.100");
    assertArrayEquals(
        Frames.arpRequest(MAC, address, address), NeighbourReplies.announcement(MAC, address));
  }

  @Test
  void announcementOfIpv6_overrides_andIsNotSolicited_andGoesToAllNodes() {
    IPv6Address address = IPv6Address.of("2001:db8::64");
    byte[] body =
        ByteBuffer.allocate(24)
            .put(address.getBytes())
            .put(new byte[] {2, 1})
            .put(MAC.getBytes())
            .array();
    byte[] expected =
        new Ipv6Frames(MAC, MacAddress.of("33:33:00:00:00:01"), address, IPv6Address.of("ff02::1"))
            .icmp(136, 255, 0x2000_0000, body);
    assertArrayEquals(expected, NeighbourReplies.announcement(MAC, address));
  }
}
