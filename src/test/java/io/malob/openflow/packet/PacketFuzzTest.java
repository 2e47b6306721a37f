package io.malob.openflow.packet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.FuzzCorpus;
import io.malob.testing.Mutator;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What {@link PacketFuzz} does, with its corpus and a short run; the long one is a benchmark. */
class PacketFuzzTest {
  private static final int FRAMES = 300_000;

  private final Map<String, byte[]> corpus = FuzzCorpus.read("packets.txt");

  @Test
  void corpus_isTakenAsItIs_andAnyBeginningOfIt() {
    assertTrue(corpus.size() >= 20, corpus.size() + " frames");
    corpus.forEach(
        (name, frame) -> {
          for (int length = 0; length <= frame.length; length++) {
            take(Arrays.copyOf(frame, length), name);
          }
        });
  }

  @Test
  void mutatedFrames_throwNothing_andReachEachKind() {
    Mutator mutator = new Mutator(new Random(20_210_801), List.copyOf(corpus.values()));
    Map<Packet.Kind, Integer> kinds = new EnumMap<>(Packet.Kind.class);
    int ipv6 = 0;
    for (int i = 0; i < FRAMES; i++) {
      byte[] frame = mutator.next();
      take(frame, "frame " + i);
      Packet packet = Packet.parse(frame);
      kinds.merge(packet.kind(), 1, Integer::sum);
      ipv6 += packet.isIpv6() ? 1 : 0;
    }
    // else this would not be much of a test
    for (Packet.Kind kind : Packet.Kind.values()) {
      assertTrue(kinds.getOrDefault(kind, 0) > FRAMES / 1_000, kind + " in " + kinds);
    }
    assertTrue(ipv6 > FRAMES / 100, ipv6 + " of IPv6");
  }

  private static void take(byte[] frame, String name) {
    byte[] before = frame.clone();
    try {
      PacketFuzz.fuzzerTestOneInput(frame);
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(name + ": " + HexFormat.of().formatHex(before), e);
    }
    assertArrayEquals(before, frame, name);
  }
}
