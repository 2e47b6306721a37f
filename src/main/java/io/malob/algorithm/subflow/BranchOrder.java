package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Orders paths to egress switches as the branches of a route, where a packet takes the first branch
 * that its egress switch is on: a path that passes another egress switch comes after that one's
 * own, unless it begins with it. If two paths pass each other's egress switch, the shorter comes
 * first and leads to both.
 */
public final class BranchOrder {
  private final Map<DatapathId, Path> wanted;
  private final Set<DatapathId> served = new HashSet<>();

  private BranchOrder(Map<DatapathId, Path> wanted) {
    this.wanted = wanted;
  }

  /** The branches for paths, by egress switch. */
  public static ImmutableList<Path> of(Map<DatapathId, Path> wanted) {
    return new BranchOrder(wanted).order();
  }

  private ImmutableList<Path> order() {
    List<Path> left = new ArrayList<>(wanted.values());
    left.sort(Comparator.comparingInt(Path::hops).thenComparing(Path::dst));
    ImmutableList.Builder<Path> ordered = ImmutableList.builder();
    while (!left.isEmpty()) {
      Path next = left.stream().filter(this::takesNothing).findFirst().orElse(left.get(0));
      ordered.add(next);
      served.addAll(next.switches());
      left.removeIf(path -> served.contains(path.dst()));
    }
    return withoutBeginnings(ordered.build());
  }

  /** The paths that are not the beginning of another one. */
  public static ImmutableList<Path> withoutBeginnings(List<Path> paths) {
    return paths.stream()
        .filter(path -> paths.stream().noneMatch(other -> isLonger(other, path)))
        .collect(ImmutableList.toImmutableList());
  }

  private static boolean isLonger(Path path, Path beginning) {
    return path.hops() > beginning.hops()
        && path.links().subList(0, beginning.hops()).equals(beginning.links());
  }

  /** Whether all egress switches on a path already have their own path, or use this one. */
  private boolean takesNothing(Path path) {
    return path.switches().stream()
        .filter(passed -> !served.contains(passed))
        .map(wanted::get)
        .allMatch(own -> own == null || own.equals(path) || isLonger(path, own));
  }
}
