package io.malob.controller.rest;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import net.floodlightcontroller.restserver.RestletRoutable;
import org.restlet.data.Reference;

/**
 * What resources declare about requests, by their base paths. Immutable.
 *
 * @param <T> the interface by which they declare it
 */
final class Declarations<T> {
  private static final Splitter SEGMENTS = Splitter.on('/').omitEmptyStrings();

  private final ImmutableList<Declared<T>> declared;

  /** Those of these resources that have the interface. */
  Declarations(List<RestletRoutable> routables, Class<T> type) {
    declared =
        routables.stream()
            .filter(type::isInstance)
            .map(
                routable ->
                    new Declared<>(
                        ImmutableList.copyOf(SEGMENTS.split(routable.basePath())),
                        type.cast(routable)))
            .collect(ImmutableList.toImmutableList());
  }

  /**
   * @param base the segments of the base path
   */
  private record Declared<T>(ImmutableList<String> base, T by) {
    boolean isAbove(List<String> path) {
      int length = base.size();
      return path.size() >= length && path.subList(0, length).equals(base);
    }
  }

  /**
   * What all resources with this path declare.
   *
   * @param path as sent
   * @param ask takes the segments below the base path
   */
  <R> Stream<R> at(String path, BiFunction<T, List<String>, R> ask) {
    List<String> segments = SEGMENTS.splitToList(Reference.decode(path));
    return declared.stream()
        .filter(each -> each.isAbove(segments))
        .map(each -> ask.apply(each.by, segments.subList(each.base.size(), segments.size())));
  }
}
