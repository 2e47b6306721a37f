package io.malob.endhost;

import com.google.common.collect.ImmutableList;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.openflow.Answers;
import io.malob.openflow.TimedPacketOut;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFPortStatsReply;
import org.projectfloodlight.openflow.types.OFPort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures uplinks: probes their routers by ARP and echoes, and polls the switch for its port
 * counters. All work is done by one executor, in order; threads that read from the switch only take
 * the time. A new view is published at once when an uplink becomes alive or dead, and with each
 * poll of the counters, about once a second.
 */
final class MeasuredUplinks implements Uplinks {
  private static final Logger LOG = LoggerFactory.getLogger(MeasuredUplinks.class);

  /** The usual interval between calls of {@link #tick}. */
  static final long TICK_MILLIS = 25;

  /** The interval while all uplinks are idle: each call costs the host a little. */
  private static final long REST_TICK_MILLIS = 250;

  private static final long READ_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long READ_IN_DOUBT_NANOS = TimeUnit.MILLISECONDS.toNanos(150);
  private static final long READ_LOST_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final IOFSwitchService switches;
  private final Executor serialExecutor;
  private final LongSupplier nanoTime;
  private final DoubleSupplier random;
  private final int identifier;
  private final List<Consumer<HostView>> listeners = new CopyOnWriteArrayList<>();
  private final Map<String, MeasuredUplink> byName = new HashMap<>();
  private final Map<String, Integer> numbers = new HashMap<>();
  private Optional<HostNetwork> network = Optional.empty();
  private OptionalLong readNanos = OptionalLong.empty();
  private boolean isReading;
  private volatile Optional<HostView> view = Optional.empty();
  private volatile boolean isAtRest;

  /**
   * Uplinks of a host that is not configured yet.
   *
   * @param serialExecutor runs one task after the other
   * @param random evenly between 0 and 1
   */
  MeasuredUplinks(
      IOFSwitchService switches,
      Executor serialExecutor,
      LongSupplier nanoTime,
      DoubleSupplier random) {
    this.switches = switches;
    this.serialExecutor = serialExecutor;
    this.nanoTime = nanoTime;
    this.random = random;
    this.identifier = (int) (random.getAsDouble() * 0x10000) & 0xffff;
  }

  @Override
  public Optional<HostView> view() {
    return view;
  }

  @Override
  public void addListener(Consumer<HostView> listener) {
    listeners.add(listener);
  }

  @Override
  public void configure(HostNetwork now) {
    serialExecutor.execute(
        () -> {
          if (network.filter(before -> !before.switchId().equals(now.switchId())).isPresent()) {
            byName.clear();
          }
          network = Optional.of(now);
          byName
              .keySet()
              .removeIf(name -> now.uplinks().stream().noneMatch(each -> each.name().equals(name)));
          now.uplinks().forEach(each -> uplink(each).configure(each));
          lookAtPorts();
          tick();
          publish();
        });
  }

  private MeasuredUplink uplink(Uplink configured) {
    return byName.computeIfAbsent(
        configured.name(),
        name ->
            new MeasuredUplink(
                numbers.computeIfAbsent(name, any -> numbers.size() + 1),
                identifier,
                configured,
                random));
  }

  @Override
  public void clear() {
    serialExecutor.execute(
        () -> {
          network = Optional.empty();
          byName.clear();
          view = Optional.empty();
        });
  }

  @Override
  public void switchChanged() {
    serialExecutor.execute(
        () -> {
          lookAtPorts();
          tick();
          publish();
        });
  }

  @Override
  public void switchGone() {
    switchChanged();
  }

  private @Nullable IOFSwitch activeSwitch() {
    return network.isEmpty() ? null : switches.getActiveSwitch(network.get().switchId());
  }

  private void lookAtPorts() {
    isReading = false;
    @Nullable IOFSwitch sw = activeSwitch();
    for (Uplink each : network.map(HostNetwork::uplinks).orElse(ImmutableList.of())) {
      boolean isUp = sw != null && sw.portEnabled(each.port());
      uplink(each).port(port(sw, each.port()), isUp);
    }
  }

  private static Optional<OFPort> port(@Nullable IOFSwitch sw, String name) {
    @Nullable OFPortDesc port = sw == null ? null : sw.getPort(name);
    return port == null ? Optional.empty() : Optional.of(port.getPortNo());
  }

  @Override
  public boolean take(OFPort port, RouterAnswer answer, long receivedNanos) {
    Optional<String> name =
        view.stream()
            .flatMap(now -> now.uplinks().stream())
            .filter(each -> each.port().filter(port::equals).isPresent())
            .filter(each -> answer.isFrom(each.uplink(), identifier))
            .map(each -> each.uplink().name())
            .findFirst();
    name.ifPresent(from -> serialExecutor.execute(() -> answered(from, answer, receivedNanos)));
    return name.isPresent();
  }

  private void answered(String name, RouterAnswer answer, long receivedNanos) {
    @Nullable MeasuredUplink uplink = byName.get(name);
    if (uplink != null) {
      boolean wasAlive = uplink.isAlive(receivedNanos);
      uplink.take(answer, receivedNanos);
      if (!wasAlive || hasChanged(receivedNanos)) {
        tick();
        publish();
      }
    }
  }

  @Override
  public void record(String uplink, OptionalLong bps) {
    serialExecutor.execute(
        () -> {
          @Nullable MeasuredUplink recorded = byName.get(uplink);
          if (recorded != null) {
            recorded.record(bps);
            publish();
          }
        });
  }

  /** The milliseconds until the next call of {@link #tick}. For any thread. */
  long pauseMillis() {
    return isAtRest ? REST_TICK_MILLIS : TICK_MILLIS;
  }

  /** Sends due requests, and detects silent routers; to be called by the executor. */
  void tick() {
    @Nullable IOFSwitch sw = activeSwitch();
    long now = nanoTime.getAsLong();
    isAtRest = sw == null || byName.values().stream().allMatch(each -> each.isAtRest(now));
    if (sw == null) {
      return;
    }
    boolean isInDoubt = false;
    for (MeasuredUplink each : byName.values()) {
      each.macQuestions(now).forEach(question -> send(sw, each, question));
      each.echo(now).ifPresent(question -> send(sw, each, question));
      isInDoubt |= each.isInDoubt(now);
    }
    long pause = isReading ? READ_LOST_NANOS : isInDoubt ? READ_IN_DOUBT_NANOS : READ_NANOS;
    if (readNanos.isEmpty() || now - readNanos.getAsLong() >= pause) {
      readNanos = OptionalLong.of(now);
      read(sw);
    }
    if (hasChanged(now)) {
      publish();
    }
  }

  private void send(IOFSwitch sw, MeasuredUplink uplink, MeasuredUplink.Question question) {
    AwaitedEchoes.@Nullable Echo echo = question.echo();
    Runnable written = echo == null ? () -> {} : () -> echo.written(nanoTime.getAsLong());
    uplink
        .port()
        .ifPresent(
            port ->
                sw.write(new TimedPacketOut(sw.getOFFactory(), port, question.frame(), written)));
  }

  private void read(IOFSwitch sw) {
    isReading = true;
    Answers.take(
        sw.writeStatsRequest(
            sw.getOFFactory().buildPortStatsRequest().setPortNo(OFPort.ANY).build()),
        MoreExecutors.directExecutor(),
        answer -> {
          long atNanos = nanoTime.getAsLong();
          serialExecutor.execute(() -> counted(answer, atNanos));
        },
        unanswered -> serialExecutor.execute(() -> isReading = false));
  }

  private void counted(List<OFPortStatsReply> answer, long atNanos) {
    lookAtPorts(); // in case an event was missed
    for (MeasuredUplink each : byName.values()) {
      answer.stream()
          .flatMap(part -> part.getEntries().stream())
          .filter(entry -> each.port().filter(entry.getPortNo()::equals).isPresent())
          .findFirst()
          .ifPresent(entry -> each.carried(PortReading.of(entry, atNanos)));
    }
    publish();
  }

  private boolean hasChanged(long now) {
    return view.stream()
        .flatMap(before -> before.uplinks().stream())
        .anyMatch(
            before -> {
              @Nullable MeasuredUplink each = byName.get(before.uplink().name());
              return each != null
                  && (each.isAlive(now) != before.alive()
                      || each.isSilent(now) != before.silent()
                      || !each.gatewayMac6(now).equals(before.gatewayMac6()));
            });
  }

  private void publish() {
    long now = nanoTime.getAsLong();
    @Nullable IOFSwitch sw = activeSwitch();
    network.ifPresent(
        configured -> {
          HostView made =
              new HostView(
                  configured,
                  port(sw, configured.inside().port()),
                  configured.uplinks().stream()
                      .map(each -> uplink(each).view(now))
                      .collect(ImmutableList.toImmutableList()));
          if (view.filter(made::equals).isEmpty()) {
            tellLives(made);
            view = Optional.of(made);
            listeners.forEach(listener -> listener.accept(made));
          }
        });
  }

  private void tellLives(HostView made) {
    for (UplinkView each : made.uplinks()) {
      String name = each.uplink().name();
      boolean wasAlive =
          view.stream()
              .flatMap(before -> before.uplinks().stream())
              .anyMatch(before -> before.alive() && before.uplink().name().equals(name));
      if (each.alive() && !wasAlive) {
        LOG.info("uplink_alive uplink=\"{}\"", name);
      } else if (wasAlive && !each.alive()) {
        LOG.warn("uplink_dead uplink=\"{}\" why=\"{}\"", name, uplink(each.uplink()).whyDead());
      }
    }
  }
}
