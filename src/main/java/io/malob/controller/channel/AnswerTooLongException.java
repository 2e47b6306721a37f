package io.malob.controller.channel;

/** An answer of a switch exceeds the limit; the message contains the sizes. */
public final class AnswerTooLongException extends Exception {
  private static final long serialVersionUID = 1L;

  AnswerTooLongException(String message) {
    super(message);
  }
}
