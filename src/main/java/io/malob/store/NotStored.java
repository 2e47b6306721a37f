package io.malob.store;

import io.malob.json.RejectedException;
import java.io.IOException;

/** The answer to a request for a change that could not be stored. */
public final class NotStored {
  private NotStored() {}

  /**
   * A rejection that contains the reason if the store is unavailable, so that clients try again, or
   * if the document has become too large.
   *
   * @param sentence the answer if the store has failed otherwise
   */
  public static RejectedException rejection(String sentence, IOException why) {
    if (why instanceof DocumentTooLargeException) {
      return RejectedException.conflict(
          null, "the change was not made, because " + why.getMessage());
    }
    return why instanceof StoreUnavailableException
        ? RejectedException.unavailable("the change could not be stored: " + why.getMessage(), why)
        : RejectedException.notStored(sentence, why);
  }
}
