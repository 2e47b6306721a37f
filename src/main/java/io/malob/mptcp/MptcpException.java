package io.malob.mptcp;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request that cannot be fulfilled, with a sentence for whoever made it. Nothing has changed. */
public final class MptcpException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What is wrong with it. */
  public enum Reason {
    /** It cannot be understood. */
    INVALID,
    /** It refers to something that is not there, or that cannot be had. */
    UNAVAILABLE,
    /** It could not be kept on the disk. */
    NOT_STORED
  }

  private final Reason reason;
  private final @Nullable String field;

  private MptcpException(Reason reason, String sentence, @Nullable String field) {
    super(sentence);
    this.reason = reason;
    this.field = field;
  }

  static MptcpException invalid(String field, String sentence) {
    return new MptcpException(Reason.INVALID, sentence, field);
  }

  static MptcpException malformed(String sentence) {
    return new MptcpException(Reason.INVALID, sentence, null);
  }

  static MptcpException unavailable(@Nullable String field, String sentence) {
    return new MptcpException(Reason.UNAVAILABLE, sentence, field);
  }

  static MptcpException notStored(String sentence) {
    return new MptcpException(Reason.NOT_STORED, sentence, null);
  }

  /** What is wrong. */
  public Reason reason() {
    return reason;
  }

  /** The field of the request that is wrong; empty if it is the whole. */
  public Optional<String> field() {
    return Optional.ofNullable(field);
  }
}
