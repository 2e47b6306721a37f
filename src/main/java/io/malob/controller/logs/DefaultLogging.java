package io.malob.controller.logs;

import ch.qos.logback.classic.ClassicConstants;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;
import com.google.common.collect.ImmutableList;

/**
 * The logging of a controller without a logback.xml: everything from INFO on, of libraries from
 * WARN on, goes to standard error. It is code, because reading XML takes hundreds of classes, and
 * with them memory on end hosts. {@code -Dlogback.configurationFile=FILE} replaces it. Found by
 * Logback as a service.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_NORMAL_PRIORITY)
public final class DefaultLogging extends ContextAwareBase implements Configurator {
  private static final ImmutableList<String> QUIET =
      ImmutableList.of("org.restlet", "io.netty", "com.sun.net.httpserver", "sun.net.httpserver");

  /** Made by Logback. */
  public DefaultLogging() {}

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    if (System.getProperty(ClassicConstants.CONFIG_FILE_PROPERTY) != null) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    LineEncoder lines = new LineEncoder();
    lines.setContext(context);
    lines.start();
    ConsoleAppender<ILoggingEvent> stderr = new ConsoleAppender<>();
    stderr.setContext(context);
    stderr.setName("STDERR");
    // results go to standard output
    stderr.setTarget("System.err");
    stderr.setEncoder(lines);
    stderr.start();
    QUIET.forEach(library -> context.getLogger(library).setLevel(Level.WARN));
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.INFO);
    root.addAppender(stderr);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }
}
