package io.malob.controller.rest;

import io.malob.controller.access.RequestHead;
import io.malob.resource.DeclaresEffects;
import io.malob.resource.Effect;
import java.util.List;
import net.floodlightcontroller.restserver.RestletRoutable;

/**
 * Distinguishes requests that write from those that read: by method, and if resources declare it
 * ({@link DeclaresEffects}) by path. Safe for use by several threads.
 */
final class RequestEffects {
  private final Declarations<DeclaresEffects> declared;

  /** Of these resources. */
  RequestEffects(List<RestletRoutable> routables) {
    declared = new Declarations<>(routables, DeclaresEffects.class);
  }

  /** The effect of a request with this head. */
  Effect of(RequestHead head) {
    boolean isWriting =
        !head.isSafe()
            || declared
                .at(head.path(), (resources, path) -> resources.effectOf(head.method(), path))
                .anyMatch(effect -> effect == Effect.WRITE);
    return isWriting ? Effect.WRITE : Effect.READ;
  }
}
