package io.malob.testing;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What one class logs, from now on until this is closed. */
public final class LogLines implements AutoCloseable {
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
  private final Logger logger;

  private LogLines(Logger logger) {
    this.logger = logger;
    appender.start();
    logger.addAppender(appender);
  }

  public static LogLines of(Class<?> logging) {
    return new LogLines((Logger) LoggerFactory.getLogger(logging));
  }

  /** All lines so far. */
  public List<String> lines() {
    return appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  /** The lines so far without their sentences for people; they are forgotten. */
  public List<String> takeEvents() {
    List<String> events = lines().stream().map(line -> line.split(" - ", 2)[0]).toList();
    appender.list.clear();
    return events;
  }

  @Override
  public void close() {
    logger.detachAppender(appender);
  }
}
