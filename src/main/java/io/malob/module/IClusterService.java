package io.malob.module;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/** The cluster that this controller belongs to. Real Floodlight does not have this service. */
public interface IClusterService extends IFloodlightService {
  /** This controller's name in the cluster. */
  String name();

  /**
   * The name of a switch's master, as far as the election knows at this moment; empty if the switch
   * has none. Lock-free, for any thread. The switch itself may not obey that controller yet.
   */
  Optional<String> masterOf(DatapathId switchId);

  /** The cluster as this controller sees it, for operators; empty if it belongs to none. */
  Optional<ClusterView> view();

  /**
   * The same as far as the election knows it: no node is reached, and problems may be missing. It
   * costs nothing, and is the same object until something changes.
   */
  Optional<ClusterView> electionView();

  /**
   * Whether a controller is configured for a cluster; quick, and for any thread.
   *
   * @param service null in real Floodlight
   */
  static boolean isInCluster(@Nullable IClusterService service) {
    return service != null && service.electionView().isPresent();
  }

  /**
   * This controller's part of a limit of the whole cluster. The parts of all controllers never
   * exceed the limit. Changes with the masters; quick, and for any thread.
   */
  default int partOf(int limit) {
    return limit;
  }

  /**
   * Hands this controller's switches over to others that are connected to them; it stands by then.
   *
   * @return the number of switches that have been handed over
   */
  CompletableFuture<Integer> handOver();

  /**
   * Changes how the controllers of the cluster share the switches; stored in etcd for all of them.
   *
   * @return the policy after that
   */
  CompletableFuture<MastershipPolicy> setMastership(MastershipPolicy policy);

  /**
   * Raises the base of generation ids, after etcd was restored from a backup: to this number, or to
   * the latest generation id that this controller's switches have accepted, if that is greater.
   *
   * @return the base after that
   */
  CompletableFuture<Long> raiseBase(long minimum);
}
