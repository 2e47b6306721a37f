package io.malob.balancer.api;

import com.google.common.collect.Maps;
import io.malob.algorithm.FiveTuple;
import io.malob.balancer.api.BalancerActivity.PlacementCount;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Protocol;
import io.malob.state.network.Routing;
import io.malob.state.network.StaticRoutes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;

/** The load balancer's interface to other modules. Thread-safe. */
public interface IBalancerService extends IFloodlightService {

  /** The catalog of VIPs, pools, members and services. All changes go through it. */
  Catalog catalog();

  /** The state of the latest change of the catalog. */
  enum CatalogEffect {
    /** It applies to new connections. */
    IN_FORCE,
    /** It is stored and will soon be in force. */
    PENDING,
    /** It is stored but could not be put in force. The log contains the reason. */
    FAILED
  }

  /** The state of the current catalog. */
  CatalogEffect catalogEffect();

  /**
   * The counts of each member of the current catalog since the controller started, by member id. A
   * member without connections has zeros.
   */
  Map<String, MemberStats> memberStats();

  /**
   * The connections that were placed on each member of the current catalog since the controller
   * started, by member id. A member without connections can be absent. Cheaper than {@link
   * #memberStats}.
   */
  default Map<String, Long> totalConnections() {
    return Maps.transformValues(memberStats(), MemberStats::totalConnections);
  }

  /** The number of open connections of each VIP, including the estimated ones, by VIP id. */
  default Map<String, Integer> vipConnections() {
    return Maps.transformValues(vipStats(), VipStats::activeConnections);
  }

  /** The open and half-open connections of each VIP of the catalog, by VIP id. */
  Map<String, VipStats> vipStats();

  /** How the balancer reaches members. */
  default Routing routing() {
    return Routing.DIRECT;
  }

  /** The routes to members behind routers. All changes go through it. */
  StaticRoutes routes();

  /** The state of VIPs that are or may become proactive, as of the last second. */
  default List<ProactiveStats> proactive() {
    return List.of();
  }

  /** The ejected members, by member id. */
  Map<String, EjectedMember> ejected();

  /** How often members were ejected since the controller started, by reason. */
  Map<String, Long> ejections();

  /** The counts of long flows and their moves. */
  MoveStats moves();

  /** The learned profiles of connections, by VIP and service. */
  List<ProfileStats> profiles();

  /**
   * Whether all switches report when a client ends a TCP connection. If not, ended connections stay
   * in {@link MemberStats#activeConnections} until their rules expire.
   */
  boolean endsAreTold();

  /**
   * The core switches from which no switch that translates addresses is reached: their hosts reach
   * no VIP.
   */
  Set<DatapathId> unservedSwitches();

  /** The hosts that send from two ports in turns. */
  default List<SplitHost> splitHosts() {
    return List.of();
  }

  /** The connections that got no member since the controller started, by reason. */
  Map<String, Long> rejects();

  /** The number of connections, and the messages and rules that failed. */
  BalancerCounters counters();

  /**
   * The outcomes of connections and packets, the times of placements and the traffic of members.
   */
  BalancerActivity activity();

  /** The {@link BalancerActivity#placements} alone, which are cheaper. */
  default List<PlacementCount> placements() {
    return activity().placements();
  }

  /** The results of reconciling the switches' rules with the controller's state. */
  ReconcileStats reconcileStats();

  /**
   * The installed paths between switches, with or without connections, ordered by decreasing number
   * of connections.
   */
  List<PathStats> paths();

  /**
   * Lists open and dormant connections in their current state, in the order of their requests'
   * five-tuples. A connection that exists from the first page to the last is on exactly one of
   * them. Takes time in proportion to all connections and never blocks a packet.
   *
   * @param wanted selects the connections to list
   * @param after the five-tuple after which the page begins; null for the first page
   * @param limit the max number of connections, at least 1
   */
  ConnectionPage connections(
      Predicate<PlacedConnection> wanted, @Nullable FiveTuple after, int limit);

  /**
   * Explains the outcome that a client's new connection would have at this moment. Changes no
   * state: no turn is taken and nothing is counted. Takes time in proportion to the members of the
   * pool, and to the buckets at the client's edge.
   *
   * @param client the client's address
   * @param vip the destination address
   * @param port the destination port, or the type for ICMP
   * @param clientPort the client's port; only buckets depend on it
   * @return empty if the client's location is unknown
   */
  Optional<ExplainedConnection> explain(
      IPAddress<?> client, IPAddress<?> vip, Protocol protocol, int port, OptionalInt clientPort);

  /**
   * The same for a client with a known MAC address, whose IPv4 address may be unknown. A known IPv4
   * address is used.
   */
  Optional<ExplainedConnection> explain(
      MacAddress client, IPAddress<?> vip, Protocol protocol, int port, OptionalInt clientPort);

  /** All links between switches, each in both directions, ordered by their ends. */
  List<LinkStats> links();
}
