package io.malob.simulation.scale;

import java.util.Comparator;
import java.util.List;

/**
 * A fluid model: all rates are constant, connections arrive equally at all edges with clients, and
 * rules live from the first packet until an idle timeout after the last. Pure.
 */
public final class ScaleModel {
  private static final double MEGA = 1e6;
  private static final double PORTS = 3;
  private static final double MIN_BUCKETS = 64;
  private static final double MAX_BUCKETS = 8_192;

  /** How connections are placed. */
  public enum Placement {
    /** At their first packets. */
    REACTIVE,
    /** By buckets, which switches know in advance. */
    PROACTIVE
  }

  private final Deployment at;
  private final Placement placement;

  /** The model of a deployment. */
  public ScaleModel(Deployment at, Placement placement) {
    this.at = at;
    this.placement = placement;
  }

  private boolean isReactive() {
    return placement == Placement.REACTIVE;
  }

  /** Connections with rules: the open ones, and those that have ended within the idle timeout. */
  double connectionsWithRules() {
    return isReactive() ? at.open() + at.perSecond() * Costs.IDLE_TIMEOUT_SECONDS : 0;
  }

  /** Two labels for each pair of edges, in use while a connection is; or for each bucket. */
  double labels() {
    double pairs = at.clientEdges() * at.memberEdges();
    double used = isReactive() ? Math.min(pairs, connectionsWithRules()) : pairs;
    return 2 * used;
  }

  /** The smallest power of two with which at most 2 % of the buckets are misplaced. */
  double buckets() {
    double membersOfVip = (double) at.members() / at.vips();
    double buckets = MIN_BUCKETS;
    while (buckets < MAX_BUCKETS && buckets < 8 * membersOfVip) {
      buckets *= 2;
    }
    return buckets;
  }

  /** Base rules, and those of VIPs, which each switch has. */
  private double fixedRules() {
    return 8 + 8.0 * at.vips();
  }

  /** All are next hops of all VIPs. */
  private double nextHopsOfVip() {
    return Math.min(at.nextHops(), Costs.MAX_NEXT_HOPS);
  }

  double clientEdgeRules() {
    double ofNextHops = 2.0 * at.nextHops() / at.clientEdges();
    double ofLabels = labels() / at.clientEdges();
    double ofConnections =
        isReactive()
            ? connectionsWithRules() / at.clientEdges()
            : at.vips() * (buckets() + 2) + at.vips() * nextHopsOfVip() / at.clientEdges();
    return fixedRules() + ofNextHops + ofLabels + ofConnections;
  }

  double memberEdgeRules() {
    double here = at.members() / at.memberEdges();
    double ofLabels = labels() / at.memberEdges();
    double ofConnections =
        isReactive()
            ? connectionsWithRules() / at.memberEdges()
            : 5 * here + at.vips() * nextHopsOfVip();
    return fixedRules() + 2 * here + ofLabels + ofConnections;
  }

  double coreRules() {
    return fixedRules() + labels() / at.coreSwitches();
  }

  /** All rules that a new master of the busiest controller's switches has to verify. */
  double rulesToVerify() {
    double between = at.switches() - at.edges();
    return at.share()
        * (at.clientEdges() * clientEdgeRules()
            + at.memberEdges() * memberEdgeRules()
            + between * fixedRules()
            + labels() * (at.topology().pathSwitches - 2));
  }

  /** Processors of the busiest controller. */
  double processors() {
    double idle =
        at.switches() * Costs.SWITCH_SECONDS
            + at.members() * Costs.CHECK_SECONDS / Costs.CHECK_INTERVAL_SECONDS;
    double placed = isReactive() ? at.perSecond() : 0;
    return at.share() * (idle + placed * Costs.PLACEMENT_SECONDS)
        + placed * (1 - at.share()) * Costs.REPLICA_STATES * Costs.REPLICA_SECONDS;
  }

  /** Live objects: each controller has all connections and hosts. */
  double liveMegabytes() {
    double hosts = (double) at.nextHops() + at.members();
    return Costs.BASE_MEGABYTES
        + (connectionsWithRules() * Costs.CONNECTION_BYTES + hosts * Costs.HOST_BYTES) / MEGA;
  }

  /** Bytes per second that the busiest controller sends to all others. */
  double peerBytes() {
    double sent = isReactive() ? at.perSecond() * at.share() : 0;
    return sent * Costs.REPLICA_STATES * Costs.REPLICA_BYTES * (at.controllers() - 1);
  }

  /**
   * OpenFlow messages per second of the busiest controller, both directions, without connections:
   * probes of three ports of each switch, port statistics, and health checks.
   */
  double probeMessages() {
    double ofSwitches =
        2 * PORTS / Costs.PROBE_INTERVAL_SECONDS + 2 / Costs.STATISTICS_INTERVAL_SECONDS;
    return at.share()
        * (at.switches() * ofSwitches + 3 * at.members() / Costs.CHECK_INTERVAL_SECONDS);
  }

  /** The same with connections. */
  double messages() {
    double placed = isReactive() ? at.perSecond() : 0;
    return probeMessages() + at.share() * placed * Costs.MESSAGES_PER_CONNECTION;
  }

  private double catalogMegabytes() {
    return at.members() * Costs.CATALOG_BYTES / MEGA;
  }

  /** All resources, in the order of the page. */
  public List<Resource> resources() {
    double reactive = isReactive() ? 1 : 0;
    double proactive = 1 - reactive;
    return List.of(
        new Resource("rules, client edge", clientEdgeRules(), Costs.SWITCH_RULES),
        new Resource("rules, member edge", memberEdgeRules(), Costs.SWITCH_RULES),
        new Resource("rules, core switch", coreRules(), Costs.SWITCH_RULES),
        new Resource("label ids", labels(), Costs.LABELS),
        new Resource(
            "label ids of a controller",
            labels() * at.share(),
            Costs.LABELS / Costs.MAX_CONTROLLERS),
        new Resource(
            "new connections/s at an edge",
            reactive * at.perSecond() / at.clientEdges(),
            Costs.SWITCH_CONNECTIONS),
        new Resource("processors", processors(), at.cores()),
        new Resource("OpenFlow messages/s", messages(), at.cores() / Costs.MESSAGE_SECONDS),
        new Resource("without connections", probeMessages(), at.cores() / Costs.MESSAGE_SECONDS),
        new Resource(
            "agents' reports/s at an edge",
            at.members() / at.memberEdges() / Costs.REPORT_INTERVAL_SECONDS,
            Costs.MAX_REPORTS),
        new Resource("heap, MB", Costs.HEAP_FACTOR * liveMegabytes(), at.heapMegabytes()),
        new Resource("connections with rules (setting)", connectionsWithRules(), Costs.MAX_OPEN),
        new Resource("known hosts (setting)", at.nextHops() + at.members(), Costs.MAX_HOSTS),
        new Resource("VIP numbers", at.vips(), Costs.MAX_VIPS),
        new Resource("member numbers", at.members(), Costs.MAX_MEMBERS),
        new Resource(
            "next hops of a proactive VIP", proactive * at.nextHops(), Costs.MAX_NEXT_HOPS),
        new Resource("controllers' slots", at.controllers(), Costs.MAX_CONTROLLERS),
        new Resource("bytes/s to other controllers", peerBytes(), Costs.PEER_BYTES_PER_SECOND),
        new Resource("catalog in etcd, bytes", catalogMegabytes() * MEGA, Costs.ETCD_BYTES),
        new Resource(
            "catalog changes/s",
            Costs.CATALOG_CHANGES,
            1 / (Costs.ETCD_WRITE_SECONDS + Costs.ETCD_MEGABYTE_SECONDS * catalogMegabytes())),
        new Resource(
            "controller's key in etcd, bytes",
            at.switches() * Costs.NODE_KEY_BYTES,
            Costs.ETCD_BYTES),
        new Resource(
            "seconds to verify all rules",
            rulesToVerify() * Costs.VERIFIED_RULE_SECONDS,
            Costs.TAKE_OVER_SECONDS));
  }

  /** The resource of which the largest part is used. */
  public Resource first() {
    return resources().stream()
        .max(Comparator.comparingDouble(Resource::utilization))
        .orElseThrow();
  }
}
