package io.malob.cluster.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.FuzzCorpus;
import io.malob.testing.Mutator;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What {@link PeerChannelFuzz} does, with its corpus and a short run. */
class PeerChannelFuzzTest {
  private static final int INPUTS = 5_000;

  private final Map<String, byte[]> corpus = FuzzCorpus.read("peers.txt");

  private static int take(byte[] input) {
    return PeerChannelFuzz.take(input[0], Arrays.copyOfRange(input, 1, input.length));
  }

  @Test
  void corpus_hasValidFrames() {
    assertEquals(1, take(corpus.get("hosts")));
    assertEquals(2, take(corpus.get("two_messages")));
    assertEquals(0, take(corpus.get("unknown_topic")));
  }

  @Test
  void damagedInput_endsTheConnection_orIsDelivered() throws Exception {
    FuzzCorpus.run("peers.txt", INPUTS, PeerChannelFuzz::fuzzerTestOneInput);
  }

  /** Else the run above would not be much of a test. */
  @Test
  void damagedFrames_areDeliveredAndRejected() {
    Mutator mutator = new Mutator(new Random(7_411), List.copyOf(corpus.values()));
    int delivering = 0;
    for (int i = 0; i < 1_000; i++) {
      byte[] input = mutator.next();
      delivering += input.length > 0 && take(input) > 0 ? 1 : 0;
    }
    assertTrue(delivering > 20 && delivering < 900, delivering + " of 1,000");
  }
}
