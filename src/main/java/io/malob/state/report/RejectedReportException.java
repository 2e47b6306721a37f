package io.malob.state.report;

import org.jspecify.annotations.Nullable;

/**
 * A report that is dropped. Cheap to make, since floods are made of such: it has no stack trace.
 */
public final class RejectedReportException extends Exception {
  private static final long serialVersionUID = 1L;

  private final Rejection reason;
  private final @Nullable String field;

  /**
   * A rejection.
   *
   * @param sentence what is wrong, for people
   * @param field the field of the report that is to blame, null if none is
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

  /** What is wrong, for people. */
  public String sentence() {
    return String.valueOf(getMessage());
  }
}
