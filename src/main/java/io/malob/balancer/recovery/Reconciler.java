package io.malob.balancer.recovery;

import io.malob.algorithm.FiveTuple;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.Connection.State;
import io.malob.balancer.connection.ConnectionRuleSender;
import io.malob.balancer.connection.CoreAccess;
import io.malob.balancer.connection.LegacySegments;
import io.malob.openflow.AccessRule;
import io.malob.openflow.FoundRule;
import io.malob.openflow.FoundRules;
import io.malob.openflow.LabelGroups;
import io.malob.openflow.RuleBook;
import io.malob.openflow.RuleCounts;
import io.malob.openflow.SegmentRule;
import io.malob.openflow.label.Label;
import io.malob.openflow.label.LabelTable;
import io.malob.openflow.label.LabelledPath;
import io.malob.state.network.SelfAddresses;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Reconciles the rules of one switch with the controller's state: removes unknown rules, restores
 * missing rules, and makes connections dormant whose rules are missing. Takes time in proportion to
 * the rules of the switch and to the given connections. For one thread at a time.
 */
public final class Reconciler {
  /** Rules that were sent this shortly before the request may be missing from the answer. */
  static final long MARGIN_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final Parts parts;
  private final StateRecovery.Parts common;
  private final ReconcileCounts counts;
  private final DatapathId at;
  private final Occasion occasion;
  private final long settledNanos;
  private final Iterable<Connection> candidates;

  /** The labels that led over the switch when this began. */
  private final Collection<LabelledPath> labels;

  /** Whether other controllers may have sent rules to the switch. */
  private final boolean hasUnowned;

  /** The groups that the switch was known to have when this began. */
  private final Map<Integer, OFPort> groupsKnown;

  /** The labels whose groups the switch has, and those of them whose rules have not been found. */
  private Set<Integer> groups = Set.of();

  private final Set<Integer> groupsAlone = new HashSet<>();

  private FoundRules parser;

  /** The rules for hosts behind this core switch. */
  private final RuleBook<AccessRule>.Reading accessRules;

  private final RuleBook<SegmentRule>.Reading segmentRules;

  private final Set<Label> labelsFound = new HashSet<>();
  private final Set<FiveTuple> requestsFound = new HashSet<>();
  private final Set<FiveTuple> repliesFound = new HashSet<>();
  private final Set<Connection> ftpDataFound = new HashSet<>();

  /** Why a switch is reconciled. */
  enum Occasion {
    /** It has connected for the first time; its rules are from before this controller's start. */
    FIRST,
    /** It has reconnected. */
    RETURN,
    /** A periodic round. */
    ROUTINE
  }

  /** The objects that reconciliation works with. */
  public record Parts(
      StateRecovery stateRecovery,
      LabelTable labels,
      ConnectionRuleSender connectionRuleSender,
      FoundProactiveRules proactiveRules,
      CoreAccess coreAccess,
      LegacySegments segments,
      SelfAddresses selfAddresses) {}

  /**
   * Starts the reconciliation of a switch.
   *
   * @param candidates all connections that may have had rules at the switch then, and others; asked
   *     for once all rules have been found
   * @param askedNanos when the switch was asked, on the controller's monotonic clock
   */
  public Reconciler(
      Parts parts,
      DatapathId at,
      Occasion occasion,
      Iterable<Connection> candidates,
      long askedNanos) {
    this.parts = parts;
    this.common = parts.stateRecovery.parts();
    this.counts = parts.stateRecovery.counts();
    this.at = at;
    this.occasion = occasion;
    this.settledNanos = askedNanos - MARGIN_NANOS;
    this.candidates = candidates;
    this.labels = parts.labels.across(at);
    this.hasUnowned = common.unowned().isAny();
    this.parser = common.ruleSender().compiler().parser(at);
    this.groupsKnown = common.ruleSender().compiler().groups().known(at);
    parts.proactiveRules.begin(at);
    this.accessRules = parts.coreAccess.read(at);
    this.segmentRules = parts.segments.read(at);
  }

  /** The ports of the switch's groups of labels, before its rules. */
  void foundGroups(Map<Integer, OFPort> found) {
    parser = parser.withGroups(found);
    groups = found.keySet();
    groupsAlone.addAll(groups);
  }

  /** Checks some of the switch's rules, and removes those that nothing uses. */
  void found(List<OFFlowStatsEntry> rules) {
    common
        .ruleSender()
        .factory(at)
        .ifPresent(
            factory -> {
              List<OFMessage> removals = new ArrayList<>();
              for (OFFlowStatsEntry rule : rules) {
                if (!belongs(parser.parse(rule))) {
                  removals.add(FoundRules.remove(factory, rule));
                }
              }
              if (!removals.isEmpty() && common.ruleSender().send(at, removals)) {
                counts.removed.add(removals.size());
              }
            });
  }

  private boolean belongs(FoundRule rule) {
    if (rule instanceof FoundRule.Request request) {
      return requestBelongs(request.direction());
    }
    if (rule instanceof FoundRule.Reply reply) {
      return replyBelongs(reply.direction());
    }
    if (rule instanceof FoundRule.Hop hop) {
      return hopBelongs(hop);
    }
    if (rule instanceof FoundRule.FtpData ftpData) {
      return ftpDataBelongs(ftpData);
    }
    if (rule instanceof FoundRule.Vip vip) {
      return common.views().get().catalog().isVipAddress(vip.address())
          || parts.selfAddresses.contains(vip.address());
    }
    if (rule instanceof FoundRule.Access access) {
      return accessBelongs(access);
    }
    if (rule instanceof FoundRule.OfSegment ofSegment) {
      return segmentRules.found(ofSegment.entry());
    }
    if (rule instanceof FoundRule.Proactive proactive) {
      return parts.proactiveRules.found(at, proactive.entry(), occasion == Occasion.FIRST);
    }
    if (rule instanceof FoundRule.Host host && occasion == Occasion.FIRST) {
      parts.stateRecovery.addHost(at, host);
    }
    return !(rule instanceof FoundRule.Unreadable);
  }

  private boolean requestBelongs(FoundRule.Direction rule) {
    requestsFound.add(rule.incoming());
    @Nullable Connection connection =
        current(common.tables().connections().byRequest(rule.incoming()), rule, true);
    if (connection == null) {
      return parts.stateRecovery.knowsRequest(rule)
          || (occasion == Occasion.FIRST && parts.stateRecovery.addRequest(at, rule));
    }
    if (!connection.client().switchId().equals(at)) {
      return false;
    }
    common.teardown().countAsOwn(connection);
    return belongs(connection, rule, true);
  }

  /**
   * A connection that a rule belongs to; null if it is known from the switch's former master alone,
   * and that has changed its rules since: the switch is right then.
   */
  private @Nullable Connection current(
      @Nullable Connection connection, FoundRule.Direction rule, boolean isRequest) {
    if (connection == null || occasion != Occasion.FIRST) {
      return connection;
    }
    boolean isOutdated =
        connection.state() == State.DORMANT
            ? isRequest && !parts.stateRecovery.hasTimedOut(rule)
            : connection.isReplicated() && !isAsFound(connection, rule, isRequest);
    if (isOutdated) {
      common.teardown().forgetReplicated(connection);
      return null;
    }
    return connection;
  }

  private boolean isAsFound(Connection connection, FoundRule.Direction rule, boolean isRequest) {
    @Nullable Route route = connection.route();
    if (route == null || rule.generation() != connection.generation()) {
      return false;
    }
    boolean isToItsMember = !isRequest || connection.reply().equals(rule.outgoing().reversed());
    return connection.edge(isRequest).equals(at)
        && isToItsMember
        && parts.connectionRuleSender.leads(rule, connection, route, isRequest);
  }

  private boolean replyBelongs(FoundRule.Direction rule) {
    repliesFound.add(rule.incoming());
    @Nullable Connection connection =
        current(common.tables().connections().byReply(rule.incoming()), rule, false);
    if (connection == null) {
      return parts.stateRecovery.knowsReply(rule)
          || (occasion == Occasion.FIRST && parts.stateRecovery.addReply(at, rule))
          || hasUnowned; // its owner may not have told of it yet; it expires by itself
    }
    if (!connection.server().at().switchId().equals(at)) {
      return false;
    }
    connection.seenAtMember(settledNanos + MARGIN_NANOS);
    // the reply rule of a DORMANT connection lives a little longer, and expires by itself
    return connection.state() == State.DORMANT || belongs(connection, rule, false);
  }

  /**
   * A rule of an open connection stays; if it is outdated, it is overwritten. One for any VLAN,
   * which an earlier version made, is not the same rule: it goes after the others have come.
   */
  private boolean belongs(Connection connection, FoundRule.Direction rule, boolean isRequest) {
    if (!connection.state().hasRules()) {
      return false;
    }
    @Nullable MacAddress repliesTo = connection.replyMac();
    if (!isRequest && repliesTo != null && !repliesTo.equals(rule.dstMac())) {
      return false; // of a router from which another has taken over
    }
    @Nullable Route route = connection.route();
    if (route != null
        && connection.isProgrammedBefore(settledNanos)
        && !common.unowned().test(connection.client().switchId())) {
      boolean isCurrent =
          rule.generation() == connection.generation()
              && parts.connectionRuleSender.leads(rule, connection, route, isRequest);
      if (!isCurrent) {
        restore(connection);
        return !rule.isOfAnyVlan();
      }
    }
    return true;
  }

  /** A rule with another port stays until complete() overwrites it. */
  private boolean accessBelongs(FoundRule.Access rule) {
    if (occasion == Occasion.FIRST) {
      parts.coreAccess.recover(at, rule);
    }
    return accessRules.found(rule.entry()) || parts.coreAccess.keepsRecovered(at);
  }

  private boolean hopBelongs(FoundRule.Hop hop) {
    groupsAlone.remove(hop.label().id());
    @Nullable LabelledPath known = parts.labels.find(hop.label());
    if (!common.unowned().keepsLabel(hop.label().id(), at)) {
      labelsFound.add(hop.label());
      return true; // what is known of it here may be outdated
    }
    if (known == null) {
      // a label that was added since this reconciliation began stays; a rule of a removed label
      // goes, as the switch may have been disconnected when the label was removed
      return parts.stateRecovery.addHop(at, hop, occasion == Occasion.FIRST)
          || parts.labels.isInUse(hop.label());
    }
    if (!known.isSettled()) {
      return true; // its current change cleans up, in the right order
    }
    if (known.goesOn(at, hop.out())) {
      labelsFound.add(hop.label());
      return true;
    }
    // if the rule has another next hop, complete() restores it
    return known.path().switches().contains(at);
  }

  /** The rule belongs to a control connection that has not ended or is not recovered yet. */
  private boolean ftpDataBelongs(FoundRule.FtpData rule) {
    @Nullable Connection control =
        common.tables().ftpSessions().atMember(rule.client(), rule.member());
    if (control == null) {
      return occasion == Occasion.FIRST || parts.stateRecovery.hasPending() || hasUnowned;
    }
    if (rule.generation() == control.generation()) {
      ftpDataFound.add(control);
    }
    return control.server().at().switchId().equals(at);
  }

  /** All rules have been checked: handles those that were missing. */
  void complete() {
    completeGroups();
    accessRules.complete();
    segmentRules.complete();
    for (LabelledPath labelled : labels) {
      boolean isKeptHere =
          occasion != Occasion.ROUTINE || common.unowned().keepsLabel(labelled.label().id(), at);
      if (!labelsFound.contains(labelled.label()) && isKeptHere) {
        parts.labels.restore(labelled, at);
      }
    }
    parts.proactiveRules.complete(at, settledNanos);
    parts.stateRecovery.forgetMissing(at, requestsFound, repliesFound);
    for (Connection connection : candidates) {
      if (!shouldHaveRules(connection)) {
        continue;
      }
      if (connection.client().switchId().equals(at)
          && !requestsFound.contains(connection.request())) {
        common
            .teardown()
            .timedOut(at, connection.request(), connection.generation(), RuleCounts.UNKNOWN);
        replyTimedOutIfMissing(connection);
        if (!connection.state().hasRules()) {
          counts.slept.increment();
        }
      } else if (occasion == Occasion.RETURN
          && connection.server().at().switchId().equals(at)
          && !repliesFound.contains(connection.reply())) {
        restore(connection);
      } else if (connection.isKeptByReplies()) {
        replyTimedOutIfMissing(connection);
      } else if (lacksFtpData(connection)) {
        parts.connectionRuleSender.expectData(connection);
        counts.restored.increment();
      }
    }
    counts.tablesRead.increment();
  }

  private void replyTimedOutIfMissing(Connection connection) {
    if (connection.server().at().switchId().equals(at)
        && !repliesFound.contains(connection.reply())) {
      common
          .teardown()
          .replyTimedOut(at, connection.reply(), connection.generation(), RuleCounts.UNKNOWN, 0);
    }
  }

  /** A group without the rule of its label is removed, or gets the rule again. */
  private void completeGroups() {
    LabelGroups made = common.ruleSender().compiler().groups();
    for (int label : groupsAlone) {
      if (parts.labels.isInUse(new Label(label))) {
        made.ruleLost(at, label);
      } else {
        common.ruleSender().send(at, factory -> List.of(made.remove(factory, at, label)));
      }
    }
    made.forgetMissing(at, groupsKnown, groups);
  }

  /** Of several control connections between two hosts, the latest has the rule. */
  private boolean lacksFtpData(Connection connection) {
    return connection.server().at().switchId().equals(at)
        && !ftpDataFound.contains(connection)
        && connection.equals(
            common
                .tables()
                .ftpSessions()
                .atMember(connection.request().srcAddress(), connection.server().address()));
  }

  private boolean shouldHaveRules(Connection connection) {
    return !common.unowned().test(connection.client().switchId())
        && (connection.client().switchId().equals(at)
            || connection.server().at().switchId().equals(at))
        && connection.state().hasRules()
        && connection.isProgrammedBefore(settledNanos);
  }

  private void restore(Connection connection) {
    @Nullable Route route = connection.route();
    if (route != null && route.isReady()) {
      parts.connectionRuleSender.restore(connection, route);
      counts.restored.increment();
    }
  }
}
