package io.malob.controller.channel;

/** A switch has answered with more than is taken; the message says how much, for a person. */
public final class AnswerTooLongException extends Exception {
  private static final long serialVersionUID = 1L;

  AnswerTooLongException(String message) {
    super(message);
  }
}
