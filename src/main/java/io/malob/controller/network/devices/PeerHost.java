package io.malob.controller.network.devices;

import com.google.common.collect.ImmutableList;
import com.google.common.io.ByteArrayDataOutput;
import com.google.common.io.ByteStreams;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import net.floodlightcontroller.devicemanager.SwitchPort;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.VlanVid;

/**
 * What one controller tells another of a host. Between controllers, times are ages, because their
 * clocks differ.
 *
 * @param vlan 0 for none
 * @param at where it is attached; null if the controller has forgotten the host
 * @param addresses the addresses of both IP versions that it used, the latest last
 * @param ageMillis the time since a controller has seen it
 */
record PeerHost(
    MacAddress mac,
    int vlan,
    @Nullable SwitchPort at,
    ImmutableList<IPAddress<?>> addresses,
    long ageMillis) {
  private static final int GONE = 0;
  private static final int THERE = 1;

  /** What this controller knows of a host that has a place. */
  static PeerHost of(Device device, long nowMillis) {
    return new PeerHost(
        device.getMACAddress(),
        device.getVlanId()[0].getVlan(),
        device.facts().at(),
        device.facts().addresses(),
        Math.max(0, nowMillis - device.lastSeenMillis()));
  }

  /** A host that this controller has forgotten. */
  static PeerHost gone(Device device, long nowMillis) {
    return new PeerHost(
        device.getMACAddress(),
        device.getVlanId()[0].getVlan(),
        null,
        ImmutableList.of(),
        Math.max(0, nowMillis - device.lastSeenMillis()));
  }

  /** The key of its device. */
  Long key() {
    return Device.key(mac, vlan);
  }

  /** These hosts as a message. */
  static byte[] message(List<PeerHost> hosts) {
    ByteArrayDataOutput out = ByteStreams.newDataOutput();
    for (PeerHost host : hosts) {
      SwitchPort place = host.at;
      out.writeByte(place == null ? GONE : THERE);
      out.writeLong(host.mac.getLong());
      out.writeShort(host.vlan);
      out.writeLong(host.ageMillis);
      if (place != null) {
        out.writeLong(place.getNodeId().getLong());
        out.writeInt(place.getPortId().getPortNumber());
        out.writeByte(host.addresses.size());
        for (IPAddress<?> address : host.addresses) {
          out.writeByte(address.getBytes().length);
          out.write(address.getBytes());
        }
      }
    }
    return out.toByteArray();
  }

  /**
   * Reads a message.
   *
   * @throws IllegalArgumentException or {@link java.nio.BufferUnderflowException} if it is damaged
   */
  static List<PeerHost> read(ByteBuffer message) {
    List<PeerHost> hosts = new ArrayList<>();
    while (message.hasRemaining()) {
      boolean isThere = message.get() == THERE;
      MacAddress mac = MacAddress.of(message.getLong());
      int vlan = VlanVid.ofVlan(message.getShort()).getVlan();
      long age = Math.max(0, message.getLong());
      @Nullable SwitchPort place = null;
      ImmutableList.Builder<IPAddress<?>> addresses = ImmutableList.builder();
      if (isThere) {
        place = new SwitchPort(DatapathId.of(message.getLong()), OFPort.of(message.getInt()));
        for (int left = message.get(); left > 0; left--) {
          addresses.add(address(message));
        }
      }
      hosts.add(new PeerHost(mac, vlan, place, addresses.build(), age));
    }
    return hosts;
  }

  private static IPAddress<?> address(ByteBuffer message) {
    return switch (message.get()) {
      case 4 -> IPv4Address.of(message.getInt());
      case 16 -> IPv6Address.of(message.getLong(), message.getLong());
      default -> throw new IllegalArgumentException("the length of an address is 4 or 16");
    };
  }
}
