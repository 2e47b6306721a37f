package io.malob.endhost;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** Uplinks that are as a test says: alive if they have an address, unless they are let die. */
final class ManualUplinks implements Uplinks {
  /** Ports of uplinks come after that of the inside. */
  static final OFPort INSIDE = OFPort.of(1);

  final List<RouterAnswer> taken = new ArrayList<>();
  int advertisements;
  private final Set<String> dead = new HashSet<>();
  private final Set<String> silent = new HashSet<>();
  private final Map<String, Long> capacities = new HashMap<>();
  private final Map<String, Long> measured = new HashMap<>();
  private final List<Consumer<HostView>> listeners = new ArrayList<>();
  private volatile Optional<HostView> view = Optional.empty();
  private boolean switchIsThere = true;

  /** Called by whoever configures, before that has any effect. */
  Runnable beforeConfigure = () -> {};

  /** Whether a configuration has no effect until {@link #catchUp}, as on a busy machine. */
  boolean isLate;

  private final List<Runnable> pending = new ArrayList<>();

  @Override
  public Optional<HostView> view() {
    return view;
  }

  @Override
  public void configure(HostNetwork network) {
    beforeConfigure.run();
    if (isLate) {
      pending.add(() -> follow(network));
    } else {
      follow(network);
    }
  }

  /** What was late takes effect, in order. */
  void catchUp() {
    isLate = false;
    pending.forEach(Runnable::run);
    pending.clear();
  }

  private void follow(HostNetwork network) {
    ImmutableList.Builder<UplinkView> uplinks = ImmutableList.builder();
    for (int i = 0; i < network.uplinks().size(); i++) {
      Uplink uplink = network.uplinks().get(i);
      int number = Integer.parseInt(uplink.name().substring("eth".length())) + 1;
      Optional<Long> capacity = Optional.ofNullable(capacities.get(uplink.name()));
      Optional<Long> probed = Optional.ofNullable(measured.get(uplink.name()));
      uplinks.add(
          new UplinkView(
              uplink,
              number,
              switchIsThere ? Optional.of(OFPort.of(number + 1)) : Optional.empty(),
              Optional.of(routerMac(number)),
              uplink.gatewayIpv6().map(its -> routerMac(number)),
              switchIsThere
                  && (uplink.ipv4().isPresent() || uplink.ipv6().isPresent())
                  && !dead.contains(uplink.name()),
              silent.contains(uplink.name()),
              capacity.or(() -> probed).orElse(0L),
              capacity.isPresent() ? "recorded" : probed.isPresent() ? "probes" : "unknown",
              0,
              0,
              0,
              0));
    }
    HostView made =
        new HostView(
            network, switchIsThere ? Optional.of(INSIDE) : Optional.empty(), uplinks.build());
    view = Optional.of(made);
    listeners.forEach(listener -> listener.accept(made));
  }

  static MacAddress routerMac(int number) {
    return MacAddress.of(0x02_00_00_00_ff_00L + number);
  }

  /** An uplink dies, or comes back to life. */
  void setAlive(String name, boolean alive) {
    if (alive) {
      dead.remove(name);
    } else {
      dead.add(name);
    }
    again();
  }

  /** The router of an uplink owes an answer, or has answered. */
  void setSilent(String name, boolean is) {
    if (is) {
      silent.add(name);
    } else {
      silent.remove(name);
    }
    again();
  }

  /** A capacity is measured. */
  void measure(String name, long bps) {
    measured.put(name, bps);
    again();
  }

  private void again() {
    view.ifPresent(now -> follow(now.network()));
  }

  @Override
  public void clear() {
    view = Optional.empty();
  }

  @Override
  public void switchChanged() {
    switchIsThere = true;
    again();
  }

  @Override
  public void switchGone() {
    switchIsThere = false;
    again();
  }

  @Override
  public boolean take(OFPort port, RouterAnswer answer, long receivedNanos) {
    if (answer.mac().isEmpty()) {
      return false;
    }
    if (answer.version() == IPVersion.IPv4) {
      taken.add(answer);
    } else {
      advertisements++;
    }
    return true;
  }

  @Override
  public void record(String uplink, OptionalLong bps) {
    bps.ifPresentOrElse(known -> capacities.put(uplink, known), () -> capacities.remove(uplink));
    again();
  }

  @Override
  public void addListener(Consumer<HostView> listener) {
    listeners.add(listener);
  }
}
