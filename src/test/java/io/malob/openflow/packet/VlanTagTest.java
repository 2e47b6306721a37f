package io.malob.openflow.packet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.malob.testing.Frames;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

class VlanTagTest {
  private static final byte[] FRAME =
      Frames.tcp(
          MacAddress.of("02:00:00:00:00:01"),
          MacAddress.of("02:00:00:00:00:02"),
          IPv4Address.of("10.0.0.1"),
          40_000,
          IPv4Address.of("10.0.0.2"),
          80,
          0x10);

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 255, 256, 4_094})
  void set_tagsAFrame_andTakesTheTagOff(int vlan) {
    byte[] tagged = Frames.tagged(FRAME, vlan);
    assertArrayEquals(tagged, VlanTag.set(FRAME, vlan));
    assertArrayEquals(tagged, VlanTag.set(Frames.tagged(FRAME, 7), vlan));
    assertArrayEquals(FRAME, VlanTag.set(tagged, 0));
    assertEquals(Packet.parse(FRAME).dstPort(), Packet.parse(tagged).dstPort());
  }

  @Test
  void set_nothing_isTheFrameItself() {
    assertSame(FRAME, VlanTag.set(FRAME, 0));
  }

  /** A priority tag, of VLAN 0, has a priority that other VLANs do not get. */
  @Test
  void set_takesPriorityTagsOff() {
    byte[] tagged = Frames.tagged(FRAME, 0xe000);
    assertArrayEquals(FRAME, VlanTag.set(tagged, 0));
    assertArrayEquals(Frames.tagged(FRAME, 5), VlanTag.set(tagged, 5));
  }

  @Test
  void set_ofAFrame_leavesItAsItWas() {
    byte[] before = FRAME.clone();
    VlanTag.set(FRAME, 100);
    assertArrayEquals(before, FRAME);
    byte[] tagged = Frames.tagged(FRAME, 100);
    VlanTag.set(tagged, 0);
    assertArrayEquals(Frames.tagged(FRAME, 100), tagged);
  }

  @Test
  void set_ofAFrameThatIsCutOff_needsTheAddressesAlone() {
    byte[] addresses = new byte[12];
    assertEquals(16, VlanTag.set(addresses, 1).length);
    byte[] cutOff = java.util.Arrays.copyOf(Frames.tagged(FRAME, 1), 15);
    assertSame(cutOff, VlanTag.set(cutOff, 0));
  }
}
