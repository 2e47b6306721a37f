package io.malob.controller.access;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FailureLimitTest {
  private final AtomicLong nanos = new AtomicLong(-5);
  private final FailureLimit limit = new FailureLimit(nanos::get);

  private int failedTimes(String source, int times) {
    int last = 0;
    for (int i = 0; i < times; i++) {
      last = limit.failed(source);
    }
    return last;
  }

  @Test
  void failed_eleventhAtOnce_isToldWhenToComeBack() {
    assertEquals(0, failedTimes("192.0.2.1", 10));
    assertEquals(7, limit.failed("192.0.2.1"));
    assertEquals(7, limit.failed("192.0.2.1"));
    assertEquals(0, limit.failed("192.0.2.2"));
  }

  @Test
  void failed_sixSecondsLater_isWithinTheLimitOnce() {
    failedTimes("192.0.2.1", 11);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(6));
    assertEquals(0, limit.failed("192.0.2.1"));
    assertEquals(7, limit.failed("192.0.2.1"));
  }

  @Test
  void failed_addressesOfOneIpv6Network_countTogether() {
    for (int i = 1; i <= 10; i++) {
      assertEquals(0, limit.failed("2001:db8::" + i));
    }
    assertEquals(7, limit.failed("2001:db8::ffff"));
    assertEquals(0, limit.failed("2001:db8:0:1::1"));
  }

  @Test
  void failed_fromMoreSourcesThanAreRemembered_staysBounded() {
    for (int i = 0; i < 3 * FailureLimit.MAX_SOURCES; i++) {
      limit.failed("10.0." + i / 256 + "." + i % 256);
    }
    assertEquals(FailureLimit.MAX_SOURCES, limit.sources());
  }
}
