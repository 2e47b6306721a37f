package io.malob.rest;

import com.google.common.base.Splitter;
import com.google.common.hash.Hashing;
import io.malob.json.Json;
import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import io.malob.resource.Call;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Entity tags, which distinguish the states of a resource (RFC 9110, section 8.8.3), so that a
 * client does not overwrite another client's change.
 */
final class EntityTag {
  private static final int DIGITS = 16;
  private static final Splitter TAGS = Splitter.on(',').trimResults();

  private EntityTag() {}

  /** The tag of a state, with its quotation marks. */
  static String of(Object shown) {
    String hash = Hashing.sha256().hashBytes(Json.bytes(shown)).toString();
    return '"' + hash.substring(0, DIGITS) + '"';
  }

  /**
   * Checks the headers {@code If-Match} and {@code If-None-Match} of a change.
   *
   * @param shown the current state; null if there is none
   * @throws RejectedException if it differs from the state that the client has seen, or is one that
   *     the client does not want
   */
  static void check(Call call, @Nullable Object shown) throws RejectedException {
    Optional<String> ifMatch = call.header("If-Match");
    if (ifMatch.isPresent() && !isNamed(shown, ifMatch.get())) {
      throw new RejectedException(
          Reason.CHANGED_MEANWHILE,
          shown == null
              ? "nothing exists here that If-Match could match"
              : "it has changed since the tag in If-Match was read; read it again",
          "If-Match");
    }
    Optional<String> ifNoneMatch = call.header("If-None-Match");
    // unlike If-Match, it also names a state by a weak tag
    if (ifNoneMatch.isPresent() && isNamed(shown, ifNoneMatch.get().replace("W/\"", "\""))) {
      throw new RejectedException(
          Reason.CHANGED_MEANWHILE,
          "it exists already, in a state that If-None-Match excludes",
          "If-None-Match");
    }
  }

  private static boolean isNamed(@Nullable Object shown, String list) {
    return shown != null && names(list, of(shown));
  }

  private static boolean names(String list, String tag) {
    return TAGS.splitToStream(list).anyMatch(each -> each.equals(tag) || each.equals("*"));
  }
}
