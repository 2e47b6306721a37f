package io.malob.balancer.proactive;

import io.malob.algorithm.Server;
import io.malob.balancer.bucket.Buckets.Timeouts;
import io.malob.openflow.Onward;
import io.malob.openflow.bucket.BucketCookie;
import io.malob.openflow.bucket.BucketKey;
import io.malob.openflow.bucket.BucketRules;
import io.malob.openflow.label.Label;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntBiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The rules of a VIP's buckets at one client edge: those that were sent, those that wait for their
 * turn, and those that the switch was found to have. For one thread at a time.
 */
final class SentBuckets {
  /** How long the ends of connections are told after a move, besides its own time. */
  private static final int ENDS_SECONDS = 30;

  private final Leads<Integer> leads;
  private final EdgeTraffic traffic;
  private final int endsSeconds;

  /** Whether the switch remembers the members of connections: then no rule names a path. */
  private final boolean isTracked;

  /** The number of paths of the replies of a member, by its number. */
  private final ToIntBiFunction<BucketInput, Integer> replyPaths;

  private Sent[] rules = new Sent[0];

  /** The ports where paths to members begin. */
  private Set<OFPort> exits = Set.of();

  /** Whether rules waited for their turn to change when they were last programmed. */
  private boolean isWaiting;

  /** The labels in the rules of an earlier run. */
  private Set<Label> foundLabels = Set.of();

  /** The rule of a bucket. */
  private static final class Sent {
    /** The lead in the rule; null if the rule sends packets to the controller, or is not known. */
    @Nullable Lead lead;

    /** The port that the rule names. */
    Optional<OFPort> port = Optional.empty();

    /** The member in the cookie of the rule; 0 if there is none. */
    int member;

    /** The ordinal of the path of replies that connections get; 0 if there is none. */
    int replyPath;

    boolean isMoving;
    long atNanos;

    /** The change of the rule that waits for its turn; null if none does. */
    @Nullable Reroute waiting;

    Optional<OFMessage> takeTurn(long nowNanos) {
      @Nullable Reroute next = waiting;
      if (next == null) {
        return Optional.empty();
      }
      waiting = null;
      lead = next.lead;
      port = next.port;
      atNanos = nowNanos;
      return Optional.of(next.message);
    }
  }

  /** Another path to the same member. */
  private record Reroute(Lead lead, Optional<OFPort> port, OFMessage message) {}

  /**
   * No rules.
   *
   * @param replyPaths the number of paths of the replies of a member, by its number
   */
  SentBuckets(
      Leads<Integer> leads,
      EdgeTraffic traffic,
      Timeouts timeouts,
      boolean isTracked,
      ToIntBiFunction<BucketInput, Integer> replyPaths) {
    this.leads = leads;
    this.traffic = traffic;
    this.isTracked = isTracked;
    this.replyPaths = replyPaths;
    this.endsSeconds = 2 * timeouts.move() + ENDS_SECONDS;
  }

  /** The switch has no rules of these buckets. */
  void begin(int size) {
    rules = Stream.generate(Sent::new).limit(size).toArray(Sent[]::new);
  }

  /** Forgets all rules. */
  void clear() {
    Arrays.stream(rules).forEach(rule -> rule.waiting = null);
    begin(0);
  }

  /** Takes over the rules that a switch was found to have. */
  void recover(RecoveredBuckets found, long nowNanos) {
    begin(found.key().count());
    for (int index = 0; index < rules.length; index++) {
      BucketCookie cookie = found.cookie(index);
      rules[index].member = cookie.memberNumber();
      rules[index].isMoving = cookie.isMoving();
      rules[index].atNanos = nowNanos;
    }
    foundLabels = Set.copyOf(found.labels());
  }

  /** Sends the rules of buckets that have changed. */
  void program(BucketInput now, Wire wire, BucketKey key, List<Cell> cells) {
    int[] ordinals = isTracked ? ordinals(now, cells) : new int[rules.length];
    for (int index = 0; index < rules.length; index++) {
      program(now, wire, key, index, cells.get(index), ordinals[index]);
    }
    isWaiting = hasWaiting();
    if (!isWaiting) {
      leads.releaseReplaced();
    }
    exits = leads.ports();
    if (isWaiting) {
      Arrays.stream(rules).flatMap(rule -> rule.port.stream()).forEach(exits::add);
    }
  }

  private int[] ordinals(BucketInput now, List<Cell> cells) {
    int[] members = cells.stream().mapToInt(cell -> cell.member).toArray();
    int[] before = new int[members.length];
    for (int index = 0; index < members.length; index++) {
      before[index] = rules[index].member == members[index] ? rules[index].replyPath : 0;
    }
    return BucketOrdinals.assign(members, before, number -> replyPaths.applyAsInt(now, number));
  }

  private boolean hasWaiting() {
    return Arrays.stream(rules).anyMatch(rule -> rule.waiting != null);
  }

  /** Whether no rule waits any more, as some did when they were last programmed. */
  boolean hasCaughtUp() {
    return isWaiting && !hasWaiting();
  }

  private void program(
      BucketInput now, Wire wire, BucketKey key, int index, Cell cell, int replyPath) {
    Sent rule = rules[index];
    if (cell.isMoving()) {
      if (!rule.isMoving || rule.member != cell.before) {
        watchEnds(now, wire, key, index);
        wire.sw().then(BucketRules.moving(wire.tables(), now.traffic(), key, index, cell.before));
        sent(index, null, Optional.empty(), cell, now.nowNanos());
      }
      return;
    }
    Optional<Lead> lead = leads.find(cell.member);
    @Nullable Server server = lead.isEmpty() ? null : lead.get().server();
    if (lead.isEmpty() || server == null) {
      return;
    }
    Onward next = lead.get().onward(server.at()).answeredBy(replyPath);
    Optional<OFPort> port = wire.tables().namedPort(next);
    @Nullable Lead before = rule.lead;
    boolean isSent =
        isTracked
            ? before != null
                && before.isTo(server)
                && rule.member == cell.member
                && rule.replyPath == replyPath
            : lead.get().equals(before) && port.equals(rule.port);
    if (isSent) {
      rule.waiting = null;
      return;
    }
    OFFlowAdd add = BucketRules.toMember(wire.tables(), now.traffic(), key, index, server, next);
    boolean keepsCookie = !rule.isMoving && rule.member == cell.member;
    OFMessage message = keepsCookie ? ProgrammedSwitch.change(wire.factory(), add) : add;
    if (keepsCookie && wire.tables().isOne() && rule.lead != null && rule.lead.isTo(server)) {
      boolean isQueued = rule.waiting != null;
      rule.waiting = new Reroute(lead.get(), port, message);
      if (!isQueued) {
        wire.sw().pace(rule::takeTurn);
      }
      return;
    }
    wire.sw().then(message);
    sent(index, lead.get(), port, cell, now.nowNanos());
    rule.replyPath = replyPath;
  }

  /** Until connections that were placed during the move have ended or are idle. */
  private void watchEnds(BucketInput now, Wire wire, BucketKey key, int index) {
    // the ends of tracked connections do not come to the buckets
    if (wire.countsTcpFlags() && now.traffic().isTcp() && !isTracked) {
      BucketRules.ends(wire.factory(), now.traffic(), key, index, endsSeconds)
          .forEach(wire.sw()::then);
    }
  }

  private void sent(
      int index, @Nullable Lead lead, Optional<OFPort> port, Cell cell, long nowNanos) {
    Sent rule = rules[index];
    int member = cell.current();
    if (cell.isMoving() || rule.member != member || rule.isMoving) {
      traffic.replaced(index);
    }
    rule.waiting = null;
    rule.lead = lead;
    rule.port = port;
    rule.member = member;
    rule.replyPath = 0;
    rule.isMoving = cell.isMoving();
    rule.atNanos = nowNanos;
  }

  /**
   * The switch was found to have the rule of a bucket.
   *
   * @param label the label in the rule
   * @param out the port in the rule
   * @return whether it is as it was sent
   */
  boolean isAsSent(BucketCookie cookie, Optional<Label> label, Optional<OFPort> out) {
    Sent rule = rules[cookie.index()];
    @Nullable Lead lead = rule.lead;
    return cookie.isMoving() == rule.isMoving
        && cookie.memberNumber() == rule.member
        && (rule.isMoving
            || lead == null
            || isTracked
            || (label.equals(Optional.ofNullable(lead.label())) && out.equals(rule.port)));
  }

  /** Whether a rule of an earlier run that is not replaced yet uses a label. */
  boolean usesFoundLabel(Label label) {
    return foundLabels.contains(label)
        && Arrays.stream(rules).anyMatch(rule -> rule.lead == null && !rule.isMoving);
  }

  /** The switch is away. What waits for its turn is sent, as all others, when it is back. */
  void disconnected() {
    Arrays.stream(rules).forEach(rule -> rule.takeTurn(rule.atNanos));
  }

  /** Forgets the rules that the switch was found not to have; whether it had all. */
  boolean complete(Set<Integer> seen, long settledNanos) {
    boolean hasAll = true;
    for (int index = 0; index < rules.length; index++) {
      if (!seen.contains(index) && rules[index].atNanos <= settledNanos) {
        rules[index].waiting = null;
        rules[index].lead = null;
        rules[index].member = 0;
        rules[index].isMoving = false;
        hasAll = false;
      }
    }
    return hasAll;
  }

  /** Whether the rule of a bucket leads to a member, and counts the packets of its connections. */
  boolean countsFor(int index, int memberNumber) {
    return rules[index].member == memberNumber && !rules[index].isMoving;
  }

  /** The ports where paths to members begin. */
  Set<OFPort> exits() {
    return exits;
  }
}
