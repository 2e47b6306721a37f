package io.malob.latency;

import com.google.common.primitives.Longs;
import io.malob.algorithm.estimate.LatencyEstimator.Limits;
import io.malob.algorithm.graph.Topology;
import io.malob.module.BaseModule;
import io.malob.module.IClusterService;
import io.malob.module.Repetition;
import io.malob.module.Setting;
import io.malob.module.SettingReader;
import io.malob.monitor.IMonitorService;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Measures the latency of each link, in both directions, by probe frames of its own. All sending
 * and estimating is done by one thread, a little every 10 ms; threads that read from switches only
 * take the time.
 */
@SuppressWarnings("NullAway.Init") // filled by init, before anything else is called
public final class LatencyModule extends BaseModule implements ILatencyService {
  private static final Setting<Integer> INTERVAL =
      millis("intervalMillis", 2_000).describedAs("The interval in which each link is probed.");
  private static final Setting<Integer> PROBES_PER_INTERVAL =
      Setting.number("probesPerInterval", 2, 1, 100)
          .describedAs(
              "The probes of each direction per interval; up to eight times as many in small"
                  + " networks, only one if directions and switches together exceed 1000.");
  private static final Setting<Integer> WINDOW =
      millis("windowMillis", 4_000)
          .describedAs(
              "The window whose minimum counts; with more than two intervals, a slower link shows"
                  + " after more than three.");
  private static final Setting<Integer> LOST =
      millis("lostMillis", 3_000).describedAs("The time after which a probe counts as lost.");
  private static final Setting<Integer> MAX_LATENCY =
      millis("maxLatencyMillis", 1_000)
          .describedAs("The max plausible latency.")
          .formerly("mostLatencyMillis");
  private static final Setting<ControlMethod> CONTROL_METHOD =
      Setting.choice("controlMethod", ControlMethod.class, "echo")
          .describedAs(
              "The method for round trips to switches; a switch that does not answer to one gets"
                  + " the other.");

  private static final int MIN_TICK_MILLIS = 10;
  private static final int MAX_TICK_MILLIS = 100;
  private static final int TICKS_PER_INTERVAL = 100;
  private static final int MAX_OUTSTANDING = 1 << 16;

  /** The max factor by which the number of probes grows, up to the following total. */
  private static final int MAX_TURNS = 8;

  private static final int PROBES_PER_TURN = 800;

  /** With more targets, each has one probe per interval, regardless of the setting. */
  private static final int MANY_TARGETS = 1_000;

  /** Negative results up to this come from noise: it is the accuracy of measurements. */
  private static final long NOISE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final LongSupplier random;
  private final Counters counters = new Counters();
  private final OutstandingProbes outstanding = new OutstandingProbes(MAX_OUTSTANDING);
  private IMonitorService monitor;
  private IFloodlightProviderService provider;
  private IThreadPoolService threads;
  private long tickMillis;
  private long lostNanos;
  private int probesPerInterval;
  private Measurements measurements;
  private ProbeReceiver receiver;
  private ProbeSender sender;
  private ProbeWheel<ProbeGroup> wheel;
  private Topology topology = Topology.EMPTY;

  /** For the module loader. */
  public LatencyModule() {
    this(new SecureRandom()::nextLong);
  }

  /** A module whose run and key come from there. */
  LatencyModule(LongSupplier random) {
    this.random = random;
  }

  @Override
  public List<Setting<?>> settings() {
    return List.of(INTERVAL, PROBES_PER_INTERVAL, WINDOW, LOST, MAX_LATENCY, CONTROL_METHOD);
  }

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(
        IMonitorService.class,
        IFloodlightProviderService.class,
        IOFSwitchService.class,
        IThreadPoolService.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {
    monitor = context.getServiceImpl(IMonitorService.class);
    provider = context.getServiceImpl(IFloodlightProviderService.class);
    threads = context.getServiceImpl(IThreadPoolService.class);
    long interval = nanos(settings, INTERVAL);
    long window = nanos(settings, WINDOW);
    long maxLatency = nanos(settings, MAX_LATENCY);
    lostNanos = nanos(settings, LOST);
    tickMillis =
        Longs.constrainToRange(
            TimeUnit.NANOSECONDS.toMillis(interval) / TICKS_PER_INTERVAL,
            MIN_TICK_MILLIS,
            MAX_TICK_MILLIS);
    wheel = new ProbeWheel<>(interval, TimeUnit.MILLISECONDS.toNanos(tickMillis));
    probesPerInterval = settings.get(PROBES_PER_INTERVAL);
    ControlMethod method = settings.get(CONTROL_METHOD);
    ProbeFrames frames = new ProbeFrames(random);
    // real Floodlight has no such service
    @Nullable IClusterService cluster = context.getServiceImpl(IClusterService.class);
    receiver =
        new ProbeReceiver(
            frames,
            outstanding,
            counters,
            monitor::nanoTime,
            () -> IClusterService.isInCluster(cluster));
    sender =
        new ProbeSender(
            context.getServiceImpl(IOFSwitchService.class),
            frames,
            outstanding,
            counters,
            monitor::nanoTime);
    // after the window's two intervals, a third one leaves a twelfth of a jump
    Limits limits = new Limits(window, interval * 2 / 5, NOISE_NANOS, maxLatency);
    measurements = new Measurements(limits, method, monitor.links(), counters);
  }

  private static Setting<Integer> millis(String name, int defaultValue) {
    return Setting.number(name, defaultValue, MIN_TICK_MILLIS, 3_600_000);
  }

  private static long nanos(SettingReader settings, Setting<Integer> millis)
      throws FloodlightModuleException {
    return TimeUnit.MILLISECONDS.toNanos(settings.get(millis));
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    provider.addOFMessageListener(OFType.PACKET_IN, receiver);
    provider.addOFMessageListener(OFType.ECHO_REPLY, receiver);
    new Repetition(threads.getScheduledExecutor()).every(tickMillis, "probing links", this::tick);
  }

  /** One step of the schedule; by one thread at a time. */
  @SuppressWarnings("ReferenceEquality") // a topology is published only if it has changed
  private void tick() {
    long now = monitor.nanoTime();
    Topology found = monitor.measuredLinks();
    if (found != topology) {
      topology = found;
      wheel.set(measurements.take(found), turns(found.switches().size() + found.links().size()));
    }
    receiver.drain(measurements::answered);
    outstanding.removeBefore(now - lostNanos, probe -> measurements.lost(probe, now));
    wheel.due(now, sender::send);
  }

  /**
   * The number of probes of a target per interval. More probes find more undisturbed moments, at
   * almost no cost in small networks. In large ones one is enough: a window of two intervals still
   * has two samples of the trip and of both round trips, and a disturbance of one of them has left
   * the average two intervals later.
   */
  private int turns(int targets) {
    if (targets > MANY_TARGETS) {
      return 1;
    }
    return probesPerInterval
        * Math.max(1, Math.min(MAX_TURNS, PROBES_PER_TURN / Math.max(1, targets)));
  }

  @Override
  public LatencyCounters counters() {
    return counters.now();
  }

  @Override
  public Map<DatapathId, ControlRoundTrip> controlRoundTrips() {
    return measurements.controlRoundTrips();
  }
}
