package io.malob.state.network;

import io.malob.algorithm.VlanAddress;
import io.malob.state.network.SelfAddresses.SelfAddress;
import io.malob.state.network.StaticRoutes.Route;
import java.util.Optional;
import java.util.function.Function;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * How the balancer reaches addresses: those in the subnets of its own addresses directly, others by
 * the routes that operators set, and all that are in neither directly. The longest prefix counts.
 * Thread-safe.
 *
 * @param self the balancer's own addresses
 * @param routes the route to an address
 */
public record Routing(SelfAddresses self, Function<IPAddress<?>, Optional<Route>> routes) {
  /** All addresses are reached directly. */
  public static final Routing DIRECT = new Routing(SelfAddresses.NONE, address -> Optional.empty());

  /** The router that leads to an address; empty if the address is reached directly. */
  public Optional<IPAddress<?>> routerTo(IPAddress<?> address) {
    return routes
        .apply(address)
        .filter(route -> route.destination().length() > direct(address))
        .filter(route -> !route.nextHop().equals(address))
        .map(Route::nextHop);
  }

  private int direct(IPAddress<?> address) {
    return self.inSubnetOf(address).map(SelfAddress::prefixLength).orElse(-1);
  }

  /** The host that packets for an address are delivered to: its router, or itself. */
  public IPAddress<?> nextHop(IPAddress<?> address) {
    Optional<IPAddress<?>> router = routerTo(address);
    return router.isPresent() ? router.get() : address;
  }

  /** The host that packets for another one are delivered to, which is in the same VLAN. */
  public VlanAddress nextHop(VlanAddress host) {
    return new VlanAddress(nextHop(host.address()), host.vlan());
  }

  /**
   * The balancer's own address in the subnet of the next hop, which is in that VLAN (0 if it is
   * untagged); empty if it has none there.
   */
  public Optional<IPAddress<?>> sourceTo(IPAddress<?> address, int vlan) {
    return self.inSubnetOf(nextHop(address), vlan).map(SelfAddress::address);
  }
}
