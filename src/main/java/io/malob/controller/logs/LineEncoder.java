package io.malob.controller.logs;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Logback's encoder of the controller's log: lines of text, or of JSON if the system property
 * {@code malob.logs} or else the environment variable {@code MALOB_LOGS} is {@code json}. A
 * logback.xml can name it and set its {@code format}. Used by one thread at a time, as Logback
 * does.
 */
public final class LineEncoder extends EncoderBase<ILoggingEvent> {
  private static final byte[] NOTHING = {};
  private static final String TEXT = "text";
  private static final Map<String, Function<ILoggingEvent, String>> FORMATS =
      Map.of(TEXT, TextLines::of, "json", JsonLines::of);

  private String format =
      System.getProperty("malob.logs", System.getenv().getOrDefault("MALOB_LOGS", TEXT));
  private Function<ILoggingEvent, String> line = TextLines::of;

  /** Made by Logback. */
  public LineEncoder() {}

  /** The format of the lines, {@code text} or {@code json}; it counts from the next start on. */
  public void setFormat(String format) {
    this.format = format;
  }

  /** Begins with lines of text if the format is unknown, and reports that to Logback. */
  @Override
  public void start() {
    @Nullable Function<ILoggingEvent, String> known = FORMATS.get(format);
    if (known == null) {
      addWarn("The format of the log must be text or json, not \"" + format + "\"");
    } else {
      line = known;
    }
    super.start();
  }

  @Override
  public byte[] headerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] footerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    return line.apply(event).getBytes(StandardCharsets.UTF_8);
  }
}
