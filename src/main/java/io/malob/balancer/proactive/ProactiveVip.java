package io.malob.balancer.proactive;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Sets;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.balancer.api.ProactiveStats;
import io.malob.balancer.api.ProactiveStats.Problem;
import io.malob.balancer.proactive.ProactiveVips.Parts;
import io.malob.openflow.bucket.BucketKey;
import io.malob.openflow.bucket.BucketSource;
import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.bucket.TrackedFlush;
import io.malob.openflow.bucket.TrackedMember;
import io.malob.openflow.label.Label;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.PlacementMode;
import io.malob.state.catalog.Vip;
import java.util.ArrayList;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** A VIP that is or may become proactive: its edges and its members' sides. For one thread. */
final class ProactiveVip {
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

  private final VipSources sources;

  /** Those of a tracked VIP. */
  private final RemovedMembers removed = new RemovedMembers();

  private final FullTables fullTables;

  private boolean isWanted;

  /** Those that were located last. */
  private ImmutableList<Server> located = ImmutableList.of();

  /** Whether the controller chooses the member of each connection that switches track. */
  private boolean isExact;

  /** Whether buckets may open connections of any client. */
  private boolean isForAll;

  private final Openings openings = new Openings();

  /** What was found about a catalog. */
  private Checked checked = new Checked(null, null);

  private record Checked(@Nullable CatalogSnapshot catalog, @Nullable String obstacle) {}

  private final EdgeGroups groups = new EdgeGroups();
  private final EdgeRefusals refusals;

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
    this.refusals = new EdgeRefusals(traffic.vipNumber());
    this.fullTables = new FullTables(traffic.address());
    this.sources = new VipSources(traffic, parts.sources());
    this.replySide =
        new ReplySide(
            parts.labels(),
            parts.context().rules().hostRules(),
            parts.programmed(),
            parts.buckets().replyOrdinals(),
            MAX_PAIRS);
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

  /** Switches that cannot track its connections any more. */
  FullTables fullTables() {
    return fullTables;
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
    return hasNoRules() && edges.values().stream().noneMatch(EdgeBuckets::isPublished);
  }

  /** Whether there is nothing of the VIP on switches. */
  boolean hasNoRules() {
    return recovered.isEmpty() && !hasRules();
  }

  boolean isWanted() {
    return isWanted;
  }

  /** Whether the controller chooses the member of each connection that switches track. */
  boolean isExact() {
    return isExact;
  }

  /** The estimated connections of a member. */
  int open(int memberNumber) {
    return isExact ? estimates.openNow(memberNumber) : estimates.open(memberNumber);
  }

  /** Whether it is about to have an edge at a switch for the first time. */
  boolean lacksEdge(Collection<Attachment> nextHops) {
    return isWanted && nextHops.stream().anyMatch(at -> !edges.containsKey(at.switchId()));
  }

  /**
   * Brings everything one step closer to what the VIP wants.
   *
   * @param isOfItsKind whether switches are to track connections if this VIP's do, and not
   *     otherwise
   */
  void advance(
      BucketInput now,
      boolean isOfItsKind,
      ImmutableMap<MacAddress, Attachment> nextHops,
      Set<DatapathId> switchesWithHosts) {
    located = now.located();
    takeOverRecovered(now.nowNanos());
    isWanted = decide(now, isOfItsKind);
    if (traffic.isTracked()) {
      removed.follow(now, edges.keySet().stream().allMatch(parts.flushes()::canFlush));
      isExact = isWanted && (needsController(now) || !isBusy(now));
      isForAll = isWanted && !needsController(now) && now.plan().vip().allowedSources() == null;
    }
    refusals.expire(this::isInUse, now.nowNanos());
    Set<DatapathId> wantedEdges = new HashSet<>(switchesWithHosts);
    nextHops.values().forEach(at -> wantedEdges.add(at.switchId()));
    if (traffic.translatesSource()) { // members may be clients
      located.forEach(member -> wantedEdges.add(member.at().switchId()));
    }
    if (isWanted) {
      wantedEdges.forEach(each -> edgeAt(each, now.nowNanos()));
    }
    if (isWanted || hasRules()) {
      replySide.advance(now, nextHops, edges.keySet(), sources.of(edges.keySet(), located));
    } else {
      replySide.clear(traffic.vipNumber(), now.nowNanos());
    }
    advanceEdges(now);
  }

  private void advanceEdges(BucketInput now) {
    double[] open = estimates.open(now.candidates(), server -> server.load().active());
    double[] lifetimes = estimates.lifetimes(now.candidates());
    ShareSource shares = new ShareSource(now, open, lifetimes, edges.values());
    Map<DatapathId, List<Server>> membersAt =
        now.located().stream().collect(Collectors.groupingBy(server -> server.at().switchId()));
    long end = parts.nanoTime().getAsLong() + PROPOSALS_NANOS;
    boolean isTurn = true;
    List<Runnable> followers = new ArrayList<>();
    boolean isCrowded = replySide.crowded().isPresent();
    for (EdgeBuckets edge : longestWaitingFirst()) {
      Optional<Wire> found = parts.programmed().wire(edge.switchId());
      if (found.isEmpty()) {
        continue;
      }
      Wire wire = found.get();
      boolean mayHave = !isCrowded && mayHaveBuckets(edge, now, wire);
      Optional<BucketSource> source = mayHave ? sourceOf(edge) : Optional.empty();
      double @Nullable [] proposed =
          isTurn && source.isPresent() && edge.isDue(now) ? shares.propose(edge) : null;
      Runnable step =
          () -> {
            edge.setExact(isExact);
            if (source.isPresent()) {
              edge.advance(now, wire, source.get(), proposed, readiness(edge));
            } else if (!mayHave) {
              edge.leave(now, wire, parts.programmed().hasRoom());
            }
            enter(edge, now, wire, membersAt.getOrDefault(edge.switchId(), List.of()));
          };
      if (source.isPresent() && follows(edge, source.get(), now.nowNanos())) {
        followers.add(step); // after the edge that decides
      } else {
        step.run();
      }
      isTurn = parts.nanoTime().getAsLong() - end < 0;
    }
    followers.forEach(Runnable::run);
  }

  /** Finds out which edge decides about the buckets of an edge; whether it is another one. */
  private boolean follows(EdgeBuckets edge, BucketSource source, long nowNanos) {
    Set<DatapathId> group = groups.of(edge.switchId());
    if (group.isEmpty()) {
      return false;
    }
    @Nullable EdgeBuckets decider =
        groups.deciderOf(edge.switchId(), edges, source, this::mayDecide).orElse(null);
    boolean follows = decider != null && decider != edge;
    List<EdgeBuckets> followers =
        decider != edge
            ? List.of()
            : group.stream()
                .flatMap(each -> edge(each).stream())
                .filter(each -> each != edge && mayDecide(each) && each.hasBucketsBy(source))
                .toList();
    edge.setDecider(follows ? decider : null, followers, nowNanos);
    return follows;
  }

  /** Whether an edge has buckets, so that others can have the same. */
  private boolean mayDecide(EdgeBuckets edge) {
    return edge.state() == EdgeState.PROACTIVE && parts.programmed().isConnected(edge.switchId());
  }

  /** The edges by the times of their last proposals. */
  private List<EdgeBuckets> longestWaitingFirst() {
    return edges.values().stream()
        .sorted(Comparator.comparingLong(edge -> edge.shares().proposedAtNanos()))
        .toList();
  }

  private boolean decide(BucketInput now, boolean isOfItsKind) {
    PlacementMode placement = now.plan().vip().placement();
    // the controller decides about new connections then; open ones leave their buckets
    if (placement == PlacementMode.REACTIVE
        || !isOfItsKind
        || obstacle(now) != null
        || parts.context().network().hasSeveralMasters().getAsBoolean()
        || (!traffic.translatesSource() && now.hasMember(parts.context().network().isRouted()))
        || now.view().catalog().isDown(now.plan().pool())
        || now.takesNothing()) {
      return false;
    }
    return traffic.isTracked()
        || placement == PlacementMode.PROACTIVE
        || (isBusy(now) && !needsController(now));
  }

  /** What keeps the VIP from rules in advance; null if nothing does. */
  private @Nullable String obstacle(BucketInput now) {
    CatalogSnapshot catalog = now.view().catalog();
    if (!catalog.equals(checked.catalog)) {
      checked =
          new Checked(
              catalog, catalog.obstacleToRulesInAdvance(now.plan().vip(), now.plan().pool()));
    }
    return checked.obstacle;
  }

  /** Whether it has so many new connections that the controller is not to choose each. */
  private boolean isBusy(BucketInput now) {
    int number = traffic.vipNumber();
    return auto.decide(
        parts.buckets().arrivals(number),
        edges.values().stream().mapToDouble(edge -> edge.traffic().arrivalsPerSecond()).sum(),
        parts.context().clients().halfOpen().applyAsInt(number),
        now.plan().vip().autoPerSecond(),
        now.nowNanos());
  }

  /** Whether buckets cannot do what the VIP asks for. */
  private static boolean needsController(BucketInput now) {
    return now.plan().vip().connectionLimit() != null
        || now.plan().pool().persistence() != null
        || now.hasLimits();
  }

  /** How an edge sorts packets into buckets; empty if it cannot, or its switch has not answered. */
  private Optional<BucketSource> sourceOf(EdgeBuckets edge) {
    // buckets that were found after a restart tell packets where they belong at once
    return edge.key()
        .map(BucketKey::source)
        .or(() -> parts.sourceProbe().of(edge.switchId(), traffic.family()).source());
  }

  private boolean mayHaveBuckets(EdgeBuckets edge, BucketInput now, Wire wire) {
    return isWanted
        && lacksTracking(edge.switchId()).isEmpty()
        && !sharesNextHops(edge, now)
        && lacksSource(edge.switchId()).isEmpty()
        && refusalsAt(edge).stream()
            .allMatch(each -> refusals.isOfFullTable(each) && edge.isConfirmed())
        && !entryRules.areTooMany(now.plan().vip(), wire.tables().isOne());
  }

  /**
   * Whether packets of the edge's connections may come in at another edge, which does not know
   * them. Operators who ask for tracked placement know their routers.
   */
  private boolean sharesNextHops(EdgeBuckets edge, BucketInput now) {
    return traffic.isTracked()
        && now.plan().vip().placement() == PlacementMode.AUTO
        && !groups.of(edge.switchId()).isEmpty();
  }

  private EdgeReadiness readiness(EdgeBuckets edge) {
    return new EdgeReadiness(parts.programmed().hasRoom(), replySide.isReady(), refusalsAt(edge));
  }

  /** Sends packets to the buckets of an edge, if it has some. */
  private void enter(EdgeBuckets edge, BucketInput now, Wire wire, List<Server> members) {
    if (edge.hasRules() || (wire.tables().isOne() && edge.state() == EdgeState.PREPARING)) {
      List<TrackedMember> tracked = tracked(edge, now);
      entryRules.set(
          wire,
          now.plan().vip().allowedSources(),
          members,
          Sets.filter(edge.sent().exits(), port -> mayHaveClients(edge.switchId(), port)),
          tracked,
          now.nowNanos());
      flush(edge, tracked, now);
    } else {
      clearEntry(edge.switchId(), now.nowNanos());
    }
    if (traffic.isTracked()) {
      openings.keep(wire, traffic, isExact && edge.isConfirmed(), now.nowNanos());
    }
  }

  private void clearEntry(DatapathId switchId, long nowNanos) {
    boolean hadRules = entryRules.clear(switchId, nowNanos);
    if (hadRules && traffic.isTracked() && !hasRules()) {
      parts.flushes().forget(edges.keySet(), traffic, nowNanos);
    }
  }

  /**
   * Has an edge forget connections to lost members. Those of TCP to a member that is only down stay
   * until it is back, or their client's next packet has them reset.
   */
  private void flush(EdgeBuckets edge, List<TrackedMember> tracked, BucketInput now) {
    Set<TrackedFlush> lost =
        tracked.stream()
            .filter(each -> each.next() == null)
            .filter(each -> !traffic.isTcp() || removed.all().contains(each.member()))
            .map(each -> TrackedFlush.of(traffic, each.member()))
            .collect(Collectors.toSet());
    parts.flushes().want(edge.switchId(), traffic, lost, now.nowNanos());
  }

  /** The members that an edge may remember for connections, also those that have been removed. */
  private List<TrackedMember> tracked(EdgeBuckets edge, BucketInput now) {
    return traffic.isTracked()
        ? Stream.concat(
                edge.tracked(now).stream().map(member -> sources.seen(edge.switchId(), member)),
                removed.all().stream().map(member -> new TrackedMember(member, null)))
            .toList()
        : List.of();
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
                traffic.isTracked(),
                () -> pinExposed(any),
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

  /** The members that have rules. */
  List<Server> members() {
    return replySide.members();
  }

  /**
   * The members of that many buckets of an edge; empty if the controller must see each client that
   * opens connections, or there may be clients where paths to members begin.
   */
  List<Server> openers(EdgeBuckets edge, int count) {
    return isForAll
            && edge.state() == EdgeState.PROACTIVE
            && edge.sent().exits().stream().noneMatch(port -> mayHaveClients(edge.switchId(), port))
        ? edge.sample(count)
        : List.of();
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

  EdgeRefusals refusals() {
    return refusals;
  }

  /** These sets of switches have the same clients. */
  void join(Set<Set<DatapathId>> shared) {
    if (groups.join(shared)) {
      parts.buckets().share(traffic.vipNumber(), groups.all());
      parts.context().clients().watchElsewhere().accept(traffic.vipNumber());
    }
  }

  private void pinExposed(DatapathId switchId) {
    parts.context().clients().pinExposed().accept(traffic.vipNumber(), switchId);
    if (!groups.of(switchId).isEmpty()) {
      parts.context().clients().watchElsewhere().accept(traffic.vipNumber());
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

  /** The switches whose refusals concern an edge: its own, and those with members. */
  private Set<DatapathId> refusalsAt(EdgeBuckets edge) {
    return refusals.among(each -> each.equals(edge.switchId()) || replySide.edges().contains(each));
  }

  /** Why placement is reactive at a switch because that or a member's cannot track connections. */
  Optional<String> lacksTracking(DatapathId switchId) {
    if (!traffic.isTracked()) {
      return Optional.empty();
    }
    Programmed programmed = parts.programmed();
    return Stream.concat(
            Stream.of(switchId).filter(each -> !programmed.tracks(each)),
            replySide.edges().stream().filter(programmed::lacksTracking))
        .findFirst()
        .map("switch %s does not track connections"::formatted);
  }

  /** Why placement is reactive at a switch because members could not see an address of it. */
  Optional<String> lacksSource(DatapathId switchId) {
    return sources.lacking(switchId, located);
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
    return refusals.why(Stream.concat(Stream.of(switchId), replySide.edges().stream()));
  }

  /** Removes everything at once: the VIP is gone, or its traffic is another. */
  void remove(long nowNanos) {
    parts.buckets().share(traffic.vipNumber(), ImmutableMap.of());
    if (traffic.isTracked() && hasRules()) {
      parts.flushes().forget(edges.keySet(), traffic, nowNanos);
    }
    for (EdgeBuckets edge : edges.values()) {
      edge.remove(traffic.vipNumber(), parts.programmed().wire(edge.switchId()).orElse(null));
      boolean unusedAsAllAreForgotten = entryRules.clear(edge.switchId(), nowNanos);
      parts.buckets().forget(traffic.vipNumber(), edge.switchId());
    }
    replySide.clear(traffic.vipNumber(), nowNanos);
  }
}
