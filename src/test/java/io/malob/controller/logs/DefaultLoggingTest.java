package io.malob.controller.logs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.Configurator.ExecutionStatus;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.status.Status;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Where the log goes, and in which format. */
class DefaultLoggingTest {
  private static final String FILE = "logback.configurationFile";
  private static final String FORMAT = "malob.logs";

  private final LoggerContext context = new LoggerContext();

  @AfterEach
  void clear() {
    System.clearProperty(FILE);
    System.clearProperty(FORMAT);
    context.stop();
  }

  private ExecutionStatus configure() {
    DefaultLogging logging = new DefaultLogging();
    logging.setContext(context);
    return logging.configure(context);
  }

  private static Map<String, Level> levels(LoggerContext context) {
    return context.getLoggerList().stream()
        .filter(logger -> logger.getLevel() != null)
        .collect(Collectors.toMap(Logger::getName, Logger::getLevel));
  }

  private static Encoder<ILoggingEvent> encoder(LoggerContext context) {
    if (context.getLogger("ROOT").getAppender("STDERR")
        instanceof ConsoleAppender<ILoggingEvent> appender) {
      assertEquals("System.err", appender.getTarget());
      assertTrue(appender.isStarted());
      return appender.getEncoder();
    }
    return fail("no appender to standard error");
  }

  /** What this context's encoder makes of a line. */
  private String encoded() {
    LoggingEvent event =
        new LoggingEvent("caller", context.getLogger("a.B"), Level.WARN, "late", null, null);
    return new String(encoder(context).encode(event), StandardCharsets.UTF_8);
  }

  private List<String> complaints() {
    return context.getStatusManager().getCopyOfStatusList().stream()
        .filter(status -> status.getLevel() >= Status.WARN)
        .map(Status::getMessage)
        .toList();
  }

  @Test
  void linesFromInfoOn_goToStandardError_fromLibrariesLess() {
    assertEquals(ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY, configure());
    assertTrue(encoded().endsWith(" WARN  B: late\n"), encoded());
    assertTrue(context.getLogger("io.malob.X").isInfoEnabled());
    assertFalse(context.getLogger("io.malob.X").isDebugEnabled());
    assertFalse(context.getLogger("io.netty.X").isInfoEnabled());
    assertFalse(context.getLogger("org.restlet.X").isInfoEnabled());
    assertEquals(List.of(), complaints());
  }

  @Test
  void logback_findsIt() {
    LoggerContext running =
        assertInstanceOf(LoggerContext.class, LoggerFactory.getILoggerFactory());
    assertInstanceOf(LineEncoder.class, encoder(running));
  }

  @Test
  void jsonCanBeChosen() {
    System.setProperty(FORMAT, "json");
    configure();
    assertTrue(encoded().startsWith("{\"time\":"), encoded());
  }

  @Test
  void unknownFormat_isReported_andIsText() {
    System.setProperty(FORMAT, "xml");
    configure();
    assertTrue(encoded().endsWith(" WARN  B: late\n"), encoded());
    assertEquals(List.of("The format of the log must be text or json, not \"xml\""), complaints());
  }

  @Test
  void fileOfTheUser_replacesIt() {
    System.setProperty(FILE, "/etc/malob/logback.xml");
    assertEquals(ExecutionStatus.INVOKE_NEXT_IF_ANY, configure());
    assertNull(context.getLogger("ROOT").getAppender("STDERR"));
  }

  @Test
  void fileOfThePackages_doesTheSame() throws Exception {
    JoranConfigurator xml = new JoranConfigurator();
    xml.setContext(context);
    xml.doConfigure(Path.of("packaging/logback.xml").toFile());
    assertEquals(List.of(), complaints());
    assertNotNull(encoded());
    assertTrue(encoded().endsWith(" WARN  B: late\n"), encoded());
    Map<String, Level> ofFile = levels(context);

    context.reset();
    configure();
    assertEquals(levels(context), ofFile);
  }

  @Test
  void fileOfAUser_canSetTheFormat() {
    LineEncoder encoder = new LineEncoder();
    encoder.setContext(context);
    encoder.setFormat("json");
    encoder.start();
    LoggingEvent event =
        new LoggingEvent("caller", context.getLogger("a.B"), Level.WARN, "late", null, null);
    String line = new String(encoder.encode(event), StandardCharsets.UTF_8);
    assertTrue(line.startsWith("{\"time\":"), line);
  }
}
