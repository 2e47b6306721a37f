package io.malob.balancer.proactive;

import com.google.common.collect.HashMultimap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.SetMultimap;
import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.balancer.api.ProactiveStats;
import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.bucket.ProactiveClients;
import io.malob.balancer.connection.CoreAccess;
import io.malob.balancer.connection.HostRuleCache;
import io.malob.balancer.proactive.EdgeBuckets.Wire;
import io.malob.balancer.recovery.FoundProactiveRules;
import io.malob.balancer.reroute.RulePacer;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.ServicePlan;
import io.malob.balancer.view.VipMac;
import io.malob.module.AttachedHosts;
import io.malob.openflow.Cookie;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.FoundRules;
import io.malob.openflow.IpFamily;
import io.malob.openflow.RefusedRule;
import io.malob.openflow.RuleCounts;
import io.malob.openflow.RuleKey;
import io.malob.openflow.SwitchTables;
import io.malob.openflow.bucket.BucketCookie;
import io.malob.openflow.bucket.BucketRules;
import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.bucket.ReplyRules;
import io.malob.openflow.label.Label;
import io.malob.openflow.label.LabelTable;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFFlowStatsReply;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * All VIPs whose placement is or may become proactive. Each tick compares what the catalog, the
 * network and the measurements ask for with what switches have, and sends the difference. For one
 * thread at a time, that of the serial executor, except {@link #stats} and {@link #probeRefused}.
 */
public final class ProactiveVips implements FoundProactiveRules {
  /** How often it is to be called. */
  public static final long TICK_MILLIS = 250;

  private static final long POLL_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The max number of rules whose counters are read in a second. */
  private static final int POLLED_RULES = 10_000;

  /** How long rules of an earlier run stay that nothing wants. */
  private static final long ORPHAN_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Parts parts;
  private final Supplier<BalancerView> views;
  private final IOFSwitchService switches;
  private final IDeviceService devices;
  private final CoreAccess coreAccess;
  private final ProactiveClients clients;
  private final Corrections corrections;
  private final UnknownClients unknownClients;
  private final ArpAnswers arpAnswers;
  private final Executor serialExecutor;
  private final LongSupplier nanoTime;
  private final Map<Integer, ProactiveVip> vips = new TreeMap<>();
  private final Map<DatapathId, Reading> readings = new HashMap<>();
  private final Map<DatapathId, Long> orphansSince = new HashMap<>();
  private Map<IpFamily, SetMultimap<DatapathId, Set<Integer>>> hosts = Map.of();
  private final Map<Integer, ImmutableMap<Integer, Attachment>> clientsByVip = new HashMap<>();
  private long polledAtNanos;
  private volatile boolean isBusy;

  /** The states of edges when {@link #stats} was made: a change shows at once. */
  private List<EdgeBuckets.State> shownStates = List.of();

  private volatile ImmutableList<ProactiveStats> stats = ImmutableList.of();

  /**
   * What VIPs share.
   *
   * @param labels the labels
   * @param hostRules the host rules of switches
   * @param programmed the rules on switches
   * @param buckets the buckets as packets see them
   * @param sourceProbe what switches can read
   * @param thresholds when automatic VIPs change
   * @param halfOpen the half-open connections of a VIP, by number
   * @param isEdgePort whether there are hosts behind core switches at a port of a switch
   * @param pinExposed gives connections of a VIP at a switch rules of their own that would reach
   *     another member
   * @param hasSeveralMasters whether switches may have different masters: none of them could
   *     prepare both ends of a VIP's connections, so all VIPs are reactive
   * @param nanoTime the controller's monotonic clock
   */
  record Parts(
      LabelTable labels,
      HostRuleCache hostRules,
      Programmed programmed,
      Buckets buckets,
      SourceProbe sourceProbe,
      AutoMode.Thresholds thresholds,
      IntUnaryOperator halfOpen,
      BiPredicate<DatapathId, OFPort> isEdgePort,
      BiConsumer<Integer, DatapathId> pinExposed,
      BooleanSupplier hasSeveralMasters,
      LongSupplier nanoTime) {}

  /** Exchanges connection counts with the view. */
  public interface Corrections {
    /** The connections that a member's agent has reported; empty if it has not. */
    OptionalInt reported(Member member);

    /** Takes over the estimated connections of members by number. */
    void estimated(Map<Integer, Integer> open);

    /** Takes over how many more connections buckets have placed on a member, by its number. */
    void placed(int memberNumber, long connections);
  }

  /** What a reading has found so far. */
  private static final class Reading {
    final Set<RuleKey> rules = new HashSet<>();
    final Map<Integer, Set<Integer>> buckets = new HashMap<>();
  }

  /**
   * No VIPs.
   *
   * @param isRead whether the rules of a switch have been read
   * @param pacer bounds the rate of changes on switches with one table
   * @param probe sends ARP requests for a host, in the name of a VIP
   * @param halfOpen the half-open connections of a VIP, by number
   * @param matchesTcpFlags whether a switch matches TCP flags
   * @param pinExposed gives connections of a VIP at a switch rules of their own that would reach
   *     another member
   * @param hasSeveralMasters whether switches may have different masters: all VIPs are reactive
   *     then
   */
  public ProactiveVips(
      ProactiveSettings settings,
      Supplier<BalancerView> views,
      IOFSwitchService switches,
      IDeviceService devices,
      CoreAccess coreAccess,
      Predicate<DatapathId> isRead,
      LabelTable labels,
      HostRuleCache hostRules,
      Buckets buckets,
      ProactiveClients clients,
      FlowProgrammer programmer,
      RulePacer pacer,
      BiConsumer<IPAddress<?>, IPAddress<?>> probe,
      IntUnaryOperator halfOpen,
      Predicate<DatapathId> matchesTcpFlags,
      BiConsumer<Integer, DatapathId> pinExposed,
      BooleanSupplier hasSeveralMasters,
      Corrections corrections,
      Executor serialExecutor,
      LongSupplier nanoTime) {
    this.parts =
        new Parts(
            labels,
            hostRules,
            new Programmed(programmer, pacer, serialExecutor, isRead, matchesTcpFlags),
            buckets,
            new SourceProbe(programmer, settings.preferred()),
            new AutoMode.Thresholds(
                settings.autoPerSecond(), settings.autoHalfOpen(), settings.autoCalm()),
            halfOpen,
            coreAccess::isEdgePort,
            pinExposed,
            hasSeveralMasters,
            nanoTime);
    this.views = views;
    this.switches = switches;
    this.devices = devices;
    this.coreAccess = coreAccess;
    this.clients = clients;
    this.unknownClients = new UnknownClients(probe, parts.programmed(), serialExecutor, nanoTime);
    this.arpAnswers = new ArpAnswers(parts.programmed());
    this.corrections = corrections;
    this.serialExecutor = serialExecutor;
    this.nanoTime = nanoTime;
  }

  /** The traffic of a VIP that may be proactive. */
  static BucketTraffic trafficOf(Vip vip) {
    @Nullable Protocol protocol = vip.protocol();
    @Nullable Integer port = vip.port();
    if (protocol == null || port == null) {
      throw new IllegalArgumentException("VIP " + vip.id() + " cannot be proactive");
    }
    return new BucketTraffic(
        vip.number(),
        vip.address(),
        VipMac.of(vip.address()),
        IpProtocol.of((short) protocol.ipNumber()),
        port);
  }

  /** Whether there is anything to do. Thread-safe. */
  public boolean isNeeded() {
    return isBusy || views.get().catalog().hasProactiveVips();
  }

  /** A member has replied to a client whose location is not known. Thread-safe. */
  public void clientIsUnknown(Packet reply) {
    unknownClients.replied(reply);
  }

  /** Brings everything one step closer to what the catalog wants. */
  public void tick() {
    BalancerView view = views.get();
    long now = nanoTime.getAsLong();
    follow(view, now);
    isBusy = !vips.isEmpty() || !orphansSince.isEmpty();
    if (clients.takeChanged()) {
      clientsByVip.clear();
    }
    if (vips.isEmpty()) {
      stats = ImmutableList.of();
      answerArp(Set.of(), now);
      removeOrphans(now);
      parts.programmed().flush();
      return;
    }
    boolean isPoll = now - polledAtNanos >= POLL_NANOS;
    if (isPoll || hosts.isEmpty()) {
      hosts = hostsBySwitch();
    }
    Set<Integer> addresses = new HashSet<>();
    for (ProactiveVip vip : vips.values()) {
      situation(view, vip, now)
          .ifPresent(
              situation ->
                  vip.advance(situation, clientsOf(vip.addressKey()), clientSwitches(situation)));
      if (vip.edges().stream().anyMatch(EdgeBuckets::hasRules)) {
        addresses.add(vip.addressKey());
      }
    }
    answerArp(addresses, now);
    unknownClients.advance(vips.values());
    removeOrphans(now);
    parts.programmed().flush();
    if (isPoll) {
      polledAtNanos = now;
      estimate(view);
      poll();
    }
    List<EdgeBuckets.State> states =
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
    CatalogSnapshot catalog = view.catalog();
    Map<Integer, Vip> wanted = new HashMap<>();
    for (Vip vip : catalog.vips().values()) {
      if (vip.mayBeProactive() && hasPool(view, vip)) {
        wanted.put(vip.number(), vip);
      }
    }
    vips.entrySet()
        .removeIf(
            each -> {
              @Nullable Vip vip = wanted.get(each.getKey());
              boolean isSame = vip != null && trafficOf(vip).equals(each.getValue().traffic());
              if (!isSame && !leaves(each.getValue(), view, now)) {
                each.getValue().remove(now);
                return true;
              }
              return false;
            });
    for (Vip vip : wanted.values()) {
      vips.computeIfAbsent(vip.number(), any -> new ProactiveVip(parts, trafficOf(vip), now));
    }
    Set<Integer> addresses =
        vips.values().stream().map(ProactiveVip::addressKey).collect(Collectors.toSet());
    clients.retain(addresses);
    clientsByVip.keySet().retainAll(addresses);
  }

  /** The clients of a VIP address, which are copied only if any have changed. */
  private ImmutableMap<Integer, Attachment> clientsOf(int vip) {
    return clientsByVip.computeIfAbsent(vip, clients::of);
  }

  private static boolean hasPool(BalancerView view, Vip vip) {
    @Nullable Protocol protocol = vip.protocol();
    @Nullable Integer port = vip.port();
    return protocol != null && port != null && view.plan(vip, protocol, port) != null;
  }

  /** Whether a VIP that is reactive now has buckets, or connections that they have placed. */
  private boolean leaves(ProactiveVip vip, BalancerView view, long now) {
    return situation(view, vip, now).isPresent() && !vip.isOver();
  }

  /** What the buckets of a VIP depend on; empty if it has no pool or other traffic. */
  private Optional<Situation> situation(BalancerView view, ProactiveVip vip, long now) {
    BucketTraffic traffic = vip.traffic();
    Protocol protocol = traffic.protocol().equals(IpProtocol.TCP) ? Protocol.TCP : Protocol.UDP;
    Optional<Vip> found =
        view.catalog()
            .vipFor(vip.addressKey(), protocol, traffic.port())
            .filter(each -> each.number() == traffic.vipNumber());
    @Nullable ServicePlan plan =
        found.isEmpty() ? null : view.plan(found.get(), protocol, traffic.port());
    return plan == null ? Optional.empty() : Optional.of(Situation.of(view, plan, traffic, now));
  }

  /** The keys of each host's addresses, by family and switch; {@link AddressKey#NONE} is one. */
  private Map<IpFamily, SetMultimap<DatapathId, Set<Integer>>> hostsBySwitch() {
    Map<IpFamily, SetMultimap<DatapathId, Set<Integer>>> hosts = new EnumMap<>(IpFamily.class);
    for (IDevice device : devices.getAllDevices()) {
      coreAccess
          .edgeOf(device)
          .ifPresent(
              at ->
                  AttachedHosts.addressesOf(device).stream()
                      .collect(
                          Collectors.groupingBy(
                              IpFamily::of,
                              Collectors.mapping(AddressKey::find, Collectors.toSet())))
                      .forEach(
                          (family, keys) ->
                              hosts
                                  .computeIfAbsent(family, any -> HashMultimap.create())
                                  .put(at.switchId(), keys)));
    }
    return hosts;
  }

  /** The switches with hosts of the VIP's family that are not members of its pool. */
  private Set<DatapathId> clientSwitches(Situation situation) {
    Set<Integer> members =
        situation.located().stream().map(Server::address).collect(Collectors.toSet());
    @Nullable SetMultimap<DatapathId, Set<Integer>> ofFamily =
        hosts.get(situation.traffic().family());
    return ofFamily == null
        ? Set.of()
        : ofFamily.entries().stream()
            .filter(host -> Collections.disjoint(members, host.getValue()))
            .map(Map.Entry::getKey)
            .collect(Collectors.toSet());
  }

  /** Lets switches answer the clients of VIP addresses that have buckets. */
  private void answerArp(Set<Integer> addresses, long now) {
    arpAnswers.advance(
        addresses.stream()
            .filter(each -> !AddressKey.isIpv6(each))
            .collect(Collectors.toMap(each -> each, this::clientsOf)),
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
              boolean isOver = now - each.getValue() >= ORPHAN_NANOS;
              if (isOver) {
                parts
                    .programmed()
                    .wire(each.getKey())
                    .ifPresent(wire -> wire.sw().removeOrphans(wire.factory()));
              }
              return isOver;
            });
  }

  /** Reads the counters of buckets and of members' replies. */
  private void poll() {
    int rules =
        vips.values().stream()
            .flatMap(vip -> vip.edges().stream())
            .mapToInt(edge -> edge.key().map(key -> key.count()).orElse(0))
            .sum();
    int part = 1 + rules / POLLED_RULES;
    long turn = polledAtNanos / POLL_NANOS;
    for (ProactiveVip vip : vips.values()) {
      int number = vip.traffic().vipNumber();
      Set<DatapathId> memberEdges = new HashSet<>();
      for (EdgeBuckets edge : vip.edges()) {
        if (edge.hasRules() && Math.floorMod(edge.switchId().getLong() + turn, part) == 0) {
          ask(
              edge.switchId(),
              tables -> BucketRules.requestCounters(tables, number),
              entry -> bucketCounted(vip, edge, entry, part));
          ask(
              edge.switchId(),
              tables -> BucketRules.requestSyns(tables.factory(), number),
              entry -> synsCounted(vip, edge, entry, part));
        }
      }
      if (vip.edges().stream().anyMatch(EdgeBuckets::hasRules)) {
        memberEdges.addAll(vip.memberEdges());
      }
      for (DatapathId each : memberEdges) {
        ask(
            each,
            tables -> ReplyRules.requestCounters(tables.factory(), number),
            entry -> replyCounted(vip, each, entry));
      }
    }
  }

  private void bucketCounted(ProactiveVip vip, EdgeBuckets edge, OFFlowStatsEntry entry, int part) {
    OptionalLong packets = RuleCounts.packets(entry);
    Optional<BucketCookie> cookie = BucketCookie.of(entry.getCookie());
    if (packets.isPresent() && cookie.isPresent() && vip.edges().contains(edge)) {
      BucketCookie bucket = cookie.get();
      edge.counted(bucket.index(), bucket.key(), bucket.memberNumber(), packets.getAsLong(), part);
    }
  }

  private void synsCounted(ProactiveVip vip, EdgeBuckets edge, OFFlowStatsEntry entry, int part) {
    OptionalLong packets = RuleCounts.packets(entry);
    if (packets.isPresent()
        && BucketRules.countsSyns(entry.getCookie())
        && vip.edges().contains(edge)
        && edge.hasRules()) {
      edge.traffic().synsCounted(entry.getMatch(), packets.getAsLong(), part);
    }
  }

  private void replyCounted(ProactiveVip vip, DatapathId switchId, OFFlowStatsEntry entry) {
    OptionalLong packets = RuleCounts.packets(entry);
    ReplyRules.countedBy(entry.getCookie())
        .filter(any -> packets.isPresent())
        .ifPresent(
            counted ->
                vip.estimates()
                    .counted(
                        switchId,
                        Cookie.memberNumber(entry.getCookie()),
                        counted,
                        packets.getAsLong(),
                        nanoTime.getAsLong()));
  }

  /** Asks a switch that is connected for counters. */
  private void ask(
      DatapathId switchId,
      Function<SwitchTables, OFFlowStatsRequest> request,
      Consumer<OFFlowStatsEntry> each) {
    @Nullable IOFSwitch sw = switches.getActiveSwitch(switchId);
    Optional<Wire> wire = parts.programmed().wire(switchId);
    if (sw == null || wire.isEmpty()) {
      return;
    }
    Futures.addCallback(
        sw.writeStatsRequest(request.apply(wire.get().tables())),
        new FutureCallback<List<OFFlowStatsReply>>() {
          @Override
          public void onSuccess(@Nullable List<OFFlowStatsReply> answer) {
            if (answer != null) {
              answer.forEach(reply -> reply.getEntries().forEach(each));
            }
          }

          @Override
          public void onFailure(Throwable cause) {
            // the next poll asks again
          }
        },
        serialExecutor);
  }

  /** Corrects the estimates by reports, and gives them to the view. */
  private void estimate(BalancerView view) {
    Map<Integer, Integer> open = new HashMap<>();
    long now = nanoTime.getAsLong();
    for (ProactiveVip vip : vips.values()) {
      vip.estimates().polled(now);
      situation(view, vip, now)
          .ifPresent(
              situation -> {
                List<Member> members = view.catalog().membersOfPool(situation.plan().pool().id());
                vip.estimates()
                    .retain(members.stream().map(Member::number).collect(Collectors.toSet()));
                boolean isPlacing = vip.edges().stream().anyMatch(EdgeBuckets::hasRules);
                for (Member member : members) {
                  @Nullable Server server = view.servers().get(member.number());
                  vip.estimates()
                      .adopted(member.number(), parts.buckets().takeAdopted(member.number()));
                  if (isPlacing && server != null) {
                    vip.estimates()
                        .correct(
                            member.number(), corrections.reported(member), server.load().active());
                  }
                  open.put(member.number(), isPlacing ? vip.estimates().open(member.number()) : 0);
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
      if (mayBeNew) {
        orphansSince.putIfAbsent(switchId, nanoTime.getAsLong());
        isBusy = true;
        learnClient(switchId, rule);
      }
      return parts.programmed().at(switchId).found(rule, mayBeNew, reading.rules);
    }
    @Nullable ProactiveVip vip = vipOf(bucket.get().vipNumber());
    if (vip == null || !BucketRules.isOf(rule.getMatch(), vip.traffic())) {
      return false;
    }
    Optional<Label> label = FoundRules.labelOf(rule);
    Optional<EdgeBuckets> edge = vip.edge(switchId).filter(EdgeBuckets::hasRules);
    if (edge.isPresent()) {
      return edge.get()
          .found(
              bucket.get(),
              label,
              FoundRules.outOf(rule),
              reading.buckets.computeIfAbsent(bucket.get().vipNumber(), any -> new HashSet<>()));
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
  private @Nullable ProactiveVip vipOf(int number) {
    if (!vips.containsKey(number)) {
      BalancerView view = views.get();
      long now = nanoTime.getAsLong();
      view.catalog().vips().values().stream()
          .filter(vip -> vip.number() == number && hasPool(view, vip))
          .forEach(vip -> vips.put(number, new ProactiveVip(parts, trafficOf(vip), now)));
      isBusy = true;
    }
    return vips.get(number);
  }

  /** A rule for a client of an earlier run tells that it is one, and where it is. */
  private void learnClient(DatapathId switchId, OFFlowStatsEntry rule) {
    ReplyRules.clientOf(rule)
        .ifPresent(found -> clients.learn(found.vip(), found.client(), found.at(switchId)));
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
        each.getValue().hasAllRules(switchId, settledNanos);
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
    parts.sourceProbe().forget(switchId);
    parts.programmed().at(switchId).disconnected();
    vips.values().forEach(vip -> vip.edge(switchId).ifPresent(EdgeBuckets::disconnected));
  }

  /** A switch has rejected a message; false if it was not a probe. Thread-safe. */
  public boolean probeRefused(OFErrorMsg error) {
    return parts.sourceProbe().refused(error);
  }

  /** A switch has refused a rule of a proactive VIP. */
  public void refused(DatapathId switchId, RefusedRule rule) {
    @Nullable ProactiveVip vip = vips.get(Cookie.vipNumber(rule.cookie()));
    if (vip != null) {
      vip.refused(switchId, rule, nanoTime.getAsLong());
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
      if (state != null
          && (vip.mayBeProactive() || state.edges().stream().anyMatch(EdgeBuckets::hasRules))) {
        all.add(ShownVip.of(vip, state, memberIds, parts.sourceProbe(), now));
      }
    }
    return all.build();
  }
}
