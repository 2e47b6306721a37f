package io.malob.state.network;

import static com.google.common.collect.ImmutableSortedSet.toImmutableSortedSet;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import io.malob.json.RejectedException;
import io.malob.store.Document;
import io.malob.store.Store;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The routes that operators set: which router is the next hop to members in other subnets. Kept in
 * a store. Safe for use by several threads; readers never wait.
 */
public final class StaticRoutes {
  /** The max number of routes. */
  public static final int MAX = 4_096;

  private static final Logger LOG = LoggerFactory.getLogger(StaticRoutes.class);

  private static final Document<ImmutableSortedMap<Prefix, IPAddress<?>>> DOCUMENT =
      Document.of("routes", RouteFormat::read, RouteFormat::write);

  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final StoredMap<Prefix, IPAddress<?>> stored;
  private volatile Derived derived = Derived.of(ImmutableSortedMap.of());

  /** The lengths of the routes of each family, longest first, and all next hops. */
  private record Derived(
      ImmutableSortedSet<Integer> ipv4,
      ImmutableSortedSet<Integer> ipv6,
      ImmutableSet<IPAddress<?>> nextHops) {
    static Derived of(ImmutableSortedMap<Prefix, IPAddress<?>> routes) {
      return new Derived(
          lengths(routes, IPVersion.IPv4),
          lengths(routes, IPVersion.IPv6),
          ImmutableSet.copyOf(routes.values()));
    }

    private static ImmutableSortedSet<Integer> lengths(
        ImmutableSortedMap<Prefix, IPAddress<?>> routes, IPVersion version) {
      return routes.keySet().stream()
          .filter(prefix -> prefix.address().getIpVersion() == version)
          .map(Prefix::length)
          .collect(toImmutableSortedSet(Comparator.reverseOrder()));
    }
  }

  /** A route that leads to an address. */
  public record Route(Prefix destination, IPAddress<?> nextHop) {}

  private StaticRoutes(Store store) throws IOException {
    stored =
        StoredMap.open(
            store,
            new StoredMap.Kind<>(
                DOCUMENT,
                MAX,
                "routes",
                why ->
                    LOG.error(
                        "routes_not_read why=\"{}\" - the earlier routes stay in effect",
                        why.getMessage()),
                why -> LOG.error("routes_not_stored why=\"{}\"", why.toString()),
                this::changed));
  }

  /**
   * The routes of a store.
   *
   * @throws IOException if they cannot be read; the message is for users
   */
  public static StaticRoutes open(Store store) throws IOException {
    return new StaticRoutes(store);
  }

  private void changed(ImmutableSortedMap<Prefix, IPAddress<?>> now) {
    derived = Derived.of(now);
    listeners.forEach(Runnable::run);
  }

  /** Adds a task that is run after each change, on the thread that made it; it must not block. */
  public void addListener(Runnable listener) {
    listeners.add(listener);
  }

  /** Whether a router can be the next hop to a prefix: a host's address of the same family. */
  public static boolean isPossible(Prefix destination, IPAddress<?> nextHop) {
    return nextHop.getIpVersion() == destination.address().getIpVersion()
        && SelfAddresses.isHost(nextHop);
  }

  /** Whether a route leads by way of an address. */
  public boolean isNextHop(IPAddress<?> address) {
    return derived.nextHops.contains(address);
  }

  /** All, by destination. */
  public ImmutableSortedMap<Prefix, IPAddress<?>> all() {
    return stored.all();
  }

  /** The route to an address with the longest prefix; empty if there is none. */
  public Optional<Route> find(IPAddress<?> address) {
    Derived now = derived;
    ImmutableSortedSet<Integer> candidates =
        address.getIpVersion() == IPVersion.IPv4 ? now.ipv4 : now.ipv6;
    ImmutableSortedMap<Prefix, IPAddress<?>> routes = all();
    for (int length : candidates) {
      Prefix destination = Prefix.of(address, length);
      @Nullable IPAddress<?> nextHop = routes.get(destination);
      if (nextHop != null) {
        return Optional.of(new Route(destination, nextHop));
      }
    }
    return Optional.empty();
  }

  /**
   * Sets a route; on return it is durable.
   *
   * @return the next hop before
   * @throws IllegalStateException if there are {@link #MAX} already
   * @throws RejectedException if it could not be stored
   */
  public Optional<IPAddress<?>> set(Prefix destination, IPAddress<?> nextHop)
      throws RejectedException {
    if (!isPossible(destination, nextHop)) {
      throw new IllegalArgumentException(nextHop + " is no next hop to " + destination);
    }
    return stored.put(destination, nextHop);
  }

  /**
   * Removes a route.
   *
   * @return its next hop; empty if there was none
   * @throws RejectedException if that could not be stored
   */
  public Optional<IPAddress<?>> remove(Prefix destination) throws RejectedException {
    return stored.remove(destination);
  }
}
