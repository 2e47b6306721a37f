package io.malob.state.catalog;

import io.malob.json.RejectedException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an HTTP check asks for, and what it must get. Immutable.
 *
 * @param method how it asks
 * @param path what it asks for, with its query; begins with a slash
 * @param codes the status that it must get
 * @param body a text that must be in what it gets; null for any
 */
public record HttpCheck(Method method, String path, StatusCodes codes, @Nullable String body) {
  /** Of what is got, so many bytes are looked through at most. */
  public static final int MAX_BODY_BYTES = 65_536;

  /** The longest path, and the longest text to look for. */
  static final int MAX_LENGTH = 255;

  private static final StatusCodes USUAL_CODES = StatusCodes.of(200);

  /** What an HTTP request is for. */
  public enum Method {
    GET,
    HEAD,
    OPTIONS
  }

  /** The check that these fields describe, by what they are now. */
  static HttpCheck read(FieldReader fields, @Nullable HttpCheck now) throws RejectedException {
    return new HttpCheck(
        fields.optional(
            "http_method",
            now == null ? null : now.method,
            (field, text) -> FieldFormat.oneOf(Method.class, field, text),
            Method.GET),
        fields.optional("url_path", now == null ? null : now.path, HttpCheck::path, "/"),
        fields.optional(
            "expected_codes", now == null ? null : now.codes, StatusCodes::parse, USUAL_CODES),
        fields.optional("expected_body", now == null ? null : now.body, HttpCheck::text));
  }

  /** Adds the fields of a check, which are null if there is none. */
  static void addFields(@Nullable HttpCheck check, Map<String, @Nullable Object> fields) {
    fields.put("http_method", check == null ? null : check.method.toString());
    fields.put("url_path", check == null ? null : check.path);
    fields.put("expected_codes", check == null ? null : check.codes.toString());
    fields.put("expected_body", check == null ? null : check.body);
  }

  private static String path(String field, String text) throws RejectedException {
    if (text.length() > MAX_LENGTH || !isPath(text)) {
      throw RejectedException.invalid(
          field,
          field
              + " must begin with / and have at most "
              + MAX_LENGTH
              + " characters that are valid in a URL");
    }
    return text;
  }

  private static boolean isPath(String text) {
    try {
      return text.startsWith("/")
          && text.chars().allMatch(c -> c < 0x80)
          && new URI("http://member" + text).getRawFragment() == null;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private static String text(String field, String text) throws RejectedException {
    if (text.length() > MAX_LENGTH || text.chars().anyMatch(Character::isISOControl)) {
      throw RejectedException.invalid(
          field,
          field + " must have at most " + MAX_LENGTH + " characters, none of them a control character");
    }
    return text;
  }
}
