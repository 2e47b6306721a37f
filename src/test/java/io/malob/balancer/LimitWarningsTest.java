package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.malob.balancer.admission.LimitWarnings;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the log says of limits. */
class LimitWarningsTest {
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(LimitWarnings.class);
  private final PolicyFixture fixture = new PolicyFixture();
  private int port = 40_000;

  @BeforeEach
  void listen() {
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void end() {
    logger.detachAppender(lines);
  }

  /** Opens so many, and lets some time pass. */
  private List<String> said(int connections, int seconds) {
    lines.list.clear();
    for (int i = 0; i < connections; i++) {
      fixture.open(port++);
    }
    fixture.net.pass(seconds);
    return lines.list.stream()
        .map(ILoggingEvent::getFormattedMessage)
        .map(line -> line.substring(0, line.indexOf(" - ")))
        .toList();
  }

  @Test
  void limitThatRefuses_isToldOnceInAMinute_withHowMany() {
    fixture.setVip("connection_limit", "1");
    assertEquals(List.of(), said(1, 5));
    assertEquals(List.of("limit_reached vip=v refused=2"), said(2, 5));
    assertEquals(List.of(), said(3, 5));
    assertEquals(List.of(), said(4, 5));
    assertEquals(List.of("limit_reached vip=v refused=7"), said(0, 60));
    assertEquals(List.of(), said(0, 120));

    fixture.setVip("connection_limit", null);
    fixture.setMember("m1", "connection_limit", "1");
    fixture.setMember("m2", "connection_limit", "1");
    assertEquals(List.of("limit_reached vip=v refused=4"), said(5, 5));
  }
}
