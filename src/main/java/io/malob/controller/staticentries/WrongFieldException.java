package io.malob.controller.staticentries;

import org.jspecify.annotations.Nullable;

/** An entry that cannot be what was sent: the sentence says why, and the field where. */
final class WrongFieldException extends Exception {
  private static final long serialVersionUID = 1L;

  private final @Nullable String field;

  WrongFieldException(@Nullable String field, String sentence) {
    super(sentence);
    this.field = field;
  }

  /** The field that is wrong; null if it is none in particular. */
  @Nullable String field() {
    return field;
  }
}
