package io.malob.resource;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.malob.json.RejectedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The table of resources below a base path: the resource for each method of each path, with its
 * query parameters. Other requests are answered here, with 404, 405 or 400. A path is written as in
 * {@code pools/{id}/members}, without a slash at either end; HEAD is supported if GET only reads.
 * To be filled by one thread, and then safe for use by several.
 */
public final class RouteTable implements Resource {
  private static final Splitter SEGMENTS = Splitter.on('/').omitEmptyStrings();

  private final List<Route> routes = new ArrayList<>();
  private final boolean isListing;
  private final boolean readsParameters;

  /** Answers all requests, if there are no routes. */
  private final @Nullable Resource onlyOne;

  /** An empty table. */
  public RouteTable() {
    this(false, true, null);
  }

  private RouteTable(boolean isListing, boolean readsParameters, @Nullable Resource onlyOne) {
    this.isListing = isListing;
    this.readsParameters = readsParameters;
    this.onlyOne = onlyOne;
  }

  /**
   * An empty table whose answer to an unknown path lists the existing names at the first wrong
   * segment.
   */
  public static RouteTable listing() {
    return new RouteTable(true, true, null);
  }

  /** An empty table of resources that ignore the query, as Floodlight's do. */
  public static RouteTable ignoringParameters() {
    return new RouteTable(false, false, null);
  }

  /** One resource for all paths and methods, which ignores the query. */
  public static RouteTable ofOne(Resource resource) {
    return new RouteTable(false, false, resource);
  }

  /** The effect of a method. */
  enum Kind {
    READS,
    STREAMS,
    CHANGES
  }

  record Method(
      Resource resource,
      ImmutableSet<String> parameters,
      ImmutableSet<String> repeated,
      Kind kind,
      Demand demand) {
    Effect effect() {
      return kind == Kind.CHANGES ? Effect.WRITE : Effect.READ;
    }

    Method demanding(Demand other) {
      return new Method(resource, parameters, repeated, kind, other);
    }
  }

  private record Route(ImmutableList<String> segments, Map<String, Method> methods) {
    boolean hasPrefix(List<String> path) {
      if (path.size() > segments.size()) {
        return false;
      }
      for (int i = 0; i < path.size(); i++) {
        if (!isVariable(i) && !segments.get(i).equals(path.get(i))) {
          return false;
        }
      }
      return true;
    }

    boolean isAt(List<String> path) {
      return segments.size() == path.size() && hasPrefix(path);
    }

    private boolean isVariable(int index) {
      return segments.get(index).startsWith("{");
    }

    ImmutableMap<String, String> variables(List<String> path) {
      ImmutableMap.Builder<String, String> variables = ImmutableMap.builder();
      for (int i = 0; i < segments.size(); i++) {
        String segment = segments.get(i);
        if (isVariable(i)) {
          variables.put(segment.substring(1, segment.length() - 1), path.get(i));
        }
      }
      return variables.build();
    }

    @Nullable Method method(String name) {
      Method get = methods.get("GET");
      return name.equals("HEAD") && get != null && get.kind == Kind.READS ? get : methods.get(name);
    }
  }

  /** Answers GET, which only reads. */
  public RouteTable get(String path, Resource resource) {
    return get(path, Set.of(), resource);
  }

  /** Answers GET, which only reads, with these query parameters. */
  public RouteTable get(String path, Collection<String> parameters, Resource resource) {
    return get(path, parameters, Set.of(), resource);
  }

  /** Answers GET, which only reads, with these query parameters, of which some may be repeated. */
  public RouteTable get(
      String path, Collection<String> parameters, Collection<String> repeated, Resource resource) {
    return add("GET", path, parameters, repeated, Kind.READS, resource);
  }

  /** Answers GET with an endless stream: there is no HEAD. */
  public RouteTable stream(String path, Resource resource) {
    return add("GET", path, Set.of(), Set.of(), Kind.STREAMS, resource);
  }

  /** Answers a GET that changes something, as Floodlight has some. */
  public RouteTable changeByGet(String path, Resource resource) {
    return add("GET", path, Set.of(), Set.of(), Kind.CHANGES, resource);
  }

  /** Answers POST. */
  public RouteTable post(String path, Resource resource) {
    return post(path, Set.of(), resource);
  }

  /** Answers POST with these query parameters. */
  public RouteTable post(String path, Collection<String> parameters, Resource resource) {
    return add("POST", path, parameters, Set.of(), Kind.CHANGES, resource);
  }

  /** Answers PUT. */
  public RouteTable put(String path, Resource resource) {
    return put(path, Set.of(), resource);
  }

  /** Answers PUT with these query parameters. */
  public RouteTable put(String path, Collection<String> parameters, Resource resource) {
    return add("PUT", path, parameters, Set.of(), Kind.CHANGES, resource);
  }

  /** Answers DELETE. */
  public RouteTable delete(String path, Resource resource) {
    return delete(path, Set.of(), resource);
  }

  /** Answers DELETE with these query parameters. */
  public RouteTable delete(String path, Collection<String> parameters, Resource resource) {
    return add("DELETE", path, parameters, Set.of(), Kind.CHANGES, resource);
  }

  /**
   * Sets what requests of the path demand.
   *
   * @throws IllegalArgumentException if there is no such path
   */
  public RouteTable demanding(String path, Demand demand) {
    ImmutableList<String> segments = ImmutableList.copyOf(SEGMENTS.split(path));
    Route route =
        routes.stream()
            .filter(each -> each.segments.equals(segments))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("there is no " + path));
    route.methods.replaceAll((name, method) -> method.demanding(demand));
    return this;
  }

  private RouteTable add(
      String name,
      String path,
      Collection<String> parameters,
      Collection<String> repeated,
      Kind kind,
      Resource resource) {
    ImmutableList<String> segments = ImmutableList.copyOf(SEGMENTS.split(path));
    Optional<Route> known =
        routes.stream().filter(route -> route.segments.equals(segments)).findFirst();
    Route route = known.orElseGet(() -> new Route(segments, new TreeMap<>()));
    if (known.isEmpty()) {
      routes.add(route);
    }
    Method method =
        new Method(
            resource,
            ImmutableSet.copyOf(parameters),
            ImmutableSet.copyOf(repeated),
            kind,
            Demand.USUAL);
    if (route.methods.put(name, method) != null) {
      throw new IllegalArgumentException(name + " " + path + " is a duplicate");
    }
    return this;
  }

  @Override
  public Reply answer(Call call) throws IOException, RejectedException {
    if (onlyOne != null) {
      return onlyOne.answer(call);
    }
    Route route = at(call.path()).orElseThrow(() -> nothingAt(call));
    @Nullable Method method = route.method(call.method());
    if (method == null) {
      throw RejectedException.method(call.uri(), call.method(), route.methods.keySet());
    }
    call.parameters().checkNames(method.parameters, method.repeated);
    return method.resource.answer(call.on(route.variables(call.path())));
  }

  private Optional<Route> at(List<String> path) {
    return routes.stream().filter(route -> route.isAt(path)).findFirst();
  }

  private RejectedException nothingAt(Call call) {
    if (!isListing) {
      return RejectedException.notFound("There is nothing at " + call.uri());
    }
    List<String> right = call.path();
    while (namesBelow(right).isEmpty()) {
      right = right.subList(0, right.size() - 1);
    }
    return RejectedException.notFound(
        "there is nothing at /"
            + String.join("/", call.path())
            + " here, only "
            + String.join(", ", namesBelow(right)));
  }

  private Set<String> namesBelow(List<String> path) {
    Set<String> names = new LinkedHashSet<>();
    for (Route route : routes) {
      if (route.segments.size() > path.size() && route.hasPrefix(path)) {
        names.add(route.segments.get(path.size()));
      }
    }
    return names;
  }

  /** The parameters of a request, from its query. */
  QueryParameters parameters(String query) throws RejectedException {
    return QueryParameters.read(readsParameters ? query : "");
  }

  /**
   * A method of a path; empty without a route.
   *
   * @param path the segments of the path below the base path, decoded
   */
  Optional<Method> find(String method, List<String> path) {
    return at(path).flatMap(route -> Optional.ofNullable(route.method(method)));
  }
}
