package io.malob.openflow.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.testing.Frames;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

class FrameSenderTest {
  private static final MacAddress SRC = MacAddress.of("02:00:00:00:00:01");
  private static final MacAddress DST = MacAddress.of("fe:00:00:00:00:02");
  private static final IPv4Address FROM = IPv4Address.of("192.0.2.200");
  private static final IPv4Address TO = IPv4Address.of("192.0.2.2");
  private static final byte[] TCP = Frames.tcp(SRC, DST, FROM, 1, TO, 2, 2);
  private static final byte[] ARP = Frames.arpRequest(SRC, FROM, TO);

  @Test
  void sender_ofEachKindOfFrame_isFound() {
    for (byte[] frame :
        List.of(TCP, ARP, Frames.tagged(TCP, 5), Frames.tagged(Frames.tagged(ARP, 5), 6))) {
      assertEquals(FROM.getInt(), FrameSender.ipv4(frame));
      assertEquals(SRC.getLong(), FrameSender.mac(frame));
    }
  }

  @Test
  void sender_ofOtherFrames_isNone() {
    assertEquals(0, FrameSender.ipv4(Frames.ethernet(SRC, DST, 0x86dd, new byte[60])));
    assertEquals(0, FrameSender.ipv4(Frames.tagged(Frames.tagged(Frames.tagged(TCP, 5), 6), 7)));
  }

  @Test
  void sender_ofCutFrames_isNoneUntilItIsThere() {
    for (byte[] whole : List.of(TCP, ARP)) {
      int end = whole == TCP ? 14 + 16 : 14 + 18;
      for (int length = 0; length <= whole.length; length++) {
        byte[] cut = Arrays.copyOf(whole, length);
        assertEquals(length < end ? 0 : FROM.getInt(), FrameSender.ipv4(cut));
        assertEquals(length < 12 ? 0 : SRC.getLong(), FrameSender.mac(cut));
      }
    }
  }
}
