package io.malob.state.report;

import org.jspecify.annotations.Nullable;

/** A report is dropped. Cheap, because there may be floods of them: it has no stack trace. */
public final class RejectedReportException extends Exception {
  private static final long serialVersionUID = 1L;

  private final Rejection reason;
  private final @Nullable String field;

  /**
   * A rejection.
   *
   * @param sentence the error, for people
   * @param field the wrong field of the report, null if there is none
   */
  RejectedReportException(Rejection reason, String sentence, @Nullable String field) {
    super(sentence, null, false, false);
    this.reason = reason;
    this.field = field;
  }

  public Rejection reason() {
    return reason;
  }

  public @Nullable String field() {
    return field;
  }

  /** The error, for people. */
  public String sentence() {
    return String.valueOf(getMessage());
  }
}
