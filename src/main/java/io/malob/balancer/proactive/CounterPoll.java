package io.malob.balancer.proactive;

import io.malob.openflow.Answers;
import io.malob.openflow.Cookie;
import io.malob.openflow.RuleCounts;
import io.malob.openflow.SwitchTables;
import io.malob.openflow.bucket.BucketCookie;
import io.malob.openflow.bucket.BucketRules;
import io.malob.openflow.bucket.ReplyRules;
import io.malob.openflow.bucket.UncommittedRule;
import java.util.Collection;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;
import org.projectfloodlight.openflow.types.DatapathId;

/** Reads the counters of the rules of proactive VIPs from switches. For one thread at a time. */
final class CounterPoll {
  /** The max number of rules whose counters are read in a second. */
  private static final int POLLED_RULES = 10_000;

  private final Programmed programmed;
  private final IOFSwitchService switches;
  private final Executor serialExecutor;
  private final LongSupplier nanoTime;

  CounterPoll(
      Programmed programmed,
      IOFSwitchService switches,
      Executor serialExecutor,
      LongSupplier nanoTime) {
    this.programmed = programmed;
    this.switches = switches;
    this.serialExecutor = serialExecutor;
    this.nanoTime = nanoTime;
  }

  /**
   * Reads the counters of buckets and of members' replies.
   *
   * @param turn the number of this poll: if there are very many rules, only some are read
   */
  void poll(Collection<ProactiveVip> vips, long turn) {
    int rules =
        vips.stream()
            .flatMap(vip -> vip.edges().stream())
            .mapToInt(edge -> edge.key().map(key -> key.count()).orElse(0))
            .sum();
    int part = 1 + rules / POLLED_RULES;
    for (ProactiveVip vip : vips) {
      int number = vip.traffic().vipNumber();
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
          if (vip.traffic().isTracked()) {
            ask(
                edge.switchId(),
                tables -> UncommittedRule.requestCounter(tables.factory(), number),
                entry -> uncommittedCounted(vip, edge.switchId(), entry));
          }
        }
      }
      if (vip.hasRules()) {
        for (DatapathId each : vip.memberEdges()) {
          ask(
              each,
              tables -> ReplyRules.requestCounters(tables.factory(), number),
              entry -> replyCounted(vip, each, entry));
        }
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

  private void uncommittedCounted(ProactiveVip vip, DatapathId switchId, OFFlowStatsEntry entry) {
    RuleCounts.packets(entry)
        .ifPresent(packets -> vip.fullTables().counted(switchId, packets, nanoTime.getAsLong()));
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
    Optional<Wire> wire = programmed.wire(switchId);
    if (sw == null || wire.isEmpty()) {
      return;
    }
    Answers.take(
        sw.writeStatsRequest(request.apply(wire.get().tables())),
        serialExecutor,
        answer -> answer.forEach(reply -> reply.getEntries().forEach(each)),
        cause -> {}); // the next poll asks again
  }
}
