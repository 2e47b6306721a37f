package io.malob.rest;

import io.malob.state.catalog.CatalogException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A request that is answered with an error. */
final class RefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final @Nullable String field;
  private final transient Set<String> allowed;

  private RefusedException(
      int status, String sentence, @Nullable String field, Set<String> allowed) {
    super(sentence);
    this.status = status;
    this.field = field;
    this.allowed = allowed;
  }

  RefusedException(int status, String sentence, @Nullable String field) {
    this(status, sentence, field, Set.of());
  }

  /** What the catalog refused. */
  static RefusedException of(CatalogException e) {
    return of(e, field -> field);
  }

  /**
   * What the catalog refused.
   *
   * @param name what a field of the catalog is called by those who asked
   */
  static RefusedException of(CatalogException e, UnaryOperator<String> name) {
    int status =
        switch (e.reason()) {
          case INVALID -> 400;
          case NOT_FOUND -> 404;
          case CONFLICT -> 409;
          case UNPROCESSABLE -> 422;
          case CHANGED_MEANWHILE -> 412;
          case NOT_STORED -> 500;
        };
    return new RefusedException(
        status, String.valueOf(e.getMessage()), e.field().map(name).orElse(null));
  }

  /** A method that the resource does not have. */
  static RefusedException method(String method, String... allowed) {
    Set<String> methods = new TreeSet<>(Set.of(allowed));
    return new RefusedException(
        405, method + " is not possible here, only " + String.join(", ", methods), null, methods);
  }

  /** The answer, in the form that all errors have. */
  Reply reply() {
    return new Reply(status, body(String.valueOf(getMessage()), field), allowed);
  }

  /** The form that all errors have. */
  static Map<String, @Nullable Object> body(String sentence, @Nullable String field) {
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    body.put("error", sentence);
    body.put("field", field);
    return body;
  }
}
