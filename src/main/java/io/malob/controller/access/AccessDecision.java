package io.malob.controller.access;

import io.malob.resource.Effect;
import java.util.Optional;

/** Whether a request may pass. Immutable. */
public sealed interface AccessDecision {

  /**
   * It may pass.
   *
   * @param effect that it may have
   * @param principal its sender; empty if its resource is open to everyone
   */
  record Granted(Effect effect, Optional<Principal> principal) implements AccessDecision {}

  /**
   * It is answered with an error.
   *
   * @param status of HTTP
   * @param sentence for the client
   * @param retrySeconds after which the client may try again; 0 for none
   */
  record Refused(int status, String sentence, int retrySeconds) implements AccessDecision {
    /** Without a time to try again. */
    public Refused(int status, String sentence) {
      this(status, sentence, 0);
    }

    /** Whether the client is asked for a token. */
    public boolean isChallenge() {
      return status == 401;
    }
  }
}
