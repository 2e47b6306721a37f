package io.malob.endhost;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.uplink.GroupRules.Share;
import io.malob.openflow.uplink.UplinkEnd;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPVersion;

/** The shares of flows for uplinks, if the switch distributes flows itself. Pure. */
final class Shares {
  /** The largest weight; Open vSwitch is exact to about a hundredth. */
  private static final int MAX = 100;

  /**
   * Smaller changes are ignored: with each change some flows get another uplink, and break. The
   * threshold is larger for measured values, because of measurement noise.
   */
  private static final double TOLERANCE_GIVEN = 1.1;

  private static final double TOLERANCE_MEASURED = 2;

  private Shares() {}

  /**
   * The shares of live uplinks: by the operator's weights, or by their capacities, and equal if
   * neither is known for all; empty if the switch does not, or cannot, distribute flows.
   */
  static List<Share> of(Wiring wiring) {
    if (!wiring.view().network().algorithm().equals(UplinkChoice.GROUP)) {
      return List.of();
    }
    List<UplinkEnd> ends = new ArrayList<>();
    List<Double> weights = new ArrayList<>();
    for (UplinkView each : wiring.usable()) {
      @Nullable UplinkEnd end = wiring.byNumber().get(each.number());
      boolean carriesNothing = each.capacityBps() == 0 && !each.capacitySource().equals("unknown");
      if (end != null && end.carries(IPVersion.IPv4) && !carriesNothing) {
        ends.add(end);
        double weight = each.uplink().weight();
        weights.add(weight > 0 ? weight : each.capacityBps() / 1e6);
      }
    }
    return scaled(ends, weights);
  }

  private static List<Share> scaled(List<UplinkEnd> ends, List<Double> weights) {
    boolean isKnown = weights.stream().allMatch(weight -> weight > 0);
    double largest = weights.stream().mapToDouble(weight -> weight).max().orElse(1);
    ImmutableList.Builder<Share> shares = ImmutableList.builder();
    for (int i = 0; i < ends.size(); i++) {
      int weight = isKnown ? (int) Math.max(1, Math.round(MAX * weights.get(i) / largest)) : 1;
      shares.add(new Share(ends.get(i), weight));
    }
    return shares.build();
  }

  /** Whether all weights are the operator's, or capacities that were recorded. */
  private static boolean areGiven(Wiring wiring) {
    return wiring.usable().stream()
        .allMatch(each -> each.uplink().weight() > 0 || each.capacitySource().equals("recorded"));
  }

  /** Whether the wiring's shares differ enough from the current ones for a change. */
  static boolean differ(List<Share> before, List<Share> after, Wiring wiring) {
    if (before.size() != after.size()) {
      return true;
    }
    double tolerance = areGiven(wiring) ? TOLERANCE_GIVEN : TOLERANCE_MEASURED;
    double allBefore = before.stream().mapToInt(Share::weight).sum();
    double allAfter = after.stream().mapToInt(Share::weight).sum();
    for (int i = 0; i < before.size(); i++) {
      double old = before.get(i).weight() / allBefore;
      double now = after.get(i).weight() / allAfter;
      if (!before.get(i).uplink().equals(after.get(i).uplink())
          || now > tolerance * old
          || old > tolerance * now) {
        return true;
      }
    }
    return false;
  }
}
