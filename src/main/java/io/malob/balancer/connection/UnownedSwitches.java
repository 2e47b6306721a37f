package io.malob.balancer.connection;

import com.google.common.collect.ImmutableSet;
import io.malob.module.ClusterView;
import io.malob.module.IClusterService;
import io.malob.openflow.label.LabelRange;
import java.util.Optional;
import java.util.function.Predicate;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The switches that another controller of the cluster is master of. The master of its client's edge
 * switch owns a connection: only that controller sends rules for it, expires it and reports it.
 * Without a cluster, no switch is unowned. Thread-safe; takes no lock.
 */
public final class UnownedSwitches implements Predicate<DatapathId> {
  private final IOFSwitchService switches;
  private final @Nullable IClusterService cluster;

  /** Of the view that was used last. */
  private volatile Masters latest = Masters.NONE;

  /** The names of all masters of a view: there may be many switches, and few controllers. */
  private record Masters(@Nullable ClusterView view, ImmutableSet<String> names) {
    static final Masters NONE = new Masters(null, ImmutableSet.of());
  }

  /**
   * Creates the set of unowned switches.
   *
   * @param cluster null without a cluster
   */
  public UnownedSwitches(IOFSwitchService switches, @Nullable IClusterService cluster) {
    this.switches = switches;
    this.cluster = cluster;
  }

  /** Whether this controller may belong to a cluster. */
  public boolean mayExist() {
    return cluster != null;
  }

  private Optional<ClusterView> view() {
    @Nullable IClusterService known = cluster;
    return known == null ? Optional.empty() : known.electionView();
  }

  @SuppressWarnings("ReferenceEquality") // it is the same object until something changes
  private ImmutableSet<String> mastersIn(ClusterView view) {
    Masters known = latest;
    if (known.view != view) {
      known = new Masters(view, ImmutableSet.copyOf(view.masters().values()));
      latest = known;
    }
    return known.names;
  }

  @Override
  public boolean test(DatapathId switchId) {
    if (cluster == null || switches.getActiveSwitch(switchId) != null) {
      return false;
    }
    if (switches.getSwitch(switchId) != null) {
      return true; // this controller stands by
    }
    return view()
        .map(now -> now.masters().get(switchId) != null && !isOwn(now, switchId))
        .orElse(false);
  }

  /** Whether any connected switch is unowned. */
  public boolean isAny() {
    return mayExist() && switches.getAllSwitchDpids().stream().anyMatch(this);
  }

  /** Whether a controller may publish a label: no other one that is a master has allocated it. */
  public boolean mayPublishLabel(String controller, int id) {
    return view().stream()
        .flatMap(now -> now.nodes().stream().filter(node -> hasAllocated(node, id, now)))
        .allMatch(node -> node.name().equals(controller));
  }

  /**
   * Whether this controller keeps a label up. The controller that has allocated it does, as long as
   * it is master of any switch; after that, the master of the path's first switch.
   */
  public boolean keepsLabel(int id, DatapathId first) {
    Optional<ClusterView> now = view();
    if (now.isEmpty() || isOrphaned(id, now.get())) {
      return !test(first);
    }
    return LabelRange.ofSlot(now.get().slot()).contains(id);
  }

  /** Whether the controller that has allocated a label is gone, or stands by. */
  private boolean isOrphaned(int id, ClusterView view) {
    return view.nodes().stream().noneMatch(node -> hasAllocated(node, id, view));
  }

  private boolean hasAllocated(ClusterView.Member node, int id, ClusterView view) {
    return LabelRange.ofSlot(node.slot()).contains(id) && mastersIn(view).contains(node.name());
  }

  private static boolean isOwn(ClusterView view, DatapathId switchId) {
    return view.name().equals(view.masters().get(switchId));
  }

  /**
   * Whether a controller can know the connections of a switch: it is the switch's master, or that
   * is changing.
   */
  public boolean mayBeMaster(String controller, DatapathId switchId) {
    Optional<ClusterView> now = view();
    @Nullable String master = now.map(known -> known.masters().get(switchId)).orElse(null);
    return master == null
        || master.equals(controller)
        || (isOwn(now.orElseThrow(), switchId) && switches.getActiveSwitch(switchId) == null);
  }
}
