package io.malob.controller.access;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.common.collect.ImmutableList;
import io.malob.resource.Call;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** How often refused requests are logged. */
class AuditLogTest {
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(AuditLog.LOGGER);
  private long nanos = Long.MAX_VALUE - AuditLog.INTERVAL_NANOS / 2;
  private final AuditLog log = new AuditLog(() -> nanos);

  @BeforeEach
  void listen() {
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(lines);
  }

  private void refuse(String client) {
    RequestHead head =
        new RequestHead(
            new Call.Head("PUT", "", "/x", "", name -> Optional.empty()),
            ImmutableList.of(),
            client);
    log.refused(head, Optional.empty(), 401);
  }

  private static String line(String client, int count) {
    return String.format(
        "access_refused who=nobody from=%s method=PUT path=\"/x\" status=401 count=%d",
        client, count);
  }

  private List<String> logged() {
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void refusals_ofOneClient_haveOneLineAMinute() {
    for (int i = 0; i < 100; i++) {
      refuse("192.0.2.7");
    }
    refuse("2001:db8::1");
    refuse("2001:db8::2"); // the same /64
    nanos += AuditLog.INTERVAL_NANOS;
    refuse("192.0.2.7");
    refuse("192.0.2.7");

    assertEquals(
        List.of(line("192.0.2.7", 1), line("2001:db8::1", 1), line("192.0.2.7", 100)), logged());
  }
}
