package io.malob.balancer.proactive;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.balancer.api.ProactiveStats;
import io.malob.balancer.api.ProactiveStats.Problem;
import io.malob.balancer.proactive.ProactiveVips.Parts;
import io.malob.openflow.RefusedRule;
import io.malob.openflow.bucket.BucketKey;
import io.malob.openflow.bucket.BucketSource;
import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.label.Label;
import io.malob.state.catalog.PlacementMode;
import io.malob.state.catalog.Vip;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A VIP that is or may become proactive: its edges and its members' sides. For one thread. */
final class ProactiveVip {
  private static final Logger LOG = LoggerFactory.getLogger(ProactiveVip.class);

  /** How long an edge stays reactive after a switch has refused a rule. */
  private static final long RETRY_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** How long the proposals of new shares may take in one step. */
  private static final long PROPOSALS_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** The max number of rules for replies in one table: one per member there and client. */
  private static final int MAX_PAIRS = 20_000;

  private final Parts parts;
  private final BucketTraffic traffic;
  private final Map<DatapathId, EdgeBuckets> edges = new TreeMap<>();
  private final Map<DatapathId, RecoveredBuckets> recovered = new HashMap<>();
  private final ReplySide replySide;
  private final MemberEstimates estimates = new MemberEstimates();
  private final Moves moves = new Moves();
  private final AutoMode auto;
  private final EntryRules entryRules;
  private boolean isWanted;

  /** The switches that have refused a rule, and why. */
  private final Map<DatapathId, Refusal> refusals = new HashMap<>();

  private record Refusal(String why, boolean isOfFullTable, long atNanos) {}

  /** What was shown of edges. */
  private final Map<DatapathId, Shown> shown = new HashMap<>();

  /** An edge as it was shown, and what that depended on. */
  private record Shown(
      long version,
      Optional<Problem> problem,
      Map<Integer, String> memberIds,
      ProactiveStats.Edge edge) {}

  ProactiveVip(Parts parts, BucketTraffic traffic, long nowNanos) {
    this.parts = parts;
    this.traffic = traffic;
    this.replySide =
        new ReplySide(
            parts.labels(), parts.context().rules().hostRules(), parts.programmed(), MAX_PAIRS);
    this.entryRules = new EntryRules(traffic, parts.programmed());
    this.auto =
        new AutoMode(parts.thresholds(), parts.buckets().arrivals(traffic.vipNumber()), nowNanos);
  }

  BucketTraffic traffic() {
    return traffic;
  }

  /** The {@link AddressKey} of its address. */
  int addressKey() {
    return AddressKey.of(traffic.address());
  }

  MemberEstimates estimates() {
    return estimates;
  }

  Moves moves() {
    return moves;
  }

  Collection<EdgeBuckets> edges() {
    return edges.values();
  }

  /** Whether any switch has rules of its buckets. */
  boolean hasRules() {
    return edges.values().stream().anyMatch(EdgeBuckets::hasRules);
  }

  /** Whether there is nothing of the VIP on switches, and no connections to remember. */
  boolean isEnded() {
    return recovered.isEmpty()
        && edges.values().stream().noneMatch(edge -> edge.hasRules() || edge.isPublished());
  }

  boolean isWanted() {
    return isWanted;
  }

  /** Brings everything one step closer to what the VIP wants. */
  void advance(
      BucketInput now,
      ImmutableMap<MacAddress, Attachment> nextHops,
      Set<DatapathId> switchesWithHosts) {
    takeOverRecovered(now.nowNanos());
    isWanted = decide(now);
    refusals
        .entrySet()
        .removeIf(
            each ->
                now.nowNanos() - each.getValue().atNanos >= RETRY_NANOS
                    && !(each.getValue().isOfFullTable && isInUse(each.getKey())));
    Set<DatapathId> wantedEdges = new HashSet<>(switchesWithHosts);
    nextHops.values().forEach(at -> wantedEdges.add(at.switchId()));
    if (isWanted) {
      wantedEdges.forEach(each -> edgeAt(each, now.nowNanos()));
    }
    if (isWanted || hasRules()) {
      replySide.advance(now, nextHops, edges.keySet());
    } else {
      replySide.clear(traffic.vipNumber(), now.nowNanos());
    }
    double[] open = estimates.open(now.candidates(), server -> server.load().active());
    double[] lifetimes = estimates.lifetimes(now.candidates());
    ShareSource source = new ShareSource(now, open, lifetimes, edges.values());
    Function<EdgeBuckets, double[]> proposal = source::propose;
    boolean isCrowded = replySide.crowded().isPresent();
    Map<DatapathId, List<Server>> membersAt =
        now.located().stream().collect(Collectors.groupingBy(server -> server.at().switchId()));
    long end = parts.nanoTime().getAsLong() + PROPOSALS_NANOS;
    boolean isTurn = true;
    for (EdgeBuckets edge : longestWaitingFirst()) {
      @Nullable Function<EdgeBuckets, double[]> ofTurn =
          isTurn && edge.isDue(now) ? proposal : null;
      parts
          .programmed()
          .wire(edge.switchId())
          .ifPresent(
              wire -> {
                advance(edge, now, wire, ofTurn, isCrowded);
                enter(edge, now, wire, membersAt.getOrDefault(edge.switchId(), List.of()));
              });
      isTurn = parts.nanoTime().getAsLong() - end < 0;
    }
  }

  /** The edges by the times of their last proposals. */
  private List<EdgeBuckets> longestWaitingFirst() {
    return edges.values().stream()
        .sorted(Comparator.comparingLong(edge -> edge.shares().proposedAtNanos()))
        .toList();
  }

  private boolean decide(BucketInput now) {
    PlacementMode placement = now.plan().vip().placement();
    // the controller decides about new connections then; open ones leave their buckets
    if (parts.context().network().hasSeveralMasters().getAsBoolean()
        || now.hasMember(parts.context().network().isRouted())
        || now.view().catalog().isDown(now.plan().pool())
        || now.takesNothing()) {
      return false;
    }
    if (placement != PlacementMode.AUTO) {
      return placement == PlacementMode.PROACTIVE;
    }
    int number = traffic.vipNumber();
    return auto.decide(
        parts.buckets().arrivals(number),
        edges.values().stream().mapToDouble(edge -> edge.traffic().arrivalsPerSecond()).sum(),
        parts.context().clients().halfOpen().applyAsInt(number),
        now.nowNanos());
  }

  /**
   * Advances an edge.
   *
   * @param proposal the shares that the algorithm proposes for an edge; null if it is not its turn
   */
  private void advance(
      EdgeBuckets edge,
      BucketInput now,
      Wire wire,
      @Nullable Function<EdgeBuckets, double[]> proposal,
      boolean isCrowded) {
    // buckets that were found after a restart tell packets where they belong at once
    Optional<BucketSource> source =
        edge.key()
            .map(BucketKey::source)
            .or(() -> parts.sourceProbe().of(edge.switchId(), traffic.family()).source());
    boolean mayHave =
        isWanted
            && !isCrowded
            && refusalsAt(edge).values().stream()
                .allMatch(each -> each.isOfFullTable && edge.isConfirmed())
            && !entryRules.areTooMany(now.plan().vip(), wire.tables().isOne());
    if (mayHave && source.isPresent()) {
      edge.advance(
          now,
          wire,
          source.get(),
          proposal == null ? null : proposal.apply(edge),
          new EdgeReadiness(
              parts.programmed().hasRoom(),
              replySide.isReady(),
              Set.copyOf(refusalsAt(edge).keySet())));
    } else if (!mayHave) {
      edge.leave(now, wire, parts.programmed().hasRoom());
    }
  }

  /** Sends packets to the buckets of an edge, if it has some. */
  private void enter(EdgeBuckets edge, BucketInput now, Wire wire, List<Server> members) {
    if (edge.hasRules() || (wire.tables().isOne() && edge.state() == EdgeState.PREPARING)) {
      entryRules.set(
          wire,
          now.plan().vip().allowedSources(),
          members,
          Sets.filter(edge.sent().exits(), port -> mayHaveClients(edge.switchId(), port)),
          now.nowNanos());
    } else {
      entryRules.clear(edge.switchId(), now.nowNanos());
    }
  }

  /** Whether there may be clients behind a port that leads to other switches. */
  private boolean mayHaveClients(DatapathId switchId, OFPort port) {
    ProactiveContext context = parts.context();
    return context.network().coreAccess().isEdgePort(switchId, port)
        || context.rules().segments().contains(switchId, port);
  }

  private void takeOverRecovered(long nowNanos) {
    recovered
        .entrySet()
        .removeIf(
            each -> {
              if (!parts.programmed().isConnected(each.getKey())) {
                return false;
              }
              if (!each.getValue().isComplete()) {
                return true; // the next reconciliation removes what is not replaced by then
              }
              EdgeBuckets edge = edgeAt(each.getKey(), nowNanos);
              edge.recover(each.getValue(), nowNanos);
              auto.recovered(nowNanos);
              return true;
            });
  }

  private EdgeBuckets edgeAt(DatapathId switchId, long nowNanos) {
    return edges.computeIfAbsent(
        switchId,
        any ->
            new EdgeBuckets(
                any,
                parts.buckets(),
                parts.labels(),
                moves,
                () -> parts.context().clients().pinExposed().accept(traffic.vipNumber(), any),
                nowNanos));
  }

  /** The buckets of an edge that were found and are not taken over yet. */
  RecoveredBuckets recoveredAt(DatapathId switchId) {
    return recovered.computeIfAbsent(switchId, any -> new RecoveredBuckets());
  }

  /** Whether there are such. */
  boolean hasRecovered(DatapathId switchId) {
    return recovered.containsKey(switchId);
  }

  /** Whether rules of an earlier run that are not replaced yet use a label. */
  boolean usesFoundLabel(Label label) {
    return recovered.values().stream().anyMatch(each -> each.labels().contains(label))
        || edges.values().stream().anyMatch(each -> each.sent().usesFoundLabel(label));
  }

  /** The switches with members. */
  Set<DatapathId> memberEdges() {
    return replySide.edges();
  }

  /** The state of an edge for other modules; large, so that it is kept until it changes. */
  ProactiveStats.Edge shown(
      EdgeBuckets edge, Optional<Problem> problem, Map<Integer, String> memberIds) {
    @Nullable Shown before = shown.get(edge.switchId());
    if (before != null
        && before.version == edge.version()
        && before.problem.equals(problem)
        && before.memberIds.equals(memberIds)) {
      return before.edge;
    }
    ProactiveStats.Edge now = ShownVip.edge(edge, problem, memberIds);
    shown.put(edge.switchId(), new Shown(edge.version(), problem, memberIds, now));
    return now;
  }

  Optional<EdgeBuckets> edge(DatapathId switchId) {
    return Optional.ofNullable(edges.get(switchId));
  }

  /**
   * A switch has refused a rule of the VIP. If its table is full, an edge that has its buckets
   * keeps them: reactive placement would need more rules. The rest is sent again when the switch is
   * read.
   */
  void refused(DatapathId switchId, RefusedRule rule, long nowNanos) {
    Refusal refusal = new Refusal(rule.reason(), rule.isOfFullTable(), nowNanos);
    if (refusals.put(switchId, refusal) == null) {
      LOG.warn(
          "proactive_rule_refused vip={} switch={} why=\"{}\" - placement is reactive there for a"
              + " minute, unless the switch has buckets already and is full",
          traffic.vipNumber(),
          switchId,
          rule.reason());
    }
  }

  /** A switch was found to have all rules. */
  void hasAllRules(DatapathId switchId, long settledNanos) {
    @Nullable Refusal refusal = refusals.get(switchId);
    if (refusal != null && refusal.isOfFullTable && refusal.atNanos - settledNanos <= 0) {
      refusals.remove(switchId);
    }
  }

  /** Whether an edge with buckets depends on a switch. */
  private boolean isInUse(DatapathId switchId) {
    return edges.values().stream()
        .anyMatch(
            edge ->
                edge.hasRules()
                    && (edge.switchId().equals(switchId) || replySide.edges().contains(switchId)));
  }

  /** The refusals that concern an edge: of its own switch, and of those with members. */
  private Map<DatapathId, Refusal> refusalsAt(EdgeBuckets edge) {
    return Maps.filterKeys(
        refusals,
        switchId -> switchId.equals(edge.switchId()) || replySide.edges().contains(switchId));
  }

  /** Why placement is reactive at a switch because that or a member's has one table. */
  Optional<String> lacksTables(Vip vip, DatapathId switchId) {
    return entryRules.areTooMany(vip, parts.programmed().isOneTable(switchId))
        ? Optional.of(
            "to deny all other clients needs more than %d rules in the table of switch %s"
                .formatted(EntryRules.MAX_OTHERS, switchId))
        : replySide.crowded();
  }

  /** Why a switch has refused a rule a short time ago; empty if it has not. */
  Optional<String> refusal(DatapathId switchId) {
    @Nullable Refusal ofEdge = refusals.get(switchId);
    if (ofEdge != null) {
      return Optional.of(ofEdge.why);
    }
    return replySide.edges().stream()
        .map(refusals::get)
        .filter(each -> each != null)
        .map(each -> each.why)
        .findFirst();
  }

  /** Removes everything at once: the VIP is gone, or its traffic is another. */
  void remove(long nowNanos) {
    for (EdgeBuckets edge : edges.values()) {
      edge.remove(traffic.vipNumber(), parts.programmed().wire(edge.switchId()).orElse(null));
      entryRules.clear(edge.switchId(), nowNanos);
      parts.buckets().forget(traffic.vipNumber(), edge.switchId());
    }
    replySide.clear(traffic.vipNumber(), nowNanos);
  }
}
