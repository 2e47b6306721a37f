package io.malob.controller.staticentries;

import static io.malob.controller.access.Effect.READ;
import static io.malob.controller.access.Effect.WRITE;

import com.google.common.collect.ImmutableMap;
import io.malob.controller.access.Effect;
import java.util.List;
import java.util.Optional;

/**
 * The routes of static entries, and what each method of them does. This is the only list: requests
 * are dispatched by it, and access is decided by it.
 */
enum Route {
  /** All entries; one more; one less. */
  ENTRIES(ImmutableMap.of("GET", READ, "HEAD", READ, "POST", WRITE, "DELETE", WRITE)),
  /** The entries of a switch. */
  LIST(ImmutableMap.of("GET", READ, "HEAD", READ)),
  /** Deletes the entries of a switch. Floodlight does so by GET. */
  CLEAR(ImmutableMap.of("GET", WRITE, "POST", WRITE, "DELETE", WRITE));

  private final ImmutableMap<String, Effect> effects;

  Route(ImmutableMap<String, Effect> effects) {
    this.effects = effects;
  }

  /** The route of a path below the base path; empty if there is none. */
  static Optional<Route> of(List<String> path) {
    if (path.equals(List.of("json"))) {
      return Optional.of(ENTRIES);
    } else if (path.size() != 3 || !path.get(2).equals("json")) {
      return Optional.empty();
    }
    return switch (path.get(0)) {
      case "list" -> Optional.of(LIST);
      case "clear" -> Optional.of(CLEAR);
      default -> Optional.empty();
    };
  }

  /** What a method does; empty if the route does not allow it. */
  Optional<Effect> effectOf(String method) {
    return Optional.ofNullable(effects.get(method));
  }

  /** The methods that it allows, but HEAD. */
  List<String> methods() {
    return effects.keySet().stream().filter(method -> !method.equals("HEAD")).toList();
  }
}
