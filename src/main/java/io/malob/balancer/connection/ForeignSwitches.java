package io.malob.balancer.connection;

import io.malob.module.ClusterView;
import io.malob.module.IClusterService;
import java.util.Optional;
import java.util.function.Predicate;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The switches that another controller of the cluster is master of. The master of its client's edge
 * switch owns a connection: only that controller sends rules for it, expires it and reports it.
 * Without a cluster, no switch is foreign. Thread-safe; takes no lock.
 */
public final class ForeignSwitches implements Predicate<DatapathId> {
  private final IOFSwitchService switches;
  private final @Nullable IClusterService cluster;

  /**
   * Creates the set of foreign switches.
   *
   * @param cluster null without a cluster
   */
  public ForeignSwitches(IOFSwitchService switches, @Nullable IClusterService cluster) {
    this.switches = switches;
    this.cluster = cluster;
  }

  /** Whether this controller may belong to a cluster. */
  public boolean mayExist() {
    return cluster != null;
  }

  /** The cluster, as this controller sees it; empty if it belongs to none. */
  public Optional<ClusterView> view() {
    @Nullable IClusterService known = cluster;
    return known == null ? Optional.empty() : known.view();
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
