package io.malob.controller.network;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.IntStream;
import net.floodlightcontroller.core.types.NodePortTuple;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

class PortLimiterTest {
  private static final NodePortTuple LOUD = new NodePortTuple(DatapathId.of(1), OFPort.of(1));
  private static final NodePortTuple QUIET = new NodePortTuple(DatapathId.of(1), OFPort.of(2));

  private long nanos = Long.MAX_VALUE - 1_000_000_000L;
  private final PortLimiter limiter = new PortLimiter(100, () -> nanos);

  private long allowedOf(int tries, NodePortTuple port) {
    return IntStream.range(0, tries).filter(any -> limiter.allows(port)).count();
  }

  @Test
  void storm_isBoundedToItsRate_whileOthersGoOn() {
    assertEquals(200, allowedOf(10_000, LOUD));
    assertEquals(1, allowedOf(1, QUIET));
    nanos += 1_000_000_000L;
    assertEquals(100, allowedOf(10_000, LOUD));
    assertEquals(9_800 + 9_900, limiter.refused());
  }

  @Test
  void silence_savesUpNoMoreThanTwoSeconds() {
    allowedOf(10_000, LOUD);
    nanos += 3_600_000_000_000L; // the counter of nanoseconds wraps on the way
    assertEquals(200, allowedOf(10_000, LOUD));
  }
}
