package io.malob.endhost;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request that cannot be fulfilled, with a sentence for whoever made it. Nothing has changed. */
public final class EndhostException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What is wrong with it. */
  public enum Reason {
    /** It cannot be understood. */
    INVALID,
    /** What it names is not there. */
    NOT_FOUND,
    /** It needs a configuration, and there is none. */
    NOT_CONFIGURED
  }

  private final Reason reason;
  private final @Nullable String field;

  private EndhostException(Reason reason, String sentence, @Nullable String field) {
    super(sentence);
    this.reason = reason;
    this.field = field;
  }

  static EndhostException invalid(String field, String sentence) {
    return new EndhostException(Reason.INVALID, sentence, field);
  }

  static EndhostException malformed(String sentence) {
    return new EndhostException(Reason.INVALID, sentence, null);
  }

  static EndhostException notFound(String sentence) {
    return new EndhostException(Reason.NOT_FOUND, sentence, null);
  }

  static EndhostException notConfigured() {
    return new EndhostException(
        Reason.NOT_CONFIGURED, "no network of a host is configured yet: PUT it first", null);
  }

  /** What is wrong. */
  public Reason reason() {
    return reason;
  }

  /** The field of the request that is wrong; empty if it is the whole. */
  public Optional<String> field() {
    return Optional.ofNullable(field);
  }
}
