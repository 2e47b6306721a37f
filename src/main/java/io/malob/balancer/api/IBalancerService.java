package io.malob.balancer.api;

import io.malob.algorithm.FiveTuple;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Protocol;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;

/** The load balancer, as other modules see it. Safe for use by several threads. */
public interface IBalancerService extends IFloodlightService {

  /** The VIPs, pools, members and services; the one place where they are changed. */
  Catalog catalog();

  /** What has become of the latest change of the catalog. */
  enum CatalogEffect {
    /** New connections are placed by it. */
    IN_FORCE,
    /** It is stored, and will be in force in a moment. */
    PENDING,
    /** It is stored, but could not be put in force; the log says why. */
    FAILED
  }

  /** Whether the catalog as it is now is in force. */
  CatalogEffect catalogEffect();

  /**
   * What has been counted for each member that the catalog has now, by member id, since the
   * controller started. A member that never got a connection is there with zeros.
   */
  Map<String, MemberStats> memberStats();

  /** How many connections are open at each VIP of the catalog, by VIP id. */
  Map<String, Integer> vipConnections();

  /** What is open at each VIP of the catalog, by VIP id. */
  Map<String, VipStats> vipStats();

  /** Members that are out because of what their connections or agents have shown, by member id. */
  Map<String, EjectedMember> ejected();

  /** How often members were put out, by reason, since the controller started. */
  Map<String, Long> ejections();

  /** What has become of connections that carry much for long. */
  MoveStats moves();

  /** What has been learnt of the connections of each service, by VIP and service. */
  List<ProfileStats> profiles();

  /**
   * Whether all switches tell when a client ends a TCP connection. If not, ended connections stay
   * in {@link MemberStats#activeConnections} until their rules time out.
   */
  boolean endsAreTold();

  /** Connections that got no member, by reason, since the controller started. */
  Map<String, Long> rejects();

  /** How full the balancer is, and what did not get through to switches. */
  BalancerCounters counters();

  /** What became of connections and packets, how long placing took, and what members carried. */
  BalancerActivity activity();

  /** What comparing the switches' rules with what the controller knows has brought up. */
  ReconcileStats reconcileStats();

  /** The paths between switches that connections use or could use at once, most used first. */
  List<PathStats> paths();

  /**
   * Connections, open and dormant, in the order of their requests' five-tuples, as they are at this
   * moment. One that is there from the first page to the last is in exactly one of them. Costs time
   * in proportion to all connections, and never keeps a packet waiting.
   *
   * @param wanted which ones to list
   * @param after where the page begins: after this tuple; null for the first page
   * @param limit how many at most, at least 1
   */
  ConnectionPage connections(
      Predicate<PlacedConnection> wanted, @Nullable FiveTuple after, int limit);

  /**
   * What would become of a connection that a client opened at this moment, and why. Changes
   * nothing: no turn is taken and nothing is counted. Leaves out what depends on the client's port.
   * Costs time in proportion to the members of the pool.
   *
   * @param client the client's address
   * @param vip the address that it connects to
   * @param port the destination port, or the type for ICMP
   * @return empty if the network does not know where the client is
   */
  Optional<ExplainedConnection> explain(
      IPAddress<?> client, IPAddress<?> vip, Protocol protocol, int port);

  /**
   * The same of a client that is known by its MAC address, such as one whose IPv4 address the
   * network has not learnt. Its IPv4 address counts if there is one.
   */
  Optional<ExplainedConnection> explain(
      MacAddress client, IPAddress<?> vip, Protocol protocol, int port);

  /** All links between switches, each in both directions, in the order of their ends. */
  List<LinkStats> links();
}
