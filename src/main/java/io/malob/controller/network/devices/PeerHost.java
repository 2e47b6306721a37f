package io.malob.controller.network.devices;

import com.google.common.collect.ImmutableList;
import io.malob.module.FieldReader;
import io.malob.module.FieldWriter;
import io.malob.module.PeerFormat;
import net.floodlightcontroller.devicemanager.SwitchPort;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
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
  /** How controllers write hosts. */
  static final Format FORMAT = new Format();

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
    PeerHost host = of(device, nowMillis);
    return new PeerHost(host.mac, host.vlan, null, ImmutableList.of(), host.ageMillis);
  }

  /** The key of its device. */
  Long key() {
    return Device.key(mac, vlan);
  }

  /** The messages about hosts. */
  static final class Format implements PeerFormat<PeerHost> {
    @Override
    public void write(PeerHost host, FieldWriter out) {
      @Nullable SwitchPort at = host.at;
      out.putByte(at == null ? GONE : THERE).putLong(host.mac.getLong()).putShort(host.vlan);
      out.putLong(host.ageMillis);
      if (at != null) {
        out.putSwitch(at.getNodeId()).putPort(at.getPortId()).putByte(host.addresses.size());
        host.addresses.forEach(address -> out.putShortBytes(address.getBytes()));
      }
    }

    @Override
    public PeerHost read(FieldReader in) {
      boolean isThere = in.readByte() == THERE;
      MacAddress mac = MacAddress.of(in.readLong());
      int vlan = VlanVid.ofVlan((short) in.readShort()).getVlan();
      long age = Math.max(0, in.readLong());
      @Nullable SwitchPort at = null;
      ImmutableList.Builder<IPAddress<?>> addresses = ImmutableList.builder();
      if (isThere) {
        at = new SwitchPort(in.readSwitch(), in.readPort());
        for (int left = (byte) in.readByte(); left > 0; left--) {
          addresses.add(address(in.readShortBytes()));
        }
      }
      return new PeerHost(mac, vlan, at, addresses.build(), age);
    }

    private static IPAddress<?> address(byte[] bytes) {
      return switch (bytes.length) {
        case 4 -> IPv4Address.of(bytes);
        case 16 -> IPv6Address.of(bytes);
        default -> throw new IllegalArgumentException("the length of an address is 4 or 16");
      };
    }
  }
}
