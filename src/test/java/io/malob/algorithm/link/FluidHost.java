package io.malob.algorithm.link;

import io.malob.algorithm.estimate.WindowMinimum;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * A host whose uplinks are divided evenly among their flows, as fluids. Capacities change at whole
 * seconds and are known, or only those of uplinks that were full for a second; rates and what each
 * flow has carried are read once a second, as from a switch.
 */
final class FluidHost {
  private static final double NEVER = Double.POSITIVE_INFINITY;

  private final UplinkPicker picker;
  private final FlowSizes sizes;
  private final List<IntToDoubleFunction> bpsAtSecond;
  private final List<Flow> open = new ArrayList<>();
  private final double[] carriedBytes;
  private double[] carriedBefore;
  private double[] rates;
  private final boolean[] isKnown;
  private final WindowMinimum[] peaks;
  private double now;

  private static final class Flow {
    final int uplink;
    final double bytes;
    double carried;
    double read;

    Flow(int uplink, double bytes) {
      this.uplink = uplink;
      this.bytes = bytes;
    }
  }

  /** A host with these uplinks, each given by its capacity in bit/s in each second. */
  FluidHost(String picker, List<IntToDoubleFunction> bpsAtSecond) {
    this(picker, bpsAtSecond, true);
  }

  /**
   * Capacities are known from the start, or each only after a second in which its uplink is full.
   */
  FluidHost(String picker, List<IntToDoubleFunction> bpsAtSecond, boolean areKnown) {
    this.sizes = new FlowSizes();
    this.picker = UplinkPicker.byName(picker, sizes).orElseThrow();
    this.bpsAtSecond = bpsAtSecond;
    this.carriedBytes = new double[bpsAtSecond.size()];
    this.carriedBefore = new double[bpsAtSecond.size()];
    this.rates = new double[bpsAtSecond.size()];
    this.isKnown = new boolean[bpsAtSecond.size()];
    Arrays.fill(isKnown, areKnown);
    this.peaks = new WindowMinimum[bpsAtSecond.size()];
    Arrays.setAll(peaks, uplink -> new WindowMinimum(10_000_000_000L));
  }

  /** Opens a flow over the uplink that the picker chooses. */
  void open(double bytes) {
    List<UplinkLoad> loads =
        IntStream.range(0, carriedBytes.length)
            .filter(uplink -> bps(uplink) > 0)
            .mapToObj(this::load)
            .toList();
    open.add(new Flow(picker.pick(loads).number() - 1, bytes));
  }

  private UplinkLoad load(int uplink) {
    List<Flow> here = open.stream().filter(flow -> flow.uplink == uplink).toList();
    return new UplinkLoad(
        uplink + 1,
        0,
        isKnown[uplink] ? (long) bps(uplink) : 0,
        (long) rates[uplink],
        -peaks[uplink].get((long) (now * 1e9)).orElse(0),
        here.size(),
        here.stream().mapToDouble(flow -> sizes.expectedBytes((long) flow.read, 0)).sum());
  }

  private double bps(int uplink) {
    return bpsAtSecond.get(uplink).applyAsDouble((int) Math.floor(now + 1e-9));
  }

  /** Keeps so many flows open until a number of them have ended; how long that took in seconds. */
  double fetch(int files, int atATime, LongSupplier bytes) {
    double from = now;
    int others = open.size();
    int opened = 0;
    int ended = 0;
    while (ended < files) {
      while (opened < files && open.size() - others < atATime) {
        open((double) bytes.getAsLong());
        opened++;
      }
      ended += step(NEVER);
    }
    return now - from;
  }

  /** Keeps so many flows open until then; what was carried in bytes. */
  double fetchUntil(double seconds, int atATime, LongSupplier bytes) {
    while (now < seconds - 1e-9) {
      while (open.size() < atATime) {
        open((double) bytes.getAsLong());
      }
      step(seconds);
    }
    return Arrays.stream(carriedBytes).sum();
  }

  /** Goes on to the next moment at which something changes; how many flows have ended then. */
  private int step(double until) {
    double next = Math.min(until, Math.floor(now + 1e-9) + 1);
    double[] each = bytesPerSecondOfEach();
    for (Flow flow : open) {
      next = Math.min(next, now + (flow.bytes - flow.carried) / each[flow.uplink]);
    }
    for (Flow flow : open) {
      flow.carried += each[flow.uplink] * (next - now);
      carriedBytes[flow.uplink] += each[flow.uplink] * (next - now);
    }
    boolean wholeSecond = next == Math.floor(now + 1e-9) + 1;
    now = next;
    if (wholeSecond) {
      read();
    }
    int before = open.size();
    open.removeIf(this::hasEnded);
    return before - open.size();
  }

  /** What each flow gets, by uplink. */
  private double[] bytesPerSecondOfEach() {
    int[] sharing = new int[carriedBytes.length];
    open.forEach(flow -> sharing[flow.uplink]++);
    return IntStream.range(0, sharing.length)
        .mapToDouble(uplink -> bps(uplink) / 8 / sharing[uplink])
        .toArray();
  }

  private void read() {
    open.forEach(flow -> flow.read = flow.carried);
    for (int i = 0; i < rates.length; i++) {
      rates[i] = 8 * (carriedBytes[i] - carriedBefore[i]);
      peaks[i].add((long) -rates[i], (long) (now * 1e9));
      isKnown[i] |= rates[i] > 0.99 * bpsAtSecond.get(i).applyAsDouble((int) Math.round(now) - 1);
    }
    carriedBefore = carriedBytes.clone();
  }

  private boolean hasEnded(Flow flow) {
    boolean ended = flow.carried >= flow.bytes - 1e-3;
    if (ended) {
      sizes.learn((long) flow.bytes);
    }
    return ended;
  }
}
