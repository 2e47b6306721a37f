package io.malob.endhost;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.link.FlowSizes;
import io.malob.algorithm.link.UplinkLoad;
import io.malob.algorithm.link.UplinkPicker;
import io.malob.openflow.uplink.FlowKey;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Chooses uplinks for new flows by the current rule, and keeps the data on open flows for it. Its
 * lock is held for a choice and never while messages are sent.
 */
final class UplinkChoice {
  static final String GROUP = "GROUP";

  /** The names of the rules; GROUP is the switch's own choice, with WRR for other flows. */
  static final List<String> NAMES = List.of("RR", "MBW", "WRR", "ADAPTIVE", GROUP);

  private final Answers answers = new Answers();
  private final FlowSizes sizes = new FlowSizes();
  private final Map<Integer, OpenFlows> byUplink = new HashMap<>();
  private @Nullable String name;
  private @Nullable UplinkPicker picker;

  /** The open flows of one uplink. */
  private static final class OpenFlows {
    private int count;
    private double expectedBytes;
  }

  /** Sets the rule; keeps the state if it does not change. */
  synchronized void use(String algorithm) {
    if (!algorithm.equals(name)) {
      name = algorithm;
      String rule = algorithm.equals(GROUP) ? "WRR" : algorithm;
      picker = UplinkPicker.byName(rule, sizes).orElseThrow();
    }
  }

  /** Which uplinks are avoided because servers do not answer over them. */
  Answers answers() {
    return answers;
  }

  /**
   * The uplink for a new flow, if possible neither a silent nor an avoided one; empty if none can
   * carry it.
   */
  synchronized Optional<UplinkView> choose(Wiring wiring, FlowKey key) {
    List<UplinkView> able =
        wiring.usable().stream()
            .filter(each -> wiring.isUsable(each.number(), key))
            .collect(ImmutableList.toImmutableList());
    UplinkPicker rule = picker;
    if (able.isEmpty() || rule == null) {
      return Optional.empty();
    }
    if (!key.isSpread()) {
      Optional<String> wanted = wiring.view().network().defaultUplink();
      return Optional.of(
          able.stream()
              .filter(each -> wanted.filter(each.uplink().name()::equals).isPresent())
              .findFirst()
              .orElse(able.get(0)));
    }
    List<UplinkView> heard =
        able.stream().filter(each -> !each.silent() && !answers.isAvoided(each.number())).toList();
    List<UplinkView> candidates = heard.isEmpty() ? able : heard;
    UplinkLoad picked = rule.pick(candidates.stream().map(this::load).toList());
    return candidates.stream().filter(each -> each.number() == picked.number()).findFirst();
  }

  /**
   * The other uplink for a race: the one with the shortest round trip to its router; empty if there
   * is only one.
   */
  Optional<UplinkView> other(Wiring wiring, FlowKey key, int first) {
    return wiring.usable().stream()
        .filter(each -> each.number() != first && wiring.isUsable(each.number(), key))
        .filter(each -> !answers.isAvoided(each.number()))
        .min(
            Comparator.comparing((UplinkView each) -> each.roundTripNanos() == 0)
                .thenComparing(UplinkView::roundTripNanos));
  }

  private UplinkLoad load(UplinkView view) {
    OpenFlows open = open(view.number());
    return new UplinkLoad(
        view.number(),
        view.uplink().weight(),
        view.capacityBps(),
        view.rateBps(),
        view.peakBps(),
        open.count,
        open.expectedBytes);
  }

  private OpenFlows open(int uplink) {
    return byUplink.computeIfAbsent(uplink, none -> new OpenFlows());
  }

  /** A flow has been placed. */
  synchronized void placed(Flow flow) {
    open(flow.uplink()).count++;
    expect(flow, sizes.meanBytes());
  }

  /** A flow has ended. */
  synchronized void ended(Flow flow) {
    open(flow.uplink()).count--;
    expect(flow, 0);
  }

  /** Learns from the final size of a flow. */
  synchronized void known(Flow flow) {
    long carried = flow.receivedBytes() + flow.sentBytes();
    if (carried > 0 && flow.key().isSpread()) {
      sizes.learn(carried);
    }
  }

  /** Updates the expected remaining traffic of all open flows. */
  synchronized void looked(Iterable<Flow> flows, long nowNanos) {
    for (Flow flow : flows) {
      if (!flow.isOver()) {
        double quietSeconds = (nowNanos - flow.activeNanos()) / 1e9;
        long carried = flow.receivedBytes() + flow.sentBytes();
        expect(flow, sizes.expectedBytes(carried, Math.max(0, quietSeconds - 1)));
      }
    }
  }

  private void expect(Flow flow, double bytes) {
    OpenFlows open = open(flow.uplink());
    // sums of differences are never quite exact
    open.expectedBytes = Math.max(0, open.expectedBytes + bytes - flow.expect(bytes));
  }
}
