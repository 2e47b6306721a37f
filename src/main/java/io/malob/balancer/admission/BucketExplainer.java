package io.malob.balancer.admission;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Multiset;
import io.malob.algorithm.Server;
import io.malob.balancer.api.ExplainedConnection.ChosenBucket;
import io.malob.balancer.api.ExplainedConnection.ClientBuckets;
import io.malob.balancer.api.ExplainedConnection.MemberBuckets;
import io.malob.balancer.api.ProactiveStats;
import io.malob.balancer.bucket.Bucket;
import io.malob.balancer.bucket.BucketTable;
import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.view.ServicePlan;
import io.malob.state.catalog.Member;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Describes the buckets of a proactive VIP at a client's edge, and what would move one of them.
 * Thread-safe.
 *
 * @param stats the state of proactive VIPs, for the shares of members
 */
public record BucketExplainer(
    Buckets buckets, Supplier<? extends List<ProactiveStats>> stats, LongSupplier nanoTime) {
  /**
   * Describes the buckets at an edge.
   *
   * @param members the members of the VIP's pool
   * @param index the bucket of the client's packets; empty if it is not known
   */
  ClientBuckets explain(
      ServicePlan plan,
      List<Member> members,
      DatapathId switchId,
      BucketTable table,
      OptionalInt index) {
    Optional<ProactiveStats.Edge> edge =
        stats.get().stream()
            .filter(each -> each.vipId().equals(plan.vip().id()))
            .flatMap(each -> each.edges().stream())
            .filter(each -> each.switchId().equals(switchId))
            .findFirst();
    Multiset<Integer> counts = HashMultiset.create();
    for (Bucket bucket : table.buckets()) {
      @Nullable Server member = bucket.member() == null ? bucket.before() : bucket.member();
      if (member != null) {
        counts.add(member.number());
      }
    }
    Map<Integer, MemberBuckets> byNumber = new LinkedHashMap<>();
    for (Member member : members) {
      byNumber.put(
          member.number(),
          new MemberBuckets(
              member.id(),
              counts.count(member.number()),
              part(edge.map(ProactiveStats.Edge::loads), member),
              part(edge.map(ProactiveStats.Edge::shares), member)));
    }
    return new ClientBuckets(
        table.key().source().text(),
        table.key().count(),
        index.stream().mapToObj(number -> chosen(plan, table, number, byNumber)).findFirst(),
        ImmutableList.copyOf(byNumber.values()));
  }

  /** A member without an entry gets nothing. */
  private static OptionalDouble part(Optional<ImmutableMap<String, Double>> parts, Member member) {
    return parts.isEmpty()
        ? OptionalDouble.empty()
        : OptionalDouble.of(parts.get().getOrDefault(member.id(), 0.0));
  }

  private ChosenBucket chosen(
      ServicePlan plan, BucketTable table, int index, Map<Integer, MemberBuckets> byNumber) {
    Bucket bucket = table.buckets().get(index);
    double seconds = (nanoTime.getAsLong() - bucket.sinceNanos()) / 1e9;
    double duration =
        bucket.isMoving()
            ? buckets.timeouts().move()
            : bucket.cause() == Bucket.Cause.FIRST ? 0 : buckets.timeouts().hold();
    double secondsLeft = Math.max(0, duration - seconds);
    Optional<MemberBuckets> member = of(bucket.member(), byNumber);
    Optional<MemberBuckets> before = of(bucket.before(), byNumber);
    return new ChosenBucket(
        index,
        member.map(MemberBuckets::memberId),
        before.map(MemberBuckets::memberId),
        bucket.cause().text(),
        seconds,
        secondsLeft,
        bucket.isMoving()
            ? whileMoving(member, before, secondsLeft)
            : atRest(plan, bucket, member, table.key().count(), secondsLeft));
  }

  private static Optional<MemberBuckets> of(
      @Nullable Server server, Map<Integer, MemberBuckets> byNumber) {
    return server == null ? Optional.empty() : Optional.ofNullable(byNumber.get(server.number()));
  }

  private static String whileMoving(
      Optional<MemberBuckets> member, Optional<MemberBuckets> before, double secondsLeft) {
    String when = secondsLeft > 0 ? "in " + seconds(secondsLeft) : "as soon as a path is ready";
    if (member.isEmpty()) {
      return "The VIP is becoming reactive here: " + when + ", the controller places connections.";
    }
    String from = before.map(each -> " from " + each.memberId()).orElse("");
    return String.format(
        "It moves%s to %s: %s, it leads there.", from, member.get().memberId(), when);
  }

  private static String atRest(
      ServicePlan plan,
      Bucket bucket,
      Optional<MemberBuckets> member,
      int count,
      double secondsLeft) {
    @Nullable Server server = bucket.member();
    if (server == null || member.isEmpty()) {
      return "Its member is not located. If it stays away, the bucket moves.";
    }
    String id = member.get().memberId();
    if (plan.members().inTurn(server.number()) == null) {
      return "Member " + id + " takes no new connections, so the bucket moves.";
    }
    if (member.get().share().isEmpty() || member.get().load().isEmpty()) {
      return "The shares of the members are not known yet.";
    }
    double load = member.get().load().getAsDouble();
    double share = member.get().share().getAsDouble();
    double max = share + 1.0 / count; // see BucketAssignment.improve
    String gets =
        String.format(
            Locale.ROOT,
            "Member %s gets %.1f %% of the traffic here, and its share is %.1f %%.",
            id,
            100 * load,
            100 * share);
    if (max >= 1) {
      return gets + " Buckets of it move if that share falls, or if it is drained or down.";
    }
    if (load <= max) {
      return String.format(
          Locale.ROOT,
          "%s Buckets of it move above about %.1f %%, or if it is drained or down.",
          gets,
          100 * max);
    }
    String earliest =
        secondsLeft > 0 ? ", this one in " + seconds(secondsLeft) + " at the earliest" : "";
    return gets + " So buckets of it move" + earliest + ".";
  }

  private static String seconds(double seconds) {
    return (long) Math.ceil(seconds) + " s";
  }
}
