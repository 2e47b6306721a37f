package io.malob.store;

import java.io.IOException;

/** A document exceeds the store's limit, so the change was not made; the message is for users. */
public final class DocumentTooLargeException extends IOException {
  private static final long serialVersionUID = 1L;

  public DocumentTooLargeException(String message) {
    super(message);
  }
}
