package io.malob.controller.network.devices;

import com.google.common.collect.ImmutableList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.devicemanager.SwitchPort;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.VlanVid;

/**
 * All devices, with indexes by MAC, IP address and port. Any thread may look up by key, MAC and
 * address, and for the VLANs at a port, each in constant time; one thread writes, and looks up by
 * port.
 */
final class DeviceTable {
  private final ConcurrentHashMap<Long, Device> byKey = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<MacAddress, ImmutableList<Device>> byMac =
      new ConcurrentHashMap<>();
  private final ConcurrentHashMap<IPAddress<?>, ImmutableList<Device>> byAddress =
      new ConcurrentHashMap<>();
  private final Map<NodePortTuple, Set<Device>> byPort = new HashMap<>();

  /** How many devices of each VLAN are at each port. */
  private final ConcurrentHashMap<NodePortTuple, ConcurrentHashMap<VlanVid, Integer>> vlans =
      new ConcurrentHashMap<>();

  /** How many addresses all devices have, for the writer. */
  private int addresses;

  @Nullable Device get(Long key) {
    return byKey.get(key);
  }

  ImmutableList<Device> withMac(MacAddress mac) {
    return byMac.getOrDefault(mac, ImmutableList.of());
  }

  /** The devices with an address; the device that claimed it last comes first. */
  ImmutableList<Device> withAddress(IPAddress<?> address) {
    return byAddress.getOrDefault(address, ImmutableList.of());
  }

  Collection<Device> all() {
    return Collections.unmodifiableCollection(byKey.values());
  }

  int size() {
    return byKey.size();
  }

  int addresses() {
    return addresses;
  }

  void add(Device device) {
    byKey.put(device.getDeviceKey(), device);
    addTo(byMac, device.getMACAddress(), device);
    device.facts().addresses().forEach(address -> index(device, address));
    enter(device, device.facts().at());
  }

  void remove(Device device) {
    byKey.remove(device.getDeviceKey());
    removeFrom(byMac, device.getMACAddress(), device);
    device.facts().addresses().forEach(address -> unindex(device, address));
    leave(device, device.facts().at());
  }

  /** Changes the facts of a device. What stays the same is found at any time. */
  void change(Device device, Device.Facts facts) {
    Device.Facts before = device.facts();
    device.setFacts(facts);
    for (IPAddress<?> address : before.addresses()) {
      if (!facts.addresses().contains(address)) {
        unindex(device, address);
      }
    }
    for (IPAddress<?> address : facts.addresses()) {
      if (!before.addresses().contains(address)) {
        index(device, address);
      }
    }
    if (!Objects.equals(before.at(), facts.at())) {
      leave(device, before.at());
      enter(device, facts.at());
    }
  }

  Set<NodePortTuple> ports() {
    return Set.copyOf(byPort.keySet());
  }

  Set<Device> at(NodePortTuple port) {
    return Set.copyOf(byPort.getOrDefault(port, Set.of()));
  }

  /** Whether a device of a VLAN is at a port, or no device at all. */
  boolean mayHave(NodePortTuple port, VlanVid vlan) {
    @Nullable Map<VlanVid, Integer> known = vlans.get(port);
    return known == null || known.isEmpty() || known.containsKey(vlan);
  }

  /** The devices at the port that has the most of them, or all if none is at a port. */
  Collection<Device> atFullestPort() {
    return byPort.values().stream()
        .max(Comparator.comparingInt(Set::size))
        .map(devices -> (Collection<Device>) List.copyOf(devices))
        .orElse(all());
  }

  private void index(Device device, IPAddress<?> address) {
    addTo(byAddress, address, device);
    addresses++;
  }

  private void unindex(Device device, IPAddress<?> address) {
    removeFrom(byAddress, address, device);
    addresses--;
  }

  private void enter(Device device, @Nullable SwitchPort at) {
    if (at != null) {
      NodePortTuple port = plain(at);
      byPort.computeIfAbsent(port, any -> new LinkedHashSet<>()).add(device);
      vlans
          .computeIfAbsent(port, any -> new ConcurrentHashMap<>())
          .merge(device.getVlanId()[0], 1, Integer::sum);
    }
  }

  private void leave(Device device, @Nullable SwitchPort at) {
    if (at != null) {
      NodePortTuple port = plain(at);
      byPort.computeIfPresent(
          port,
          (any, devices) -> {
            devices.remove(device);
            return devices.isEmpty() ? null : devices;
          });
      vlans.computeIfPresent(
          port,
          (any, counts) -> {
            counts.computeIfPresent(
                device.getVlanId()[0], (vlan, count) -> count == 1 ? null : count - 1);
            return counts.isEmpty() ? null : counts;
          });
    }
  }

  /** A SwitchPort never equals a plain port. */
  private static NodePortTuple plain(SwitchPort port) {
    return new NodePortTuple(port.getNodeId(), port.getPortId());
  }

  private static <K> void addTo(
      ConcurrentHashMap<K, ImmutableList<Device>> index, K key, Device device) {
    index.merge(
        key,
        ImmutableList.of(device),
        (before, added) -> ImmutableList.<Device>builder().addAll(added).addAll(before).build());
  }

  private static <K> void removeFrom(
      ConcurrentHashMap<K, ImmutableList<Device>> index, K key, Device device) {
    index.computeIfPresent(
        key,
        (any, before) -> {
          ImmutableList<Device> rest =
              before.stream()
                  .filter(other -> !other.equals(device))
                  .collect(ImmutableList.toImmutableList());
          return rest.isEmpty() ? null : rest;
        });
  }
}
