package io.malob.endhost;

import io.malob.openflow.Answers;
import io.malob.openflow.CookieKind;
import io.malob.openflow.uplink.FlowKey;
import io.malob.openflow.uplink.FoundFlow;
import io.malob.openflow.uplink.UplinkEnd;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the host's switch for the rules of flows: each second for their counters, and after a start
 * for existing flows. All of it runs on one executor, in order.
 *
 * <p>A flow on the switch is adopted as soon as its uplink is known to be alive. Rules whose flow
 * has no uplink after {@link #GRACE_NANOS} are deleted, and their connections are reset. A known
 * flow whose rules the switch has lost gets them again.
 */
final class FlowReading {
  private static final Logger LOG = LoggerFactory.getLogger(FlowReading.class);

  /** The time that routers have to answer after a start, also on a busy host. */
  static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** With more flows, only every tenth poll. */
  private static final int MANY = 4_000;

  private final IOFSwitchService switches;
  private final OpenFlows flows;
  private final UplinkChoice choice;
  private final FlowSender sender;
  private final Resets resets;
  private final Supplier<Optional<Wiring>> wirings;
  private final Runnable resetsLater;
  private final Executor serialExecutor;
  private final LongSupplier nanoTime;
  private boolean asking;
  private long ticks;

  /** Whether the switch may have unknown flows, or lack known ones. */
  private boolean isNew;

  private long newSinceNanos;

  /** Numbers of the uplinks that have been alive since then. */
  private final Set<Integer> aliveSinceNew = new HashSet<>();

  FlowReading(
      IOFSwitchService switches,
      OpenFlows flows,
      UplinkChoice choice,
      FlowSender sender,
      Resets resets,
      Supplier<Optional<Wiring>> wirings,
      Runnable resetsLater,
      Executor serialExecutor,
      LongSupplier nanoTime) {
    this.switches = switches;
    this.flows = flows;
    this.choice = choice;
    this.sender = sender;
    this.resets = resets;
    this.wirings = wirings;
    this.resetsLater = resetsLater;
    this.serialExecutor = serialExecutor;
    this.nanoTime = nanoTime;
  }

  /** The switch has connected; its flows are unknown. */
  void switchActivated() {
    isNew = true;
    newSinceNanos = nanoTime.getAsLong();
    aliveSinceNew.clear();
    asking = false;
  }

  /** These uplinks are alive: their flows no longer wait. */
  void follow(Wiring wiring) {
    choice
        .answers()
        .retain(wiring.usable().stream().map(UplinkView::number).collect(Collectors.toSet()));
    if (isNew) {
      wiring.usable().forEach(uplink -> aliveSinceNew.add(uplink.number()));
    }
  }

  /** Whether there may be flows that are not adopted yet, or unknown uplinks. */
  boolean isSettling() {
    return isNew;
  }

  /**
   * Whether a flow without its uplink is lost: the uplink has been alive since the switch
   * connected, or its grace period is over.
   */
  boolean isLost(int uplink) {
    return !isNew || aliveSinceNew.contains(uplink);
  }

  /**
   * Polls again, if necessary.
   *
   * @param whenCounted called when the counters of all flows are known
   */
  void tick(Wiring wiring, Runnable whenCounted) {
    @Nullable IOFSwitch sw = switches.getActiveSwitch(wiring.switchId());
    boolean isDue = ticks++ % 10 == 0 || flows.all().size() < MANY;
    if (sw == null || wiring.inside().isEmpty() || asking) {
      return;
    }
    if (isNew || (isDue && !flows.all().isEmpty())) {
      asking = true;
      ask(sw, CookieKind.UPLINK_BACK, this::takeBack, () -> askOut(sw, whenCounted));
    } else if (flows.all().isEmpty()) {
      choice.looked(List.of(), nanoTime.getAsLong());
    }
  }

  private void askOut(IOFSwitch sw, Runnable whenCounted) {
    ask(
        sw,
        CookieKind.UPLINK_OUT,
        found -> found.forEach(this::count),
        () -> {
          asking = false;
          long now = nanoTime.getAsLong();
          choice.looked(flows.all(), now);
          choice.answers().looked(flows.all(), now).forEach(this::avoid);
          whenCounted.run();
        });
  }

  /** The connections that are being opened over an avoided uplink are placed anew. */
  private void avoid(int uplink) {
    Optional<Wiring> now = wirings.get();
    LOG.warn(
        "uplink_avoided uplink=\"{}\" - its router answers, but servers that answer over another"
            + " uplink do not",
        now.map(wiring -> wiring.nameOf(uplink)).orElse(""));
    for (Flow flow : flows.all()) {
      if (flow.uplink() == uplink
          && flow.key().protocol() == FlowKey.TCP
          && flow.receivedBytes() == 0
          && flows.forget(flow)) {
        now.ifPresent(wiring -> sender.remove(wiring, uplink, flow.generation()));
      }
    }
  }

  private void ask(IOFSwitch sw, CookieKind kind, Consumer<List<FoundFlow>> taker, Runnable next) {
    Answers.take(
        sw.writeStatsRequest(FoundFlow.request(sw.getOFFactory(), kind)),
        serialExecutor,
        parts -> {
          taker.accept(
              parts.stream()
                  .flatMap(part -> part.getEntries().stream())
                  .flatMap(entry -> FoundFlow.of(entry).stream())
                  .toList());
          next.run();
        },
        cause -> asking = false);
  }

  private void takeBack(List<FoundFlow> found) {
    found.forEach(this::count);
    Optional<Wiring> now = wirings.get();
    if (isNew && now.isPresent() && now.get().inside().isPresent()) {
      settle(now.get(), found);
    }
  }

  private void count(FoundFlow found) {
    @Nullable Flow flow = flows.find(found.key());
    if (flow != null && flow.generation() == found.generation()) {
      flow.counted(
          found.isOut() ? 0 : found.bytes(),
          found.isOut() ? found.bytes() : 0,
          nanoTime.getAsLong());
    }
  }

  private void settle(Wiring wiring, List<FoundFlow> found) {
    boolean isOver = nanoTime.getAsLong() - newSinceNanos >= GRACE_NANOS;
    boolean isComplete = true;
    Set<FlowKey> carried = new HashSet<>();
    for (FoundFlow each : found) {
      if (flows.find(each.key()) != null || adopt(wiring, each)) {
        carried.add(each.key());
      } else if (isOver || aliveSinceNew.contains(each.uplink())) {
        abandon(wiring, each);
      } else {
        isComplete = false;
      }
    }
    for (Flow flow : flows.all()) {
      boolean isOld = nanoTime.getAsLong() - flow.startedNanos() >= TimeUnit.SECONDS.toNanos(1);
      if (isOld && !carried.contains(flow.key()) && !flow.isOver()) {
        wiring.uplinkOf(flow).ifPresent(uplink -> sender.carry(wiring, uplink, flow));
      }
    }
    isNew = !isComplete;
  }

  private boolean adopt(Wiring wiring, FoundFlow found) {
    @Nullable UplinkEnd uplink = wiring.byPort().get(found.inPort());
    if (uplink == null || flows.isFull()) {
      return false;
    }
    long nowNanos = nanoTime.getAsLong();
    Flow flow =
        new Flow(
            found.key(),
            uplink.number(),
            found.hostAddress(),
            found.generation(),
            nowNanos - (long) (found.seconds() * TimeUnit.SECONDS.toNanos(1)));
    if (wiring.uplinkOf(flow).isEmpty()) {
      return false;
    }
    flow.hasRules(nowNanos);
    flow.counted(found.bytes(), 0, nowNanos);
    flows.adopt(flow);
    if (found.uplink() != uplink.number()) {
      sender.carry(wiring, uplink, flow); // so that its cookie names its uplink
    }
    return true;
  }

  private void abandon(Wiring wiring, FoundFlow found) {
    sender.remove(wiring, found.uplink(), found.generation());
    if (found.key().protocol() == FlowKey.TCP) {
      resets.begin(found.key(), /* mayMove= */ true, nanoTime.getAsLong());
      resetsLater.run();
    }
  }
}
