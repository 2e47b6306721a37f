package io.malob.algorithm.graph;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The segments that legacy switches make: sets of switch ports that receive each other's packets.
 * Immutable.
 */
public final class SharedSegments {
  /** A network of cables only. */
  public static final SharedSegments NONE = new SharedSegments(ImmutableMap.of());

  private final ImmutableMap<Port, Segment> byPort;

  /** A port of a switch. */
  public record Port(DatapathId switchId, OFPort port) implements Comparable<Port> {
    private static final Comparator<Port> ORDER =
        Comparator.comparing(Port::switchId).thenComparing(Port::port);

    @Override
    public int compareTo(Port other) {
      return ORDER.compare(this, other);
    }
  }

  /**
   * The ports of a segment.
   *
   * @param ports at least two, sorted
   */
  public record Segment(ImmutableList<Port> ports) {
    /** Whether packets between two of its ports may also come in at a third. */
    public boolean hasUninvolvedPorts() {
      return ports.size() > 2;
    }
  }

  private SharedSegments(ImmutableMap<Port, Segment> byPort) {
    this.byPort = byPort;
  }

  /**
   * The segments that these links cross. A port with links to several others is on one, whatever is
   * known of its links.
   *
   * @param isExternal whether a link is known to go through legacy switches
   */
  public static SharedSegments of(
      Collection<DirectedLink> links, Predicate<DirectedLink> isExternal) {
    Map<Port, Set<Port>> peers = new TreeMap<>();
    Set<Port> external = new HashSet<>();
    for (DirectedLink link : links) {
      add(peers, source(link), target(link));
      add(peers, target(link), source(link));
      if (isExternal.test(link)) {
        external.add(source(link));
        external.add(target(link));
      }
    }
    ImmutableMap.Builder<Port, Segment> byPort = ImmutableMap.builder();
    Set<Port> done = new HashSet<>();
    for (Port port : peers.keySet()) {
      if (!done.contains(port)) {
        Set<Port> joined = Reached.from(port, at -> peers.getOrDefault(at, Set.of()));
        done.addAll(joined);
        if (joined.size() > 2 || joined.stream().anyMatch(external::contains)) {
          Segment segment = new Segment(ImmutableList.copyOf(new TreeSet<>(joined)));
          joined.forEach(each -> byPort.put(each, segment));
        }
      }
    }
    return new SharedSegments(byPort.build());
  }

  private static void add(Map<Port, Set<Port>> peers, Port port, Port peer) {
    peers.computeIfAbsent(port, any -> new TreeSet<>()).add(peer);
  }

  private static Port source(DirectedLink link) {
    return new Port(link.src(), link.srcPort());
  }

  private static Port target(DirectedLink link) {
    return new Port(link.dst(), link.dstPort());
  }

  /** Whether there are none. */
  public boolean isEmpty() {
    return byPort.isEmpty();
  }

  /** Whether a port is on one. */
  public boolean contains(DatapathId switchId, OFPort port) {
    return !isEmpty() && byPort.containsKey(new Port(switchId, port));
  }

  /** All segments. */
  public ImmutableSet<Segment> all() {
    return ImmutableSet.copyOf(byPort.values());
  }

  /**
   * Where a path enters its segments: the sum of the ranks of these ports among the ports of their
   * segments, from 1 on; 0 if it crosses none. On a path across one segment, it names the port.
   */
  public int entry(Path path) {
    if (isEmpty()) {
      return 0;
    }
    int entry = 0;
    for (DirectedLink link : path.links()) {
      @Nullable Segment crossed = byPort.get(source(link));
      if (crossed != null) {
        entry += crossed.ports.indexOf(source(link)) + (entry == 0 ? 1 : 0);
      }
    }
    return entry;
  }

  /** The ports at which a path leaves its segments. */
  public ImmutableList<Port> exits(Path path) {
    if (isEmpty()) {
      return ImmutableList.of();
    }
    return path.links().stream()
        .filter(link -> byPort.containsKey(source(link)))
        .map(SharedSegments::target)
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * The ports of the switches on a path at which copies of its packets may come in: those on a
   * segment that it crosses, except where it enters and leaves that segment.
   */
  public ImmutableList<Port> strayPorts(Path path) {
    if (path.links().stream().noneMatch(link -> isCopied(byPort.get(source(link))))) {
      return ImmutableList.of();
    }
    Set<DatapathId> switches = new HashSet<>(path.switches());
    Set<Port> used = new HashSet<>();
    Set<Port> near = new LinkedHashSet<>();
    for (DirectedLink link : path.links()) {
      used.add(source(link));
      used.add(target(link));
      @Nullable Segment crossed = byPort.get(source(link));
      if (crossed != null) {
        crossed.ports.stream().filter(port -> switches.contains(port.switchId)).forEach(near::add);
      }
    }
    near.removeAll(used);
    return ImmutableList.copyOf(near);
  }

  private static boolean isCopied(@Nullable Segment crossed) {
    return crossed != null && crossed.hasUninvolvedPorts();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SharedSegments that && byPort.equals(that.byPort);
  }

  @Override
  public int hashCode() {
    return byPort.hashCode();
  }

  @Override
  public String toString() {
    return all().toString();
  }
}
