package io.malob.controller.access;

import io.malob.store.Document;
import io.malob.store.Revisioned;
import io.malob.store.Store;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tokens, which people and commands edit while the controller runs. An unreadable document is
 * reported, and the tokens stay unchanged. Once there was a document of tokens, tokens are required
 * until the controller ends, even if the document is deleted. Thread-safe.
 */
public final class StoredTokens {
  private static final Logger logger = LoggerFactory.getLogger(StoredTokens.class);
  private static final long MAX_BYTES = 1024 * 1024;

  private static final Document<Tokens> DOCUMENT =
      Document.edited("tokens", TokensFormat::read, MAX_BYTES, PrivateFile::check);

  private final InstantSource clock;
  private volatile Tokens tokens;
  private volatile boolean isWanted;

  /**
   * The tokens of a store, which may not exist yet.
   *
   * @param isWanted whether tokens are required even if there are none
   * @param clock decides which tokens have expired
   * @throws IOException if they cannot be used, or were lost; the message says why
   */
  public StoredTokens(Store store, boolean isWanted, InstantSource clock) throws IOException {
    this.clock = clock;
    Revisioned<Tokens> stored = store.read(DOCUMENT);
    this.isWanted = isWanted || stored.content().isPresent();
    tokens = Tokens.NONE;
    take(stored);
    Store.Watch unused =
        store.watch(
            DOCUMENT,
            stored,
            Store.Listener.of(
                this::take,
                why -> {
                  this.isWanted = true;
                  logger.error(
                      "tokens_not_read file=\"{}\" why=\"{}\" - the earlier tokens stay in effect",
                      store.where(DOCUMENT),
                      why.getMessage());
                }));
  }

  /** Whether a store has tokens, even if they cannot be read. */
  public static boolean isIn(Store store) {
    try {
      return store.read(DOCUMENT).content().isPresent();
    } catch (IOException e) {
      return true;
    }
  }

  private void take(Revisioned<Tokens> now) {
    tokens = now.content().orElse(Tokens.NONE);
    if (now.content().isPresent()) {
      isWanted = true;
      logger.info("tokens_read count={}", tokens.entries().size());
    }
  }

  /** Whether requests need a token. */
  public boolean isWanted() {
    return isWanted;
  }

  /** The principal with this token; empty if there is none, or it has expired. */
  public Optional<Principal> principalOf(String token) {
    return tokens.principalOf(token, clock.instant());
  }
}
