package io.malob.balancer.proactive;

import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.bucket.VipNextHops;
import io.malob.balancer.connection.CoreAccess;
import io.malob.balancer.connection.HostRuleCache;
import io.malob.balancer.connection.LegacySegments;
import io.malob.balancer.reroute.RulePacer;
import io.malob.capability.FeatureProbes;
import io.malob.openflow.RuleSender;
import io.malob.openflow.label.LabelTable;
import io.malob.state.network.Routers;
import io.malob.state.network.SelfAddresses;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.devicemanager.IDeviceService;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/** What proactive VIPs need of the rest of the balancer. */
public record ProactiveContext(Network network, Rules rules, Clients clients) {
  /**
   * The switches and hosts of the network.
   *
   * @param isRead whether the rules of a switch have been read
   * @param features which features switches have
   * @param trackedZone the zone in which switches track connections
   * @param hasSeveralMasters whether switches may have different masters: none of them could
   *     prepare both ends of a VIP's connections, so all VIPs are reactive
   * @param isRouted whether an address is behind a router
   * @param selfAddresses the balancer's own, by which routers reach VIPs
   * @param routers the routers that the operator has named
   * @param sourceAddresses those that members see instead of clients
   * @param nextHop the host that packets to an address are delivered to
   */
  public record Network(
      IOFSwitchService switches,
      IDeviceService devices,
      CoreAccess coreAccess,
      Predicate<DatapathId> isRead,
      FeatureProbes features,
      int trackedZone,
      BooleanSupplier hasSeveralMasters,
      Predicate<IPAddress<?>> isRouted,
      SelfAddresses selfAddresses,
      Routers routers,
      SelfAddresses sourceAddresses,
      UnaryOperator<IPAddress<?>> nextHop) {}

  /**
   * What sends rules.
   *
   * @param segments where legacy switches are
   * @param hostRules the host rules of switches
   * @param pacer bounds the rate of changes on switches with one table
   */
  public record Rules(
      RuleSender ruleSender,
      LabelTable labels,
      LegacySegments segments,
      HostRuleCache hostRules,
      RulePacer pacer) {}

  /**
   * What is known of clients and their connections.
   *
   * @param buckets the buckets as packets see them
   * @param nextHops the known next hops of VIPs
   * @param halfOpen the half-open connections of a VIP, by number
   * @param pinExposed gives connections of a VIP at a switch rules of their own that would reach
   *     another member
   * @param watchElsewhere has the controller see packets of a VIP's connections that come in where
   *     they would reach another member
   */
  public record Clients(
      Buckets buckets,
      VipNextHops nextHops,
      IntUnaryOperator halfOpen,
      BiConsumer<Integer, DatapathId> pinExposed,
      IntConsumer watchElsewhere) {}
}
