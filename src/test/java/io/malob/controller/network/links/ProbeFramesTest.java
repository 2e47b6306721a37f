package io.malob.controller.network.links;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.controller.network.links.ProbeFrames.Probe;
import io.malob.openflow.packet.Packet;
import io.malob.testing.FuzzCorpus;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import net.floodlightcontroller.core.types.NodePortTuple;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

class ProbeFramesTest {
  private static final MacAddress SOURCE = MacAddress.of("02:00:00:00:00:01");
  private static final DatapathId WIDE = DatapathId.of("ff:ee:dd:cc:bb:aa:99:88");

  private static final NodePortTuple FROM = new NodePortTuple(WIDE, OFPort.of(3));
  private static final long SENT = 1_700_000_000_123L;

  private final ProbeFrames frames = new ProbeFrames(new byte[] {1, 2, 3});

  @Test
  void frame_ofAnySwitchAndPort_isRecognised() {
    Random random = new Random(7);
    for (int i = 0; i < 1_000; i++) {
      DatapathId switchId = DatapathId.of(random.nextLong());
      OFPort port = OFPort.of(1 + random.nextInt(65_000));
      NodePortTuple from = new NodePortTuple(switchId, port);
      long millis = random.nextLong();
      assertEquals(
          Optional.of(new Probe(ProbeKind.LLDP, from, millis)),
          frames.read(frames.frame(ProbeKind.LLDP, from, SOURCE, millis)));
    }
  }

  @Test
  void corpus_isReadOrIsNone_howeverItIsSpoiled() throws Exception {
    FuzzCorpus.run("probes.txt", 5_000, ProbeFuzz::fuzzerTestOneInput);
  }

  @Test
  void frame_isProbeToNearestBridge() {
    byte[] frame = frames.frame(ProbeKind.LLDP, FROM, SOURCE, SENT);
    assertTrue(ProbeFrames.isProbe(frame));
    Packet packet = Packet.parse(frame);
    assertEquals(Packet.ETHERTYPE_LLDP, packet.etherType());
    assertEquals(MacAddress.of("01:80:c2:00:00:0e"), packet.dstMac());
    assertEquals(SOURCE, packet.srcMac());
  }

  @Test
  void broadcast_isRecognised_andOneMadeOfAnLldpFrameIsNot() {
    byte[] frame = frames.frame(ProbeKind.BDDP, FROM, SOURCE, SENT);
    assertTrue(ProbeFrames.isProbe(frame));
    assertTrue(Packet.parse(frame).isMulticast());
    assertEquals(Optional.of(new Probe(ProbeKind.BDDP, FROM, SENT)), frames.read(frame));
    byte[] forged = frames.frame(ProbeKind.LLDP, FROM, SOURCE, SENT);
    System.arraycopy(frame, 0, forged, 0, 14);
    assertEquals(Optional.empty(), frames.read(forged));
  }

  @Test
  void frame_ofOtherController_isNotRecognised() {
    ProbeFrames other = new ProbeFrames(new byte[] {1, 2, 4});
    assertEquals(Optional.empty(), frames.read(other.frame(ProbeKind.LLDP, FROM, SOURCE, SENT)));
    assertEquals(
        Optional.empty(),
        frames.read(ProbeFrames.withRandomKey().frame(ProbeKind.LLDP, FROM, SOURCE, SENT)));
  }

  @Test
  void frame_changedInAnyByteButItsSource_isNotRecognised() {
    byte[] frame = frames.frame(ProbeKind.LLDP, FROM, SOURCE, SENT);
    for (int at = 0; at < frame.length; at++) {
      boolean inSource = at >= 6 && at < 12;
      for (int bit = 0; bit < 8 && !inSource; bit++) {
        byte[] changed = frame.clone();
        changed[at] ^= (byte) (1 << bit);
        assertEquals(Optional.empty(), frames.read(changed), "byte " + at);
      }
    }
  }

  @Test
  void frame_cutLengthenedOrRandom_isNotRecognised() {
    byte[] frame = frames.frame(ProbeKind.LLDP, FROM, SOURCE, SENT);
    Random random = new Random(11);
    for (int i = 0; i < 20_000; i++) {
      byte[] changed = Arrays.copyOf(frame, random.nextInt(2 * frame.length));
      for (int changes = random.nextInt(8); changes > 0 && changed.length > 0; changes--) {
        changed[random.nextInt(changed.length)] = (byte) random.nextInt();
      }
      boolean sameButSource =
          changed.length == frame.length
              && Arrays.equals(changed, 0, 6, frame, 0, 6)
              && Arrays.equals(changed, 12, frame.length, frame, 12, frame.length);
      assertEquals(sameButSource, frames.read(changed).isPresent());
    }
  }

  @Test
  void mark_isOnOurProbesOnly_forgedOnesToo() {
    byte[] frame = new ProbeFrames(new byte[] {9}).frame(ProbeKind.BDDP, FROM, SOURCE, SENT);
    assertTrue(ProbeFrames.isMarked(frame));
    assertTrue(ProbeFrames.isMarked(Arrays.copyOf(frame, 45)));
    assertFalse(ProbeFrames.isMarked(Arrays.copyOf(frame, 38)));
    assertFalse(ProbeFrames.isMarked(new byte[100]));
  }

  @Test
  void ipFrame_isNotLldp() {
    assertFalse(ProbeFrames.isProbe(new byte[] {1, 2, 3}));
    assertFalse(ProbeFrames.isProbe(new byte[60]));
  }
}
