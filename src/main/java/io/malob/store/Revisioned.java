package io.malob.store;

import java.util.Optional;

/**
 * A document as it was at one moment. Immutable.
 *
 * @param revision grows with each change of the document, deletion included; comparable between
 *     what one open store tells of one document, and for nothing else
 * @param content what it says; empty if there is no such document
 */
public record Revisioned<T>(long revision, Optional<T> content) {
  /** Whether this is later than the other one. */
  boolean isAfter(Revisioned<T> other) {
    return revision > other.revision;
  }
}
