package io.malob.balancer.reroute;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.connection.CoreAccess;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.PoolView;
import io.malob.openflow.label.LabelTable;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Keeps the labels of all paths ready that the algorithms in use would choose between switches with
 * hosts and members, so that no connection has to wait. Not thread-safe.
 *
 * @param unowned whether another controller is master of a switch, and prepares labels for its
 *     clients
 */
public record PreparedLabels(
    LabelTable labels,
    IDeviceService devices,
    CoreAccess coreAccess,
    Predicate<DatapathId> unowned) {
  /**
   * The max number of prepared paths. On further paths, the first connection waits for its label.
   */
  private static final int MAX = 10_000;

  /** Requests the missing labels. Their rules are installed in the background. */
  public void refresh(BalancerView view) {
    Set<DatapathId> clientSwitches = switchesWithHosts();
    clientSwitches.removeIf(unowned);
    NetworkSnapshot network = view.network().searchingAtOnce();
    Set<Path> ready = new HashSet<>();
    for (Pool pool : view.catalog().pools().values()) {
      @Nullable Vip vip = view.catalog().vipOf(pool).orElse(null);
      if (vip == null) {
        continue;
      }
      PoolView members = view.pool(pool);
      for (Algorithm algorithm : view.catalog().algorithmsFor(vip, pool)) {
        addPaths(
            members.placer(algorithm), members.oneOfEachSwitch(), clientSwitches, network, ready);
      }
    }
    ready.forEach(labels::keepReady);
  }

  private static void addPaths(
      Placer placer,
      Collection<Server> servers,
      Set<DatapathId> clientSwitches,
      NetworkSnapshot network,
      Set<Path> ready) {
    for (DatapathId client : clientSwitches) {
      Placer.Request request = Placer.Request.from(client);
      for (Server server : servers) {
        if (ready.size() < MAX
            && placer.placeOn(server, request, network) instanceof Placement placement) {
          ready.add(placement.requestPath());
          ready.add(placement.replyPath());
        }
      }
    }
  }

  private Set<DatapathId> switchesWithHosts() {
    Set<DatapathId> found = new HashSet<>();
    for (IDevice device : devices.getAllDevices()) {
      coreAccess.edgeOf(device).ifPresent(at -> found.add(at.switchId()));
    }
    return found;
  }
}
