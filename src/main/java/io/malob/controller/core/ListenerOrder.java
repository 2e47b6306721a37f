package io.malob.controller.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.IListener;

/** Orders listeners by their declared dependencies, otherwise by the time they were added. */
public final class ListenerOrder {
  private ListenerOrder() {}

  /**
   * The same listeners, each after those that must come before it.
   *
   * @throws IllegalArgumentException naming the listeners that would have to wait for each other
   */
  public static <T, L extends IListener<T>> List<L> of(T type, List<L> listeners) {
    List<L> waiting = new ArrayList<>(listeners);
    List<L> ordered = new ArrayList<>(listeners.size());
    while (!waiting.isEmpty()) {
      Optional<L> next =
          waiting.stream()
              .filter(one -> waiting.stream().noneMatch(other -> isBefore(type, other, one)))
              .findFirst();
      if (next.isEmpty()) {
        throw new IllegalArgumentException(
            waiting.stream().map(IListener::getName).collect(Collectors.joining(", "))
                + ": these listeners of "
                + type
                + " would have to wait for each other");
      }
      waiting.remove(next.get());
      ordered.add(next.get());
    }
    return ordered;
  }

  private static <T> boolean isBefore(T type, IListener<T> first, IListener<T> second) {
    return first != second
        && (second.isCallbackOrderingPrereq(type, first.getName())
            || first.isCallbackOrderingPostreq(type, second.getName()));
  }
}
