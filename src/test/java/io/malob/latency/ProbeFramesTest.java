package io.malob.latency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.openflow.label.Label;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

class ProbeFramesTest {
  private final ProbeFrames frames = new ProbeFrames(new Random(1)::nextLong);

  @Test
  void frame_ofOurs_isRecognisedWithItsNumber() {
    byte[] frame = frame(0x1234_5678_9abcL);
    assertEquals(60, frame.length);
    assertTrue(ProbeFrames.isProbe(frame));
    assertNull(frames.problem(frame));
    assertEquals(0x1234_5678_9abcL, ProbeFrames.number(frame));
  }

  @Test
  void frame_thatWasPadded_isRecognised() {
    assertNull(frames.problem(Arrays.copyOf(frame(1), 64)));
  }

  @Test
  void addresses_areAGroupsAndEachPortsOwnAndNoLabels() {
    byte[] frame = frame(1);
    MacAddress destination = MacAddress.of(Arrays.copyOf(frame, 6));
    assertTrue(destination.isMulticast());
    assertFalse(destination.isBroadcast());
    assertFalse(Label.isLabel(destination));
    MacAddress source = source(7, 3);
    assertFalse(source.isMulticast());
    assertFalse(Label.isLabel(source));
    assertNotEquals(source, source(7, 4));
    assertNotEquals(source, source(8, 3));
  }

  @Test
  void everyByte_ofRunNumberOrDigestChanged_makesAFrameThatIsNotOurs() {
    for (int at = 18; at < 42; at++) {
      byte[] frame = frame(5);
      frame[at] ^= 1;
      assertEquals(at < 26 ? Discard.FOREIGN : Discard.FORGED, frames.problem(frame), "byte " + at);
    }
  }

  @Test
  void frame_ofAnotherRun_isForeign() {
    ProbeFrames other = new ProbeFrames(new Random(2)::nextLong);
    byte[] frame = other.frame(5, DatapathId.of(7), OFPort.of(3));
    assertTrue(ProbeFrames.isProbe(frame));
    assertEquals(Discard.FOREIGN, frames.problem(frame));
  }

  @Test
  void frame_cutShort_isMalformedOrNoProbeAtAll() {
    for (int length = 0; length < 42; length++) {
      byte[] frame = Arrays.copyOf(frame(5), length);
      assertEquals(length >= 18, ProbeFrames.isProbe(frame), length + " bytes");
      assertEquals(Discard.MALFORMED, frames.problem(frame), length + " bytes");
    }
  }

  @Test
  void frame_ofAnotherExperiment_isNoProbe() {
    for (int at = 12; at < 18; at++) {
      byte[] frame = frame(5);
      frame[at] ^= 1;
      assertFalse(ProbeFrames.isProbe(frame), "byte " + at);
    }
  }

  private byte[] frame(long number) {
    return frames.frame(number, DatapathId.of(7), OFPort.of(3));
  }

  private MacAddress source(long switchId, int port) {
    byte[] frame = frames.frame(1, DatapathId.of(switchId), OFPort.of(port));
    return MacAddress.of(Arrays.copyOfRange(frame, 6, 12));
  }
}
