package io.malob.bench;

/** The options are invalid or contradict each other; the message is a sentence for users. */
final class WrongUseException extends RuntimeException {
  private static final long serialVersionUID = 1;

  WrongUseException(String sentence) {
    super(sentence);
  }
}
