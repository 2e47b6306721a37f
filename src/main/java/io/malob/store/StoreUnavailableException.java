package io.malob.store;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The store cannot be used now, but possibly later; the message is for users. */
public final class StoreUnavailableException extends IOException {
  private static final long serialVersionUID = 1L;

  public StoreUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
