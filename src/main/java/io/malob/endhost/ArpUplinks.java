package io.malob.endhost;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Uplinks whose routers answer ARP are alive; nothing is measured. All work is done on one
 * executor, in order.
 */
final class ArpUplinks implements Uplinks {
  private final IOFSwitchService switches;
  private final FlowProgrammer programmer;
  private final Executor inOrder;
  private final List<Consumer<HostView>> listeners = new CopyOnWriteArrayList<>();
  private final Map<String, Integer> numbers = new HashMap<>();
  private final Map<String, Long> recorded = new HashMap<>();
  private final Map<IPv4Address, MacAddress> routers = new HashMap<>();
  private volatile Optional<HostView> view = Optional.empty();

  ArpUplinks(IOFSwitchService switches, FlowProgrammer programmer, Executor inOrder) {
    this.switches = switches;
    this.programmer = programmer;
    this.inOrder = inOrder;
  }

  @Override
  public Optional<HostView> view() {
    return view;
  }

  @Override
  public void configure(HostNetwork network) {
    inOrder.execute(
        () -> {
          publish(network);
          ask();
        });
  }

  @Override
  public void clear() {
    inOrder.execute(
        () -> {
          view = Optional.empty();
          routers.clear();
        });
  }

  @Override
  public void switchChanged() {
    inOrder.execute(
        () -> {
          view.ifPresent(now -> publish(now.network()));
          ask();
        });
  }

  @Override
  public void switchGone() {
    switchChanged();
  }

  /** Asks the routers that have not answered yet. */
  void ask() {
    view.ifPresent(
        now -> {
          for (UplinkView each : now.uplinks()) {
            ask(now.network().switchId(), each);
          }
        });
  }

  private void ask(DatapathId switchId, UplinkView each) {
    Optional<IPv4Address> address = each.uplink().ipv4();
    Optional<IPv4Address> router = each.uplink().gatewayIpv4();
    if (each.port().isPresent() && address.isPresent() && router.isPresent()) {
      programmer.sendFrame(
          switchId,
          List.of(each.port().get()),
          Replies.arpRequest(each.uplink().mac(), address.get(), router.get()));
    }
  }

  @Override
  public boolean take(OFPort port, Packet packet, long receivedNanos) {
    if (packet.kind() != Packet.Kind.ARP || packet.arpOperation() != Packet.ARP_REPLY) {
      return false;
    }
    inOrder.execute(
        () -> {
          routers.put(IPv4Address.of(packet.srcAddress()), packet.arpSenderMac());
          view.ifPresent(now -> publish(now.network()));
        });
    return true;
  }

  @Override
  public boolean record(String uplink, long bps) {
    Optional<HostNetwork> network = view.map(HostView::network);
    boolean isThere =
        network.stream()
            .flatMap(now -> now.uplinks().stream())
            .anyMatch(each -> each.name().equals(uplink));
    if (isThere) {
      inOrder.execute(
          () -> {
            recorded.put(uplink, bps);
            network.ifPresent(this::publish);
          });
    }
    return isThere;
  }

  @Override
  public void addListener(Consumer<HostView> listener) {
    listeners.add(listener);
  }

  private void publish(HostNetwork network) {
    DatapathId switchId = network.switchId();
    @Nullable IOFSwitch sw = switches.getActiveSwitch(switchId);
    HostView made =
        new HostView(
            network,
            port(sw, network.inside().port()),
            network.uplinks().stream()
                .map(uplink -> seen(sw, uplink))
                .collect(ImmutableList.toImmutableList()));
    if (view.filter(made::equals).isEmpty()) {
      view = Optional.of(made);
      listeners.forEach(listener -> listener.accept(made));
    }
  }

  private UplinkView seen(@Nullable IOFSwitch sw, Uplink uplink) {
    int number = numbers.computeIfAbsent(uplink.name(), none -> numbers.size() + 1);
    Optional<OFPort> port = port(sw, uplink.port());
    Optional<MacAddress> router =
        uplink.gatewayIpv4().flatMap(address -> Optional.ofNullable(routers.get(address)));
    long bps = recorded.getOrDefault(uplink.name(), 0L);
    return new UplinkView(
        uplink,
        number,
        port,
        router,
        Optional.empty(),
        port.isPresent() && uplink.ipv4().isPresent() && router.isPresent(),
        bps,
        bps == 0 ? "unknown" : "recorded",
        0,
        0,
        0);
  }

  private static Optional<OFPort> port(@Nullable IOFSwitch sw, String name) {
    if (sw == null) {
      return Optional.empty();
    }
    @Nullable OFPortDesc port = sw.getPort(name);
    return port == null ? Optional.empty() : Optional.of(port.getPortNo());
  }
}
