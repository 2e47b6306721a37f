package io.malob.balancer.proactive;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Maps;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Server;
import io.malob.balancer.api.ProactiveStats;
import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.proactive.ProactiveContext.Network;
import io.malob.balancer.recovery.FoundProactiveRules;
import io.malob.balancer.view.BalancerView;
import io.malob.capability.FeatureProbes.Answer;
import io.malob.capability.SwitchFeature;
import io.malob.openflow.Cookie;
import io.malob.openflow.FoundRules;
import io.malob.openflow.RefusedRule;
import io.malob.openflow.RuleKey;
import io.malob.openflow.RuleSender;
import io.malob.openflow.bucket.BucketCookie;
import io.malob.openflow.bucket.BucketRules;
import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.bucket.OpeningRule;
import io.malob.openflow.label.Label;
import io.malob.openflow.label.LabelTable;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.PlacementMode;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IpProtocol;

/**
 * All VIPs whose placement is or may become proactive. Each tick compares what the catalog, the
 * network and the measurements ask for with what switches have, and sends the difference. For one
 * thread at a time, that of the serial executor, except {@link #stats}.
 */
public final class ProactiveVips implements FoundProactiveRules {
  /** How often it is to be called. */
  public static final long TICK_MILLIS = 250;

  private static final long POLL_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long rules of an earlier run stay that nothing wants. */
  private static final long ORPHAN_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Parts parts;
  private final Supplier<BalancerView> views;
  private final IOFSwitchService switches;
  private final NextHopPlaces nextHops;
  private final CounterPoll counterPoll;
  private final Corrections corrections;
  private final ArpAnswers arpAnswers;
  private final TrackedErrors trackedErrors;
  private final SourceNat sourceNat;
  private final TrackedFragments trackedFragments;
  private final Executor serialExecutor;
  private final LongSupplier nanoTime;
  private final Map<Integer, ProactiveVip> vips = new TreeMap<>();
  private final Map<DatapathId, Reading> readings = new HashMap<>();
  private final Map<DatapathId, Long> orphansSince = new HashMap<>();
  private long polledAtNanos;
  private volatile boolean isBusy;

  /** What switches have said about the tracking of connections, as of the last step. */
  private Set<Answer> answers = Set.of();

  /** The states of edges when {@link #stats} was made: a change shows at once. */
  private List<EdgeState> shownStates = List.of();

  private volatile ImmutableList<ProactiveStats> stats = ImmutableList.of();

  /**
   * What VIPs share.
   *
   * @param programmed the rules on switches
   * @param flushes the connections that switches are to forget
   * @param sourceProbe what switches can read
   * @param sources what members see instead of clients
   * @param thresholds when automatic VIPs change
   * @param nanoTime the controller's monotonic clock
   */
  record Parts(
      ProactiveContext context,
      Programmed programmed,
      ConnectionFlushes flushes,
      SourceProbe sourceProbe,
      SourceAddresses sources,
      AutoMode.Thresholds thresholds,
      LongSupplier nanoTime) {
    Buckets buckets() {
      return context.clients().buckets();
    }

    LabelTable labels() {
      return context.rules().labels();
    }
  }

  /** Exchanges connection counts with the view. */
  public interface Corrections {
    /** The connections that a member's agent has reported; empty if it has not. */
    OptionalInt reported(Member member);

    /** Takes over the estimated connections of members by number. */
    void estimated(Map<Integer, Integer> open);

    /** Takes over the estimated connections of a VIP, by its number. */
    void estimatedAtVip(int vipNumber, int open);

    /** Takes over how many more connections buckets have placed on a member, by its number. */
    void placed(int memberNumber, long connections);
  }

  /** What a reading has found so far. */
  private static final class Reading {
    final Set<RuleKey> rules = new HashSet<>();
    final Map<Integer, Set<Integer>> buckets = new HashMap<>();
  }

  /** No VIPs. */
  public ProactiveVips(
      ProactiveSettings settings,
      Supplier<BalancerView> views,
      ProactiveContext context,
      Corrections corrections,
      Executor serialExecutor,
      LongSupplier nanoTime) {
    Network network = context.network();
    RuleSender ruleSender = context.rules().ruleSender();
    Programmed programmed =
        new Programmed(
            ruleSender,
            context.rules().pacer(),
            serialExecutor,
            network.isRead(),
            network.features());
    this.parts =
        new Parts(
            context,
            programmed,
            new ConnectionFlushes(programmed, network.features(), ruleSender, serialExecutor),
            new SourceProbe(network.features(), ruleSender, settings.preferred()),
            new SourceAddresses(
                network.sourceAddresses(), network.nextHop(), network.trackedZone(), programmed),
            new AutoMode.Thresholds(
                settings.autoPerSecond(), settings.autoHalfOpen(), settings.autoCalm()),
            nanoTime);
    this.views = views;
    this.switches = network.switches();
    this.nextHops =
        new NextHopPlaces(
            network.devices(),
            network.coreAccess(),
            context.clients().nextHops(),
            network.selfAddresses(),
            network.selfAddresses().and(network.sourceAddresses()),
            network.routers());
    this.counterPoll = new CounterPoll(programmed, switches, serialExecutor, nanoTime);
    this.arpAnswers = new ArpAnswers(programmed);
    this.trackedErrors = new TrackedErrors(programmed);
    this.sourceNat =
        new SourceNat(
            parts.sources(),
            new SourcePaths(parts.labels(), programmed, context.clients().nextHops()));
    this.trackedFragments = new TrackedFragments(programmed);
    this.corrections = corrections;
    this.serialExecutor = serialExecutor;
    this.nanoTime = nanoTime;
  }

  /** The traffic of a VIP that may be proactive. */
  private BucketTraffic trafficOf(BalancerView view, Vip vip, boolean isTracked) {
    @Nullable Protocol protocol = vip.protocol();
    @Nullable Integer port = vip.port();
    if (protocol == null || port == null) {
      throw new IllegalArgumentException("VIP " + vip.id() + " cannot be proactive");
    }
    return new BucketTraffic(
        vip.number(),
        vip.address(),
        vip.vlan(),
        IpProtocol.of((short) protocol.ipNumber()),
        port,
        isTracked ? parts.context().network().trackedZone() : 0,
        isTracked && hasSourceNat(view, vip));
  }

  private static boolean hasSourceNat(BalancerView view, Vip vip) {
    return view.catalog().poolOfVip(vip.id()).filter(Pool::sourceNat).isPresent();
  }

  /**
   * Whether switches are to track the connections of a VIP.
   *
   * @param isNow what applies as long as no switch has answered
   */
  private boolean isToBeTracked(Vip vip, boolean isNow) {
    return vip.placement() == PlacementMode.AUTO
        ? answers.contains(Answer.ACCEPTED) || (isNow && !answers.contains(Answer.REFUSED))
        : vip.placement() == PlacementMode.TRACKED;
  }

  private Set<Answer> answers() {
    return switches.getAllSwitchDpids().stream()
        .map(
            each ->
                parts.context().network().features().known(each, SwitchFeature.CONNECTION_TRACKING))
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Answer.class)));
  }

  /** Whether there is anything to do. Thread-safe. */
  public boolean isNeeded() {
    return isBusy || views.get().catalog().hasProactiveVips();
  }

  /** Brings everything one step closer to what the catalog wants. */
  public void tick() {
    BalancerView view = views.get();
    long now = nanoTime.getAsLong();
    follow(view, now);
    isBusy = !vips.isEmpty() || !orphansSince.isEmpty() || parts.flushes().hasEnded();
    nextHops.update();
    if (vips.isEmpty()) {
      stats = ImmutableList.of();
      sourceNat.advance(vips.values(), nextHops, view.network(), now);
      answerArp(Set.of(), now);
      trackedErrors.advance(List.of(), now);
      trackedFragments.advance(List.of(), view.catalog(), now);
      removeOrphans(now);
      parts.programmed().flush();
      parts.flushes().send(now);
      return;
    }
    boolean isPoll = now - polledAtNanos >= POLL_NANOS;
    // before an edge gets buckets, it is known whether others have its clients
    boolean isNewEdge =
        vips.values().stream().anyMatch(vip -> vip.lacksEdge(nextHops.of(vip.traffic()).values()));
    if (isPoll || isNewEdge || !nextHops.hasHosts()) {
      nextHops.locateHosts();
    }
    Set<Integer> addresses = new HashSet<>();
    for (ProactiveVip vip : vips.values()) {
      input(view, vip, now)
          .ifPresent(
              input -> {
                vip.join(nextHops.shared(vip.traffic()));
                vip.advance(
                    input,
                    isOfItsKind(input.plan().vip(), vip),
                    nextHops.of(vip.traffic()),
                    nextHops.switchesOf(input));
              });
      if (vip.hasRules()) {
        addresses.add(vip.addressKey());
      }
    }
    sourceNat.advance(vips.values(), nextHops, view.network(), now);
    answerArp(addresses, now);
    trackedErrors.advance(vips.values(), now);
    trackedFragments.advance(vips.values(), view.catalog(), now);
    removeOrphans(now);
    parts.programmed().flush();
    parts.flushes().send(now);
    if (isPoll) {
      polledAtNanos = now;
      estimate(view);
      counterPoll.poll(vips.values(), now / POLL_NANOS);
    }
    List<EdgeState> states =
        vips.values().stream()
            .flatMap(vip -> vip.edges().stream())
            .map(EdgeBuckets::state)
            .toList();
    if (isPoll || !states.equals(shownStates)) {
      shownStates = states;
      stats = shown(view, now);
    }
  }

  /** Follows the catalog: which VIPs may be proactive, and their traffic. */
  private void follow(BalancerView view, long now) {
    answers = answers();
    removeEnded(view, now);
    for (Vip vip : view.catalog().vips().values()) {
      if (vip.mayBeProactive() && hasPool(view, vip)) {
        vips.computeIfAbsent(
            vip.number(),
            any -> new ProactiveVip(parts, trafficOf(view, vip, isToBeTracked(vip, false)), now));
      }
    }
    Set<Integer> addresses =
        vips.values().stream().map(ProactiveVip::addressKey).collect(Collectors.toSet());
    nextHops.retain(addresses);
  }

  /**
   * Removes the buckets of VIPs that have ended or have other traffic now. Until then, they would
   * place connections of the VIP that takes their place.
   */
  public void removeEnded() {
    long now = nanoTime.getAsLong();
    removeEnded(views.get(), now);
    parts.programmed().flush();
    parts.flushes().send(now);
  }

  private void removeEnded(BalancerView view, long now) {
    vips.values()
        .removeIf(
            vip -> {
              boolean isEnded = !isInCatalog(view, vip);
              if (isEnded) {
                corrections.estimatedAtVip(vip.traffic().vipNumber(), 0);
                vip.remove(now);
              }
              return isEnded;
            });
  }

  /**
   * Whether a VIP is as it was followed, and may be proactive or still has buckets, or connections
   * that they have placed.
   */
  private boolean isInCatalog(BalancerView view, ProactiveVip vip) {
    return find(view, vip.traffic())
        .filter(each -> hasPool(view, each) && !isToEnd(each, vip))
        .isPresent();
  }

  /** Whether nothing keeps the buckets of a VIP that has another placement now. */
  private boolean isToEnd(Vip now, ProactiveVip vip) {
    if (!now.mayBeProactive()) {
      return vip.isEnded();
    }
    return !isOfItsKind(now, vip) && vip.hasNoRules();
  }

  /** Whether the switches of a VIP track its connections if they are to. */
  private boolean isOfItsKind(Vip now, ProactiveVip vip) {
    boolean isTracked = vip.traffic().isTracked();
    return isTracked == isToBeTracked(now, isTracked);
  }

  /** The VIP with that traffic and number. */
  private static Optional<Vip> find(BalancerView view, BucketTraffic traffic) {
    return view.catalog()
        .vipFor(AddressKey.of(traffic.address()), protocolOf(traffic), traffic.port())
        .filter(each -> each.number() == traffic.vipNumber())
        .filter(each -> each.protocol() != null && each.port() != null)
        .filter(each -> each.vlan() == traffic.vlan())
        .filter(
            each -> !traffic.isTracked() || hasSourceNat(view, each) == traffic.translatesSource());
  }

  private static Protocol protocolOf(BucketTraffic traffic) {
    return traffic.isTcp() ? Protocol.TCP : Protocol.UDP;
  }

  private static boolean hasPool(BalancerView view, Vip vip) {
    @Nullable Protocol protocol = vip.protocol();
    @Nullable Integer port = vip.port();
    return protocol != null && port != null && view.plan(vip, protocol, port) != null;
  }

  /** What the buckets of a VIP depend on; empty if it has no pool or other traffic. */
  private static Optional<BucketInput> input(BalancerView view, ProactiveVip vip, long now) {
    BucketTraffic traffic = vip.traffic();
    return find(view, traffic)
        .map(each -> view.plan(each, protocolOf(traffic), traffic.port()))
        .map(plan -> BucketInput.of(view, plan, traffic, now));
  }

  /**
   * Lets switches answer those that ask for VIP addresses that have buckets, or for the balancer.
   */
  private void answerArp(Set<Integer> addresses, long now) {
    arpAnswers.advance(
        addresses.isEmpty() ? Map.of() : Maps.toMap(nextHops.asked(addresses), nextHops::askers),
        switches.getAllSwitchDpids().stream()
            .filter(parts.programmed()::isConnected)
            .collect(Collectors.toSet()),
        now);
  }

  private void removeOrphans(long now) {
    orphansSince
        .entrySet()
        .removeIf(
            each -> {
              boolean hasTimedOut = now - each.getValue() >= ORPHAN_NANOS;
              if (hasTimedOut) {
                parts
                    .programmed()
                    .wire(each.getKey())
                    .ifPresent(wire -> wire.sw().removeOrphans(wire.factory()));
              }
              return hasTimedOut;
            });
  }

  /** Corrects the estimates by reports, and gives them to the view. */
  private void estimate(BalancerView view) {
    Map<Integer, Integer> open = new HashMap<>();
    long now = nanoTime.getAsLong();
    for (ProactiveVip vip : vips.values()) {
      vip.estimates().polled(now);
      input(view, vip, now)
          .ifPresent(
              input -> {
                List<Member> members = view.catalog().membersOfPool(input.plan().pool().id());
                vip.estimates()
                    .retain(members.stream().map(Member::number).collect(Collectors.toSet()));
                boolean isPlacing = vip.hasRules();
                corrections.estimatedAtVip(
                    vip.traffic().vipNumber(),
                    isPlacing
                        ? members.stream().mapToInt(each -> vip.open(each.number())).sum()
                        : 0);
                for (Member member : members) {
                  @Nullable Server server = view.servers().get(member.number());
                  vip.estimates()
                      .subtractKnown(member.number(), parts.buckets().takeKnown(member.number()));
                  if (isPlacing && server != null) {
                    vip.estimates()
                        .correct(
                            member.number(), corrections.reported(member), server.load().active());
                  }
                  open.put(member.number(), isPlacing ? vip.open(member.number()) : 0);
                  corrections.placed(member.number(), vip.estimates().takeOpened(member.number()));
                }
              });
    }
    corrections.estimated(open);
  }

  @Override
  public void begin(DatapathId switchId) {
    readings.put(switchId, new Reading());
  }

  @Override
  public boolean found(DatapathId switchId, OFFlowStatsEntry rule, boolean mayBeNew) {
    Reading reading = readings.computeIfAbsent(switchId, any -> new Reading());
    Optional<BucketCookie> bucket = BucketCookie.of(rule.getCookie());
    if (bucket.isEmpty()) {
      if (OpeningRule.is(rule.getCookie())) {
        return true; // it ends by itself
      }
      if (mayBeNew) {
        orphansSince.putIfAbsent(switchId, nanoTime.getAsLong());
        isBusy = true;
        nextHops.learn(switchId, rule);
        parts.sources().learn(switchId, rule);
      }
      return parts.programmed().at(switchId).found(rule, mayBeNew, reading.rules);
    }
    @Nullable ProactiveVip vip = vipOf(bucket.get().vipNumber(), FoundRules.onlyTracks(rule));
    if (vip == null || !BucketRules.isOf(rule.getMatch(), vip.traffic())) {
      return false;
    }
    Optional<Label> label = FoundRules.labelOf(rule);
    Optional<EdgeBuckets> edge = vip.edge(switchId).filter(EdgeBuckets::hasRules);
    if (edge.isPresent()) {
      // the rules of earlier versions match any VLAN: others are in their place
      return BucketRules.isInVlanOf(rule.getMatch(), vip.traffic())
          && edge.get()
              .found(
                  bucket.get(),
                  label,
                  FoundRules.outOf(rule),
                  reading.buckets.computeIfAbsent(
                      bucket.get().vipNumber(), any -> new HashSet<>()));
    }
    if (mayBeNew) {
      vip.recoveredAt(switchId).add(bucket.get(), label);
    }
    return mayBeNew;
  }

  /**
   * A VIP of the catalog; it may not have been followed yet, or be reactive by now, so that its
   * connections have to leave their buckets.
   */
  private @Nullable ProactiveVip vipOf(int number, boolean isTracked) {
    @Nullable ProactiveVip known = vips.get(number);
    if (known == null || (known.traffic().isTracked() != isTracked && known.hasNoRules())) {
      BalancerView view = views.get();
      long now = nanoTime.getAsLong();
      view.catalog().vips().values().stream()
          .filter(vip -> vip.number() == number && hasPool(view, vip))
          .forEach(
              vip -> {
                BucketTraffic traffic = trafficOf(view, vip, isToBeTracked(vip, isTracked));
                vips.put(number, new ProactiveVip(parts, traffic, now));
              });
      isBusy = true;
    }
    return vips.get(number);
  }

  @Override
  public void complete(DatapathId switchId, long settledNanos) {
    @Nullable Reading reading = readings.remove(switchId);
    if (reading == null) {
      return;
    }
    long now = nanoTime.getAsLong();
    boolean hasRules =
        parts
            .programmed()
            .at(switchId)
            .complete(reading.rules, settledNanos, parts.programmed().layout(switchId), now);
    if (vips.values().stream().anyMatch(vip -> vip.hasRecovered(switchId))) {
      serialExecutor.execute(this::tick); // packets of buckets that move must not wait
    }
    for (Map.Entry<Integer, ProactiveVip> each : vips.entrySet()) {
      Set<Integer> found = reading.buckets.getOrDefault(each.getKey(), Set.of());
      boolean hasBuckets =
          each.getValue()
              .edge(switchId)
              .filter(EdgeBuckets::hasRules)
              .map(edge -> edge.complete(found, settledNanos))
              .orElse(true);
      if (hasRules && hasBuckets) {
        each.getValue().refusals().hasAllRules(switchId, settledNanos);
      }
    }
  }

  /** A switch has lost all rules. */
  public void reset(DatapathId switchId) {
    begin(switchId);
    parts
        .programmed()
        .at(switchId)
        .reset(parts.programmed().layout(switchId), nanoTime.getAsLong());
    complete(switchId, nanoTime.getAsLong());
  }

  /** A switch has disconnected or is no longer controlled. */
  public void disconnected(DatapathId switchId) {
    parts.programmed().at(switchId).disconnected();
    vips.values().forEach(vip -> vip.edge(switchId).ifPresent(edge -> edge.sent().disconnected()));
  }

  /** A switch has refused a rule of a proactive VIP. */
  public void refused(DatapathId switchId, RefusedRule rule) {
    @Nullable ProactiveVip vip = vips.get(Cookie.vipNumber(rule.cookie()));
    if (vip != null) {
      vip.refusals().refused(switchId, rule, nanoTime.getAsLong());
    }
  }

  /** Whether rules that were found on switches, and are not replaced yet, use a label. */
  public boolean usesFoundLabel(Label label) {
    return parts.programmed().usesFoundLabel(label)
        || vips.values().stream().anyMatch(vip -> vip.usesFoundLabel(label));
  }

  /** The state of all VIPs, as of the last second. Thread-safe. */
  public ImmutableList<ProactiveStats> stats() {
    return stats;
  }

  private ImmutableList<ProactiveStats> shown(BalancerView view, long now) {
    Map<Integer, String> memberIds = new HashMap<>();
    view.catalog().members().values().forEach(each -> memberIds.put(each.number(), each.id()));
    ImmutableList.Builder<ProactiveStats> all = ImmutableList.builder();
    for (Vip vip : view.catalog().vips().values()) {
      @Nullable ProactiveVip state = vips.get(vip.number());
      if (state != null && (vip.mayBeProactive() || state.hasRules())) {
        all.add(ShownVip.of(vip, state, memberIds, parts.sourceProbe(), now));
      }
    }
    return all.build();
  }
}
