package io.malob.controller.access;

import com.google.common.collect.ImmutableList;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The valid tokens, of which only hashes are known. A token is 256 random bits, so one round of
 * SHA-256 is enough: dictionary attacks are impossible. Immutable.
 *
 * @param entries all of them
 */
record Tokens(ImmutableList<Entry> entries) {
  static final Tokens NONE = new Tokens(ImmutableList.of());

  /**
   * One token.
   *
   * @param principal its owner
   * @param sha256 of its text
   * @param expires when it becomes invalid; {@link Instant#MAX} for never
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared, and not published
  record Entry(Principal principal, byte[] sha256, Instant expires) {}

  /** The owner of a token that is valid now. Takes the same time for wrong and right tokens. */
  Optional<Principal> principalOf(String token, Instant now) {
    byte[] hash = sha256(token);
    @Nullable Principal found = null;
    for (Entry entry : entries) {
      if (MessageDigest.isEqual(entry.sha256, hash) && now.isBefore(entry.expires)) {
        found = entry.principal;
      }
    }
    return Optional.ofNullable(found);
  }

  private static byte[] sha256(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
