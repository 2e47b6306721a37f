package io.malob.rest;

import com.google.common.hash.Hashing;
import io.malob.json.Json;
import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Entity tags, which distinguish the states of a resource (RFC 9110, section 8.8.3), so that a
 * client does not overwrite another client's change.
 */
final class EntityTag {
  private static final int BYTES = 8;

  private EntityTag() {}

  /** The tag of a state, with its quotation marks. */
  static String of(Object shown) {
    byte[] hash = Hashing.sha256().hashBytes(Json.bytes(shown)).asBytes();
    StringBuilder tag = new StringBuilder("\"");
    for (int i = 0; i < BYTES; i++) {
      tag.append(String.format("%02x", hash[i]));
    }
    return tag.append('"').toString();
  }

  /**
   * Checks the header {@code If-Match}.
   *
   * @param ifMatch the header; empty if there is none, then there is no check
   * @param shown the current state; null if there is none
   * @throws RejectedException if it differs from the state that the client has seen
   */
  static void check(Optional<String> ifMatch, @Nullable Object shown) throws RejectedException {
    if (ifMatch.isEmpty()) {
      return;
    }
    boolean holds = shown != null && names(ifMatch.get(), of(shown));
    if (!holds) {
      throw new RejectedException(
          Reason.CHANGED_MEANWHILE,
          shown == null
              ? "nothing exists here that If-Match could match"
              : "it has changed since the tag in If-Match was read; read it again",
          "If-Match");
    }
  }

  private static boolean names(String list, String tag) {
    for (String each : list.split(",", -1)) {
      if (each.strip().equals(tag) || each.strip().equals("*")) {
        return true;
      }
    }
    return false;
  }
}
