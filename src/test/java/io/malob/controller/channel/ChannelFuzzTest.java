package io.malob.controller.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.malob.testing.FuzzCorpus;
import io.malob.testing.Mutator;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFStatsReplyFlags;
import org.projectfloodlight.openflow.types.OFAuxId;
import org.projectfloodlight.openflow.types.OFPort;
import org.slf4j.LoggerFactory;

/** What {@link ChannelFuzz} does, with its corpus and a short run; the long one is a benchmark. */
class ChannelFuzzTest extends EmbeddedSwitch {
  private static final int INPUTS = 5_000;

  private final Map<String, byte[]> corpus = FuzzCorpus.read("openflow.txt");
  private final Logger logger = (Logger) LoggerFactory.getLogger(SwitchHandler.class);
  private Level before;

  @BeforeEach
  void silence() {
    before = logger.getLevel();
    logger.setLevel(Level.OFF);
  }

  @AfterEach
  void speakAgain() {
    logger.setLevel(before);
  }

  @Test
  void corpus_isTakenAsItIs_andCutAnywhere() {
    assertTrue(corpus.size() > 50, corpus.size() + " messages");
    for (byte[] message : corpus.values()) {
      for (int length = 0; length <= message.length; length += 1 + length / 8) {
        ChannelFuzz.fuzzerTestOneInput(Arrays.copyOf(message, length));
      }
    }
  }

  @Test
  void mutatedMessages_getPastNobody() {
    Mutator mutator = new Mutator(new Random(6_653), List.copyOf(corpus.values()));
    for (int i = 0; i < INPUTS; i++) {
      ChannelFuzz.fuzzerTestOneInput(mutator.next());
    }
  }

  @Test
  void switchThatSaysItHasMorePortsThanAny_isRefused() {
    receiveHello(4);
    receive(features(254, OFAuxId.MAIN));
    for (int first = 1; first <= 4_097; first += 512) {
      int from = first;
      receive(
          FACTORY
              .buildPortDescStatsReply()
              .setFlags(Set.of(OFStatsReplyFlags.REPLY_MORE))
              .setEntries(
                  IntStream.range(from, from + 512)
                      .mapToObj(number -> FACTORY.buildPortDesc().setPortNo(OFPort.of(number)))
                      .map(
                          port ->
                              port.setName("p")
                                  .setConfig(Set.of())
                                  .setState(Set.of())
                                  .setCurr(Set.of())
                                  .setAdvertised(Set.of())
                                  .setSupported(Set.of())
                                  .setPeer(Set.of())
                                  .build())
                      .toList())
              .build());
      assertEquals(from + 511 <= 4_096, channel.isOpen());
    }
    assertNull(sw);
    skipSent();
  }
}
