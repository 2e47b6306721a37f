package io.malob.json;

import com.google.common.collect.ImmutableSortedSet;
import java.util.Collection;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A request that is answered with an error, and has changed nothing. It contains the HTTP status,
 * the wrong field of the request, and a sentence for the client.
 */
public final class RejectedException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Why a request is rejected. */
  public enum Reason {
    /** It is malformed, or a field or parameter is wrong. */
    INVALID(400),
    /** Its signature is missing or wrong. */
    UNSIGNED(401),
    /** Its sender has no permission. */
    FORBIDDEN(403),
    /** It names an item that does not exist. */
    NOT_FOUND(404),
    /** Its path does not allow the method. */
    METHOD_NOT_ALLOWED(405),
    /** It exists already, or something else is in the way. */
    CONFLICT(409),
    /** The item has changed since the client read it. */
    CHANGED_MEANWHILE(412),
    /** Its body is too large. */
    TOO_LARGE(413),
    /** The type of its body is not supported. */
    UNSUPPORTED_TYPE(415),
    /** It refers to something that is not there, or asks for what is not available. */
    UNPROCESSABLE(422),
    /** The change could not be written to the disk. */
    NOT_STORED(500),
    /** The controller failed. */
    FAILED(500),
    /** This installation does not support it. */
    NOT_SUPPORTED(501),
    /** A switch answered with an error. */
    SWITCH_REFUSED(502),
    /** Too many requests; try again later. */
    BUSY(503),
    /** The store of a cluster cannot be used now; try again later. */
    UNAVAILABLE(503),
    /** A switch did not answer in time. */
    SWITCH_SILENT(504);

    private final int status;

    Reason(int status) {
      this.status = status;
    }

    /** The HTTP status. */
    public int status() {
      return status;
    }
  }

  private final Reason reason;
  private final @Nullable String field;
  private final ImmutableSortedSet<String> allowed;

  /**
   * Rejects a request.
   *
   * @param sentence the error and, if helpful, the expected value
   * @param field the name of the wrong field, as in {@code members[3].port}; null if there is none
   *     in particular
   */
  public RejectedException(Reason reason, String sentence, @Nullable String field) {
    this(reason, sentence, field, ImmutableSortedSet.of(), null);
  }

  private RejectedException(
      Reason reason,
      String sentence,
      @Nullable String field,
      ImmutableSortedSet<String> allowed,
      @Nullable Throwable cause) {
    super(sentence, cause);
    this.reason = reason;
    this.field = field;
    this.allowed = allowed;
  }

  /** A field has an invalid value. */
  public static RejectedException invalid(@Nullable String field, String sentence) {
    return new RejectedException(Reason.INVALID, sentence, field);
  }

  /** The item of the request does not exist. */
  public static RejectedException notFound(String sentence) {
    return notFound(null, sentence);
  }

  /** The item that a field names does not exist. */
  public static RejectedException notFound(@Nullable String field, String sentence) {
    return new RejectedException(Reason.NOT_FOUND, sentence, field);
  }

  /** It exists already, or something else is in the way. */
  public static RejectedException conflict(@Nullable String field, String sentence) {
    return new RejectedException(Reason.CONFLICT, sentence, field);
  }

  /** A field refers to something that is not there, or asks for what is not available. */
  public static RejectedException unprocessable(@Nullable String field, String sentence) {
    return new RejectedException(Reason.UNPROCESSABLE, sentence, field);
  }

  /** The change could not be written to the disk. */
  public static RejectedException notStored(String sentence, Throwable cause) {
    return new RejectedException(Reason.NOT_STORED, sentence, null, ImmutableSortedSet.of(), cause);
  }

  /** The change could not be stored now, but possibly later. */
  public static RejectedException unavailable(String sentence, Throwable cause) {
    return new RejectedException(
        Reason.UNAVAILABLE, sentence, null, ImmutableSortedSet.of(), cause);
  }

  /** The method is not allowed. */
  public static RejectedException method(String path, String method, Collection<String> allowed) {
    return new RejectedException(
        Reason.METHOD_NOT_ALLOWED,
        path + " does not allow " + method,
        null,
        ImmutableSortedSet.copyOf(allowed),
        null);
  }

  /** The same rejection, with another name for the field. */
  public RejectedException renamed(UnaryOperator<String> rename) {
    return new RejectedException(
        reason, sentence(), field == null ? null : rename.apply(field), allowed, getCause());
  }

  /** Why the request is rejected. */
  public Reason reason() {
    return reason;
  }

  /** The HTTP status of the answer. */
  public int status() {
    return reason.status();
  }

  /** The name of the wrong field; empty if there is none in particular. */
  public Optional<String> field() {
    return Optional.ofNullable(field);
  }

  /** The allowed methods, if the method of the request is not allowed. */
  public ImmutableSortedSet<String> allowed() {
    return allowed;
  }

  /** The error, as a sentence for the client. */
  public String sentence() {
    return String.valueOf(getMessage());
  }
}
