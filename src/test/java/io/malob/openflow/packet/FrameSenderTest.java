package io.malob.openflow.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

class FrameSenderTest {
  private static final MacAddress SRC = MacAddress.of("02:00:00:00:00:01");
  private static final MacAddress DST = MacAddress.of("fe:00:00:00:00:02");
  private static final IPv4Address FROM = IPv4Address.of("192.0.2.200");
  private static final IPv4Address TO = IPv4Address.of("192.0.2.2");
  private static final byte[] TCP = Frames.tcp(SRC, DST, FROM, 1, TO, 2, 2);
  private static final byte[] ARP = Frames.arpRequest(SRC, FROM, TO);

  private static final IPv6Address FROM6 = IPv6Address.of("2001:db8::c8");
  private static final IPv6Address TO6 = IPv6Address.of("2001:db8::2");
  private static final Ipv6Frames FRAMES6 = new Ipv6Frames(SRC, DST, FROM6, TO6);
  private static final byte[] TCP6 = FRAMES6.tcp(1, 2, 2);

  @Test
  void sender_ofEachKindOfFrame_isFound() {
    for (byte[] frame :
        List.of(TCP, ARP, Frames.tagged(TCP, 5), Frames.tagged(Frames.tagged(ARP, 5), 6))) {
      assertEquals(FROM, FrameSender.address(frame));
      assertEquals(SRC.getLong(), FrameSender.mac(frame));
    }
    for (byte[] frame : List.of(TCP6, Frames.tagged(TCP6, 5))) {
      assertEquals(FROM6, FrameSender.address(frame));
      assertEquals(SRC.getLong(), FrameSender.mac(frame));
    }
  }

  @Test
  void sender_ofOtherFrames_isNone() {
    assertTrue(
        FrameSender.address(Frames.ethernet(SRC, DST, 0x88cc, new byte[60])).isUnspecified());
    byte[] tagged = Frames.tagged(Frames.tagged(Frames.tagged(TCP, 5), 6), 7);
    assertTrue(FrameSender.address(tagged).isUnspecified());
  }

  @Test
  void advertisedAddress_isFound() {
    IPv6Address other = IPv6Address.of("2001:db8::77");
    byte[] frame = FRAMES6.advertisement(other, SRC);
    assertEquals(FROM6, FrameSender.address(frame));
    assertEquals(other, FrameSender.advertised(frame));
    assertEquals(other, FrameSender.advertised(Frames.tagged(frame, 5)));
    for (byte[] none : List.of(FRAMES6.solicitation(other), TCP6, TCP, ARP)) {
      assertNull(FrameSender.advertised(none));
    }
    for (int length = 0; length <= frame.length; length++) {
      @Nullable IPAddress<?> read = FrameSender.advertised(Arrays.copyOf(frame, length));
      assertTrue(read == null || read.isUnspecified() || read.equals(other));
      assertEquals(length >= 14 + 40 + 24, other.equals(read));
    }
  }

  @Test
  void sender_ofCutFrames_isNoneUntilItIsThere() {
    cut(TCP, 14 + 16, FROM);
    cut(ARP, 14 + 18, FROM);
    cut(TCP6, 14 + 24, FROM6);
  }

  private static void cut(byte[] whole, int end, IPAddress<?> sender) {
    for (int length = 0; length <= whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      IPAddress<?> found = FrameSender.address(cut);
      assertTrue(length < end ? found.isUnspecified() : found.equals(sender));
      assertEquals(length < 12 ? 0 : SRC.getLong(), FrameSender.mac(cut));
    }
  }
}
