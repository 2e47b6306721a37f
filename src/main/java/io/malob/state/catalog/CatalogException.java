package io.malob.state.catalog;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A change of the catalog was refused, and nothing was changed. The message is for users. */
public class CatalogException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Why a change was refused. */
  public enum Reason {
    /** A field is missing, unknown, or has a value that no such field can have. */
    INVALID,
    /** There is no item of that id. */
    NOT_FOUND,
    /** It exists already, or something else is in the way. */
    CONFLICT,
    /** It refers to something that is not there, or asks for what is not available. */
    UNPROCESSABLE,
    /** It is not any more as the change supposes. */
    CHANGED_MEANWHILE,
    /** The change could not be written to the disk. */
    NOT_STORED
  }

  private final Reason reason;
  private final @Nullable String field;

  /**
   * Refuses a change.
   *
   * @param sentence what is wrong and, where it helps, what would be right
   * @param field the name of the field that is to blame, if one is
   */
  public CatalogException(Reason reason, String sentence, @Nullable String field) {
    super(sentence);
    this.reason = reason;
    this.field = field;
  }

  CatalogException(Reason reason, String sentence, Throwable cause) {
    super(sentence, cause);
    this.reason = reason;
    this.field = null;
  }

  static CatalogException invalid(String field, String sentence) {
    return new CatalogException(Reason.INVALID, sentence, field);
  }

  static CatalogException conflict(@Nullable String field, String sentence) {
    return new CatalogException(Reason.CONFLICT, sentence, field);
  }

  static CatalogException unprocessable(String field, String sentence) {
    return new CatalogException(Reason.UNPROCESSABLE, sentence, field);
  }

  /** Why the change was refused. */
  public Reason reason() {
    return reason;
  }

  /** The name of the field that is to blame; empty if it is none in particular. */
  public Optional<String> field() {
    return Optional.ofNullable(field);
  }
}
