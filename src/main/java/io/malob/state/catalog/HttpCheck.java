package io.malob.state.catalog;

import io.malob.json.RejectedException;
import java.net.URI;
import java.net.URISyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * The request of an HTTP check, and the expected response. Immutable.
 *
 * @param method the HTTP method
 * @param path the path, with its query; begins with a slash
 * @param codes the accepted status codes
 * @param body a string that the response must contain; null for any response
 */
public record HttpCheck(Method method, String path, StatusCodes codes, @Nullable String body) {
  /** The max number of bytes of a response that are searched. */
  public static final int MAX_BODY_BYTES = 65_536;

  /** The max length of the path and of the searched string. */
  static final int MAX_LENGTH = 255;

  static final FieldFormat<String> PATH =
      FieldFormat.text(HttpCheck::path, MAX_LENGTH).givenAs("UrlPath");
  static final FieldFormat<String> BODY = FieldFormat.text(HttpCheck::text, MAX_LENGTH);

  /** The HTTP method. */
  public enum Method {
    GET,
    HEAD,
    OPTIONS
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
          field
              + " must have at most "
              + MAX_LENGTH
              + " characters, none of them a control character");
    }
    return text;
  }
}
