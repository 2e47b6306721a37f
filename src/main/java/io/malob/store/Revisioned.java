package io.malob.store;

import java.util.Optional;

/**
 * A document at one moment. Immutable.
 *
 * @param revision grows with each change of the document, deletion included; comparable only
 *     between revisions of one document from one open store
 * @param content its content; empty if there is no such document
 */
public record Revisioned<T>(long revision, Optional<T> content) {
  /** Whether this is later than the other one. */
  boolean isAfter(Revisioned<T> other) {
    return revision > other.revision;
  }
}
