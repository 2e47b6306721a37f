package io.malob.controller.network.devices;

import com.google.common.collect.ImmutableList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceListener;
import net.floodlightcontroller.devicemanager.SwitchPort;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.VlanVid;

/**
 * The one writer of devices: learns, moves and forgets hosts. One thread at a time calls it.
 *
 * <p>An address belongs to the device that claimed it last by ARP or neighbour discovery. The
 * source address of other packets is ignored: a router sends packets of all remote addresses from
 * one MAC address.
 */
final class DeviceTracker {
  /**
   * Addresses per device and IP version; of more, those claimed longest ago are forgotten. Hosts
   * use a new IPv6 address every day (RFC 8981).
   */
  static final int MAX_ADDRESSES = 16;

  /** Between controllers, the time of a sighting is less accurate than this. */
  private static final long TOLERANCE_MILLIS = 2_000;

  /**
   * The max number of hosts whose ports may turn out to lead to switches, and how long they wait.
   */
  static final int MAX_WAITING = 1_000;

  static final long WAITING_MILLIS = 60_000;

  private final DeviceTable table;
  private final DeviceLimits limits;
  private final LongSupplier millis;
  private final BiPredicate<DatapathId, OFPort> isAttachmentPoint;
  private final BiConsumer<Change, Device> listener;

  /**
   * Hosts at ports where it is not known yet whether hosts can be, by their keys. One that was just
   * plugged in may ask for its gateway only once.
   */
  private final Map<Long, Waiting> waiting = new HashMap<>();

  private record Waiting(Sighting sighting, long sinceMillis) {}

  /** The kinds of changes. */
  enum Change {
    ADDED(IDeviceListener::deviceAdded),
    MOVED(IDeviceListener::deviceMoved),
    IPV4_ADDRESSES(IDeviceListener::deviceIPV4AddrChanged),
    IPV6_ADDRESSES(IDeviceListener::deviceIPV6AddrChanged),
    REMOVED(IDeviceListener::deviceRemoved);

    /** Calls a listener. */
    @SuppressWarnings("ImmutableEnumChecker") // a reference to a method
    final BiConsumer<IDeviceListener, IDevice> event;

    Change(BiConsumer<IDeviceListener, IDevice> event) {
      this.event = event;
    }
  }

  /**
   * A tracker.
   *
   * @param listener is called for each change, after it is visible
   */
  DeviceTracker(
      DeviceTable table,
      DeviceLimits limits,
      LongSupplier millis,
      BiPredicate<DatapathId, OFPort> isAttachmentPoint,
      BiConsumer<Change, Device> listener) {
    this.table = table;
    this.limits = limits;
    this.millis = millis;
    this.isAttachmentPoint = isAttachmentPoint;
    this.listener = listener;
  }

  /** Learns from a packet. */
  void seen(Sighting sighting) {
    long key = Device.key(sighting.mac(), sighting.vlan());
    // since the packet came in, a link may have been found at its port
    if (!isAttachmentPoint.test(sighting.switchId(), sighting.port())) {
      if (!sighting.isCertain() && (waiting.size() < MAX_WAITING || waiting.containsKey(key))) {
        waiting.put(key, new Waiting(sighting, millis.getAsLong()));
      }
      return;
    }
    @Nullable Device device = table.get(key);
    if (device == null) {
      device =
          add(
              sighting.mac(),
              sighting.vlan(),
              new SwitchPort(sighting.switchId(), sighting.port()));
    } else if (!device.facts().isAt(sighting.switchId(), sighting.port())
        && (sighting.isCertain() || device.facts().at() == null)) {
      move(device, new SwitchPort(sighting.switchId(), sighting.port()));
    }
    device.seen(millis.getAsLong());
    if (!sighting.address().isUnspecified()
        && device.facts().isAt(sighting.switchId(), sighting.port())) {
      claim(device, sighting.address());
    }
  }

  /**
   * Learns what another controller knows of a host, if that is newer. An address belongs to the
   * host that was seen last.
   *
   * @param seenMillis when the host was seen, by this controller's clock
   * @return false if no host can be there, as far as this controller knows
   */
  boolean peerSaw(PeerHost host, long seenMillis) {
    SwitchPort at = Objects.requireNonNull(host.at());
    if (!isAttachmentPoint.test(at.getNodeId(), at.getPortId())) {
      return false;
    }
    @Nullable Device device = table.get(host.key());
    if (device == null) {
      device = add(host.mac(), host.vlan(), at);
    } else if (device.facts().at() != null && device.lastSeenMillis() >= seenMillis) {
      return true;
    } else if (!device.facts().isAt(at.getNodeId(), at.getPortId())) {
      move(device, at);
    }
    device.seenByPeer(seenMillis);
    for (IPAddress<?> address : host.addresses()) {
      if (table.withAddress(address).stream()
          .allMatch(other -> other.lastSeenMillis() <= seenMillis)) {
        claim(device, address);
      }
    }
    return true;
  }

  /** Forgets a host that another controller has forgotten, unless it was seen later. */
  void peerLost(PeerHost host, long seenMillis) {
    @Nullable Device device = table.get(host.key());
    if (device != null && device.lastSeenMillis() <= seenMillis + TOLERANCE_MILLIS) {
      remove(device);
    }
  }

  private Device add(MacAddress mac, int vlan, SwitchPort at) {
    if (table.size() >= limits.maxDevices()) {
      removeOldest();
    }
    Device device = new Device(mac, VlanVid.ofVlan(vlan), at, millis.getAsLong());
    table.add(device);
    listener.accept(Change.ADDED, device);
    return device;
  }

  /**
   * Makes room for one in a hundred, so that a full table is not searched for each new host: at the
   * port that has the most, because that is where addresses are forged.
   */
  private void removeOldest() {
    table.atFullestPort().stream()
        .sorted(Comparator.comparingLong(Device::lastSeenMillis))
        .limit(Math.max(1, limits.maxDevices() / 100))
        .toList()
        .forEach(this::remove);
  }

  private void remove(Device device) {
    table.remove(device);
    listener.accept(Change.REMOVED, device);
  }

  private void move(Device device, @Nullable SwitchPort place) {
    table.change(device, device.facts().movedTo(place));
    listener.accept(Change.MOVED, device);
  }

  private void claim(Device device, IPAddress<?> address) {
    ImmutableList<IPAddress<?>> own = device.facts().addresses();
    if (own.contains(address)) {
      if (!isRecent(device, address)) {
        // one of many stays if it is in use, however old it is
        ImmutableList<IPAddress<?>> reordered = withLast(without(own, address), address);
        table.change(device, device.facts().withAddresses(reordered));
      }
      return;
    }
    for (Device other : table.withAddress(address)) {
      if (other.getVlanId()[0].equals(device.getVlanId()[0])) {
        setAddresses(other, without(other.facts().addresses(), address), address.getIpVersion());
      }
    }
    List<IPAddress<?>> alike =
        own.stream().filter(each -> each.getIpVersion() == address.getIpVersion()).toList();
    boolean replaces =
        alike.size() >= MAX_ADDRESSES
            || (table.addresses() >= limits.maxAddresses() && !alike.isEmpty());
    ImmutableList<IPAddress<?>> kept = replaces ? without(own, alike.get(0)) : own;
    setAddresses(device, withLast(kept, address), address.getIpVersion());
  }

  /** Whether a device is known to have an address, and has claimed it recently among its others. */
  static boolean isRecent(Device device, IPAddress<?> address) {
    ImmutableList<IPAddress<?>> own = device.facts().addresses();
    int at = own.indexOf(address);
    return at >= 0 && own.size() - at <= MAX_ADDRESSES / 2;
  }

  private static ImmutableList<IPAddress<?>> without(
      ImmutableList<IPAddress<?>> addresses, IPAddress<?> unwanted) {
    return addresses.stream()
        .filter(address -> !address.equals(unwanted))
        .collect(ImmutableList.toImmutableList());
  }

  private static ImmutableList<IPAddress<?>> withLast(
      ImmutableList<IPAddress<?>> addresses, IPAddress<?> last) {
    return ImmutableList.<IPAddress<?>>builder().addAll(addresses).add(last).build();
  }

  private void setAddresses(
      Device device, ImmutableList<IPAddress<?>> addresses, IPVersion changed) {
    table.change(device, device.facts().withAddresses(addresses));
    listener.accept(
        changed == IPVersion.IPv4 ? Change.IPV4_ADDRESSES : Change.IPV6_ADDRESSES, device);
  }

  /**
   * Takes hosts off the ports where hosts can no longer be; those that wait may be at theirs now.
   */
  void topologyChanged() {
    for (NodePortTuple port : table.ports()) {
      if (!isAttachmentPoint.test(port.getNodeId(), port.getPortId())) {
        table.at(port).forEach(device -> move(device, null));
      }
    }
    List<Sighting> decided =
        waiting.values().stream()
            .map(Waiting::sighting)
            .filter(each -> isAttachmentPoint.test(each.switchId(), each.port()))
            .toList();
    for (Sighting each : decided) {
      waiting.remove(Device.key(each.mac(), each.vlan()));
      seen(each);
    }
  }

  /** Forgets the hosts that were silent for too long. */
  void removeSilent() {
    long oldest = millis.getAsLong() - limits.lifeMillis();
    table.all().stream()
        .filter(device -> device.lastSeenMillis() < oldest)
        .toList()
        .forEach(this::remove);
    long oldestWaiting = millis.getAsLong() - WAITING_MILLIS;
    waiting.values().removeIf(each -> each.sinceMillis() < oldestWaiting);
  }
}
