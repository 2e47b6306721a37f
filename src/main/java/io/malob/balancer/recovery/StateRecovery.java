package io.malob.balancer.recovery;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.VlanAddress;
import io.malob.balancer.admission.AdmissionControl;
import io.malob.balancer.admission.Clients;
import io.malob.balancer.admission.ConnectionTeardown;
import io.malob.balancer.admission.RecoveringConnection;
import io.malob.balancer.admission.RecoveringConnections;
import io.malob.balancer.admission.Tables;
import io.malob.balancer.api.ReconcileStats;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.FtpSessions;
import io.malob.balancer.connection.UnownedSwitches;
import io.malob.balancer.recovery.FoundReplies.FoundReply;
import io.malob.balancer.view.BalancerView;
import io.malob.openflow.ConnectionRules;
import io.malob.openflow.FoundRule;
import io.malob.openflow.NextHopMac;
import io.malob.openflow.RuleCounts;
import io.malob.openflow.RuleSender;
import io.malob.state.catalog.AdminState;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Vip;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * Recovers connections from before the controller's start, from the rules that switches still have.
 * The rules that were found are kept until switches, links, hosts and catalog supply the missing
 * parts. Meanwhile the rules on the switches stay unchanged. For one thread at a time.
 */
public final class StateRecovery {
  /** How many connections are recovered at a time: a few milliseconds. */
  private static final int SLICE = 500;

  private final Parts parts;
  private final RecoveringConnections recovering;
  private final ReconcileCounts counts = new ReconcileCounts();
  private final long patienceNanos;
  private final LongSupplier nanoTime;
  private final Consumer<Runnable> later;

  /** Rules at members' edge switches whose connections are not recovered yet. */
  private final FoundReplies replies = new FoundReplies();

  /** Next hops by their numbers, according to the host rules of switches. */
  private final Map<MacAddress, Attachment> nextHops = new HashMap<>();

  /** The connections that the pass under way has not come to; null if none is under way. */
  private @Nullable Iterator<RecoveringConnection> rest;

  /** Whether another pass is wanted after the one under way. */
  private boolean isToRepeat;

  /** Whether rules of an earlier run were found that are not recovered or given up yet. */
  private boolean hasWork;

  /**
   * Creates a recovery without rules.
   *
   * @param patienceNanos how long a connection whose rule has timed out may stay incomplete
   * @param later runs something after the tasks that wait already, on the same thread as they
   */
  public StateRecovery(
      Parts parts, long patienceNanos, LongSupplier nanoTime, Consumer<Runnable> later) {
    this.parts = parts;
    this.recovering = parts.tables.recovering();
    this.patienceNanos = patienceNanos;
    this.nanoTime = nanoTime;
    this.later = later;
  }

  /** The objects that recovery works with. */
  public record Parts(
      Supplier<BalancerView> views,
      Tables tables,
      RecoveredRoutes routes,
      AdmissionControl admissionControl,
      ConnectionTeardown teardown,
      RuleSender ruleSender,
      Clients hosts,
      UnownedSwitches unowned) {}

  Parts parts() {
    return parts;
  }

  /** The counts of reconciliation and recovery. */
  ReconcileCounts counts() {
    return counts;
  }

  /** The counts of reconciliation and recovery so far. */
  public ReconcileStats stats() {
    return counts.with(recovering.size());
  }

  /** Whether connections of an earlier run were found. */
  public boolean hasBegun() {
    return hasPending() || counts.recovered.sum() > 0;
  }

  /** Whether the recovery of connections is recovering. */
  boolean hasPending() {
    return recovering.size() > 0;
  }

  /** Whether a request rule belongs to a pending connection. */
  boolean knowsRequest(FoundRule.Direction rule) {
    @Nullable RecoveringConnection known = recovering.get(rule.incoming());
    return known != null && known.rule().equals(rule);
  }

  /** Whether a request rule has timed out since its switch was asked for its rules. */
  boolean hasTimedOut(FoundRule.Direction rule) {
    return recovering.hasTimedOut(rule.incoming(), rule.generation());
  }

  /** Adds a request rule; false if no connection can have it, so that it must be removed. */
  boolean addRequest(DatapathId at, FoundRule.Direction rule) {
    hasWork = true;
    return isInCatalog(rule, rule.incoming().dstAddress(), rule.outgoing().dstAddress())
        && recovering.add(new RecoveringConnection(rule, at, nanoTime.getAsLong()));
  }

  /** Whether a reply rule is known already. */
  boolean knowsReply(FoundRule.Direction rule) {
    @Nullable FoundReply known = replies.get(rule.incoming());
    return known != null && known.rule().equals(rule);
  }

  /** Adds a reply rule; false if no connection can have it, so that it must be removed. */
  boolean addReply(DatapathId at, FoundRule.Direction rule) {
    if (!isInCatalog(rule, rule.outgoing().srcAddress(), rule.incoming().srcAddress())) {
      return false;
    }
    hasWork = true;
    replies.add(new FoundReply(rule, at));
    return true;
  }

  /** Adds the next hop of a label at a switch; false if this run uses the label itself. */
  boolean addHop(DatapathId at, FoundRule.Hop hop, boolean mayBeNew) {
    hasWork = true;
    return parts.routes.recoveredLabels().add(at, hop, mayBeNew);
  }

  /** Adds a host rule. */
  void addHost(DatapathId at, FoundRule.Host host) {
    hasWork = true;
    nextHops.put(host.number(), new Attachment(at, host.port(), host.mac(), host.vlan()));
  }

  /** All rules of a switch have been read: earlier rules that were not found have timed out. */
  void forgetMissing(DatapathId at, Set<FiveTuple> requestsFound, Set<FiveTuple> repliesFound) {
    for (RecoveringConnection connection : recovering.at(at)) {
      if (!requestsFound.contains(connection.request())) {
        recovering.expire(connection);
      }
    }
    replies.retainAt(at, repliesFound);
  }

  /**
   * Recovers the connections that are fully known; where they are many, in slices with other tasks
   * between them. Call it when switches, links, hosts or the catalog change, and periodically.
   */
  public void complete() {
    recovering.tidy();
    if (!hasWork) {
      return;
    }
    if (rest != null) {
      isToRepeat = true; // what is known now may complete connections that have been passed
      return;
    }
    if (recovering.size() > 0 || !replies.isEmpty()) {
      parts
          .routes
          .recoveredLabels()
          .putTogether(recovering.all(), replies.all(), parts.views.get().network().topology());
      takeOver(recovering.all().iterator());
    } else {
      nextHops.clear();
      tidy();
    }
  }

  private void takeOver(Iterator<RecoveringConnection> connections) {
    rest = null; // an exception ends this pass, and a later call begins another
    BalancerView view = parts.views.get();
    Map<Integer, Vip> vips = new HashMap<>();
    view.catalog().vips().values().forEach(vip -> vips.put(vip.number(), vip));
    for (int count = 0; count < SLICE && connections.hasNext(); count++) {
      complete(connections.next(), view, vips);
    }
    if (connections.hasNext()) {
      rest = connections;
      later.accept(() -> takeOver(connections));
      return;
    }
    tidy();
    if (isToRepeat) {
      isToRepeat = false;
      later.accept(this::complete);
    }
  }

  private void tidy() {
    removeUnusedReplies();
    boolean hasLabels = parts.routes.recoveredLabels().letGo(recovering.all(), replies.all());
    hasWork = hasLabels || hasPending() || !replies.isEmpty() || !nextHops.isEmpty();
  }

  /**
   * Removes reply rules whose connections have ended: their clients' switches have been read, and
   * have no rule of them. Other controllers' connections are theirs.
   */
  private void removeUnusedReplies() {
    if (replies.isEmpty() || parts.unowned.isAny()) {
      return;
    }
    for (FoundReply reply : List.copyOf(replies.all())) {
      FiveTuple match = reply.rule().incoming();
      if (!recovering.hasReply(match) && isReadAtClient(reply.rule())) {
        removeReply(match);
      }
    }
  }

  private void removeReply(FiveTuple match) {
    @Nullable FoundReply reply = replies.remove(match);
    if (reply != null) {
      remove(reply.at(), factory -> reply.remove(factory));
    }
  }

  private boolean isReadAtClient(FoundRule.Direction reply) {
    return parts
        .hosts
        .find(hostOf(reply.outgoing().dstAddress(), reply.outgoing().srcAddress()))
        .filter(client -> recovering.hasRead(client.switchId()))
        .isPresent();
  }

  private void complete(RecoveringConnection found, BalancerView view, Map<Integer, Vip> vips) {
    @Nullable Vip vip = vips.get(found.rule().vipNumber());
    if (vip == null || !isInCatalog(found.rule(), view.catalog(), vip)) {
      discard(found);
      return;
    }
    if (found.isExpiredFor(patienceNanos, nanoTime.getAsLong())) {
      recovering.remove(found);
      return;
    }
    Optional<Attachment> client = clientOf(found);
    if (client.isEmpty()) {
      return;
    }
    Optional<RecoveredRoutes.Recovered> recovered =
        parts.routes.recover(found, replies.get(found.reply()), vip, client.get(), view);
    if (recovered.isEmpty()) {
      return;
    }
    Connection connection = recovered.get().connection();
    Route route = recovered.get().route();
    if (parts.admissionControl.recover(
        connection, route, found.isEnded(), view, nanoTime.getAsLong())) {
      counts.recovered.increment();
      if (!found.isExpired()) {
        parts.routes.restoreIfChanged(recovered.get());
        removeIfOfAnyVlan(found, replies.get(found.reply()));
      }
    } else {
      parts.routes.release(recovered.get());
    }
    replies.remove(found.reply());
    boolean isGone = !recovering.remove(found);
    // events since the connection was examined
    if (isGone || found.isExpired()) {
      parts.teardown.timedOut(
          found.at(), found.request(), found.rule().generation(), RuleCounts.UNKNOWN);
    } else if (found.isEnded()) {
      parts.teardown.ended(found.request(), false);
    }
  }

  private Optional<Attachment> clientOf(RecoveringConnection found) {
    @Nullable FoundReply reply = replies.get(found.reply());
    MacAddress nextHop =
        reply == null
            ? NextHopMac.of(found.nextHop(), found.rule().vlan())
            : reply.rule().nextHop();
    @Nullable Attachment known = nextHops.get(nextHop);
    return known != null && known.switchId().equals(found.at())
        ? Optional.of(known)
        : parts
            .hosts
            .find(hostOf(found.request().srcAddress(), found.request().dstAddress()))
            .filter(at -> at.switchId().equals(found.at()));
  }

  private VlanAddress hostOf(int client, int vip) {
    return new VlanAddress(
        AddressKey.toAddress(client), parts.views.get().catalog().vlanOfVip(vip));
  }

  private boolean isInCatalog(FoundRule.Direction rule, int vipAddress, int memberAddress) {
    CatalogSnapshot catalog = parts.views.get().catalog();
    return catalog.isVipAddress(vipAddress)
        && catalog.membersAt(memberAddress).stream()
            .anyMatch(member -> member.number() == rule.memberNumber());
  }

  private static boolean isInCatalog(
      FoundRule.Direction request, CatalogSnapshot catalog, Vip vip) {
    return AddressKey.of(vip.address()) == request.incoming().dstAddress()
        && vip.vlan() == request.vlan()
        && vip.allows(request.incoming().srcAddress())
        && catalog.membersAt(request.outgoing().dstAddress()).stream()
            .anyMatch(member -> isSame(member, request, catalog));
  }

  private static boolean isSame(
      Member member, FoundRule.Direction request, CatalogSnapshot catalog) {
    @Nullable Integer port = member.port();
    int asked = request.incoming().dstPort();
    int reached = request.outgoing().dstPort();
    boolean isAsConfigured = reached == (port == null || asked == 0 ? asked : port);
    return member.number() == request.memberNumber()
        && member.poolId() != null
        && member.adminState() != AdminState.DOWN
        && (isAsConfigured
            || (reached == asked && FtpSessions.mayBeData(catalog, request.incoming())));
  }

  /** Drops a connection whose VIP or member no longer exists, and removes its rules. */
  private void discard(RecoveringConnection found) {
    recovering.remove(found);
    remove(
        found.at(),
        factory -> ConnectionRules.remove(factory, new FoundRule.Request(found.rule())));
    removeReply(found.reply());
  }

  /** Removes rules of earlier versions, which the restored ones have not replaced. */
  private void removeIfOfAnyVlan(RecoveringConnection found, @Nullable FoundReply reply) {
    if (found.rule().isOfAnyVlan()) {
      remove(
          found.at(),
          factory -> ConnectionRules.remove(factory, new FoundRule.Request(found.rule())));
    }
    if (reply != null && reply.rule().isOfAnyVlan()) {
      remove(reply.at(), reply::remove);
    }
  }

  private void remove(DatapathId at, Function<OFFactory, OFMessage> message) {
    if (parts.ruleSender.sendIfConnected(at, factory -> List.of(message.apply(factory)))) {
      counts.removed.increment();
    }
  }
}
