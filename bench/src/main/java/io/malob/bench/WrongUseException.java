package io.malob.bench;

/**
 * The options do not fit, by themselves or with each other; the message is a sentence for users.
 */
final class WrongUseException extends RuntimeException {
  private static final long serialVersionUID = 1;

  WrongUseException(String sentence) {
    super(sentence);
  }
}
