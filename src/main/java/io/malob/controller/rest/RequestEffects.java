package io.malob.controller.rest;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import io.malob.controller.access.RequestHead;
import io.malob.resource.DeclaresEffects;
import io.malob.resource.Effect;
import java.util.List;
import net.floodlightcontroller.restserver.RestletRoutable;
import org.restlet.data.Reference;

/**
 * Distinguishes requests that write from those that read: by method, and if resources declare it
 * ({@link DeclaresEffects}) by path. Safe for use by several threads.
 */
final class RequestEffects {
  private static final Splitter SEGMENTS = Splitter.on('/').omitEmptyStrings();

  private final ImmutableList<Declared> declared;

  /** Of these resources. */
  RequestEffects(List<RestletRoutable> routables) {
    declared =
        routables.stream()
            .filter(DeclaresEffects.class::isInstance)
            .map(
                routable ->
                    new Declared(
                        ImmutableList.copyOf(SEGMENTS.split(routable.basePath())),
                        (DeclaresEffects) routable))
            .collect(ImmutableList.toImmutableList());
  }

  /**
   * @param base the segments of the base path
   */
  private record Declared(ImmutableList<String> base, DeclaresEffects effects) {}

  /** The effect of a request with this head. */
  Effect of(RequestHead head) {
    if (!head.isSafe()) {
      return Effect.WRITE;
    }
    List<String> path = SEGMENTS.splitToList(Reference.decode(head.path()));
    for (Declared each : declared) {
      int length = each.base.size();
      if (path.size() >= length
          && path.subList(0, length).equals(each.base)
          && each.effects.effectOf(head.method(), path.subList(length, path.size()))
              == Effect.WRITE) {
        return Effect.WRITE;
      }
    }
    return Effect.READ;
  }
}
