package io.malob.testing;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.ArpOpcode;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.ICMPv4Code;
import org.projectfloodlight.openflow.types.ICMPv4Type;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFValueType;
import org.projectfloodlight.openflow.types.OFVlanVidMatch;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U16;
import org.projectfloodlight.openflow.types.U8;

/**
 * A frame inside a fake switch: its match fields can be read and set. Has a parser of its own, so
 * that a mistake in the controller's does not hide itself. Not safe for use by several threads.
 */
final class MutableFrame {
  private static final int TCP = 6;
  private static final int UDP = 17;
  private static final int ICMP = 1;
  private static final int ICMPV6 = 58;
  private static final int IPV6_FRAGMENT = 44;

  private byte[] bytes;
  private ByteBuffer buffer;
  private int network;

  /** A copy of these bytes. */
  MutableFrame(byte[] frame) {
    bytes = frame.clone();
    buffer = ByteBuffer.wrap(bytes);
    network = bytes.length >= 18 && uint16(12) == 0x8100 ? 18 : 14;
  }

  private boolean isTagged() {
    return network > 14;
  }

  /** Puts a tag of VLAN 0 before the EtherType, as the push_vlan action does. */
  void pushVlan() {
    if (isTagged()) {
      throw new UnsupportedOperationException("a second VLAN tag");
    }
    splice(new byte[] {(byte) 0x81, 0, 0, 0}, 0, 18);
  }

  /** Takes the tag away, as the pop_vlan action does. */
  void popVlan() {
    if (!isTagged()) {
      throw new IllegalArgumentException("the frame has no VLAN tag");
    }
    splice(new byte[0], 4, 14);
  }

  /** Puts bytes between the addresses and what follows, less as many of that. */
  private void splice(byte[] between, int without, int networkThen) {
    byte[] before = bytes;
    bytes =
        ByteBuffer.allocate(before.length + between.length - without)
            .put(before, 0, 12)
            .put(between)
            .put(before, 12 + without, before.length - 12 - without)
            .array();
    buffer = ByteBuffer.wrap(bytes);
    network = networkThen;
  }

  int length() {
    return bytes.length;
  }

  /** A copy of the bytes as they are now. */
  byte[] copy() {
    return bytes.clone();
  }

  /** The value of a field of the frame; null if this frame has no such field. */
  @Nullable OFValueType<?> get(MatchField<?> field) {
    return switch (field.id) {
      case ETH_DST -> mac(0);
      case ETH_SRC -> mac(6);
      case ETH_TYPE -> EthType.of(etherType());
      case VLAN_VID ->
          isTagged() ? OFVlanVidMatch.ofVlan(uint16(14) & 0xfff) : OFVlanVidMatch.UNTAGGED;
      case IP_PROTO -> isIp() ? IpProtocol.of((short) protocol()) : null;
      case IPV6_SRC -> isIpv6() ? address6(network + 8) : null;
      case IPV6_DST -> isIpv6() ? address6(network + 24) : null;
      case ICMPV6_TYPE -> has(ICMPV6) ? U8.of((short) uint8(transport())) : null;
      case ICMPV6_CODE -> has(ICMPV6) ? U8.of((short) uint8(transport() + 1)) : null;
      case IPV6_ND_TARGET -> isNeighbourMessage() ? address6(transport() + 8) : null;
      case IPV4_SRC -> isIpv4() ? address(network + 12) : null;
      case IPV4_DST -> isIpv4() ? address(network + 16) : null;
      case TCP_SRC -> port(TCP, 0);
      case TCP_DST -> port(TCP, 2);
      case TCP_FLAGS, OVS_TCP_FLAGS -> has(TCP) ? U16.of(uint16(transport() + 12) & 0xfff) : null;
      case UDP_SRC -> port(UDP, 0);
      case UDP_DST -> port(UDP, 2);
      case ICMPV4_TYPE -> isIcmp() ? ICMPv4Type.of((byte) icmp(0)) : null;
      case ICMPV4_CODE -> isIcmp() ? ICMPv4Code.of((byte) icmp(1)) : null;
      case ARP_OP -> isArp() ? ArpOpcode.of(uint16(network + 6)) : null;
      case ARP_SHA -> isArp() ? mac(network + 8) : null;
      case ARP_SPA -> isArp() ? address(network + 14) : null;
      case ARP_THA -> isArp() ? mac(network + 18) : null;
      case ARP_TPA -> isArp() ? address(network + 24) : null;
      default -> throw new UnsupportedOperationException("match on " + field.getName());
    };
  }

  /** The source MAC address, and the VLAN (0 if untagged) in the bits before. */
  long sender() {
    return mac(6).getLong() | (isTagged() ? (uint16(14) & 0xfffL) << 48 : 0);
  }

  /** Whether this is a part of an IP packet. */
  boolean isPartOfPacket() {
    return isIp() && isFragment();
  }

  /** The type of an ICMP or ICMPv6 message. */
  int icmpType() {
    return uint8(transport());
  }

  /** The identifier of an ICMP message that has one. */
  int icmpIdentifier() {
    return uint16(transport() + 4);
  }

  /** Whether the checksums of IP, TCP, UDP and ICMPv6 are right, as far as there are any. */
  boolean hasRightChecksums() {
    MutableFrame corrected = new MutableFrame(bytes);
    corrected.correctAllChecksums();
    return Arrays.equals(bytes, corrected.bytes);
  }

  /** Makes this another frame with as many VLAN tags. */
  void become(byte[] frame) {
    bytes = frame.clone();
    buffer = ByteBuffer.wrap(bytes);
  }

  /** Sets a field and corrects the checksums, as the set_field action does. */
  void set(MatchField<?> field, OFValueType<?> value) {
    if (get(field) == null) {
      throw new IllegalArgumentException("the frame has no " + field.getName());
    }
    switch (field.id) {
      case ETH_DST -> buffer.put(0, ((MacAddress) value).getBytes());
      case ETH_SRC -> buffer.put(6, ((MacAddress) value).getBytes());
      case IPV4_SRC -> buffer.putInt(network + 12, ((IPv4Address) value).getInt());
      case IPV4_DST -> buffer.putInt(network + 16, ((IPv4Address) value).getInt());
      case IPV6_SRC -> buffer.put(network + 8, ((IPv6Address) value).getBytes());
      case IPV6_DST -> buffer.put(network + 24, ((IPv6Address) value).getBytes());
      case TCP_SRC, UDP_SRC -> putPort(transport(), value);
      case TCP_DST, UDP_DST -> putPort(transport() + 2, value);
      case ARP_OP -> buffer.putShort(network + 6, (short) ((ArpOpcode) value).getOpcode());
      case ARP_SHA -> buffer.put(network + 8, ((MacAddress) value).getBytes());
      case ARP_SPA -> buffer.putInt(network + 14, ((IPv4Address) value).getInt());
      case ARP_THA -> buffer.put(network + 18, ((MacAddress) value).getBytes());
      case ARP_TPA -> buffer.putInt(network + 24, ((IPv4Address) value).getInt());
      case VLAN_VID ->
          buffer.putShort(14, (short) ((uint16(14) & 0xf000) | ((OFVlanVidMatch) value).getVlan()));
      default -> throw new UnsupportedOperationException("set_field of " + field.getName());
    }
    correctAllChecksums();
  }

  private void correctAllChecksums() {
    if (isIpv4()) {
      correctChecksums();
    } else if (isIpv6() && !isFragment()) {
      correctChecksumOfIpv6();
    }
  }

  /** Open vSwitch shows the EtherType within a SNAP frame, and 0x5ff for other frames of LLC. */
  private int etherType() {
    int type = uint16(network - 2);
    boolean isSnap = type < 0x600 && buffer.getLong(network) >>> 16 == 0xaaaa_0300_0000L;
    return type >= 0x600 ? type : isSnap ? uint16(network + 6) : 0x5ff;
  }

  /** Open vSwitch takes the ports of all fragments for 0 ("frag normal"). */
  private @Nullable TransportPort port(int protocol, int offset) {
    if (isIp() && isFragment() && protocol() == protocol) {
      return TransportPort.NONE;
    }
    return has(protocol) ? TransportPort.of(uint16(transport() + offset)) : null;
  }

  /** Type and code of ICMP fragments count as 0, too. */
  private int icmp(int offset) {
    return isFragment() ? 0 : uint8(transport() + offset);
  }

  private boolean isIcmp() {
    return isIpv4() && protocol() == ICMP && (isFragment() || has(ICMP));
  }

  private boolean isFragment() {
    return isIpv6() ? uint8(network + 6) == IPV6_FRAGMENT : (uint16(network + 6) & 0x3fff) != 0;
  }

  private void putPort(int at, OFValueType<?> port) {
    buffer.putShort(at, (short) ((TransportPort) port).getPort());
  }

  private void correctChecksums() {
    buffer.putShort(network + 10, (short) 0);
    buffer.putShort(network + 10, checksum(network, transport() - network, 0));
    int length = uint16(network + 2) - (transport() - network);
    int at = transport() + (protocol() == TCP ? 16 : 6);
    boolean withoutChecksum = protocol() == UDP && uint16(at) == 0;
    if ((has(TCP) || has(UDP)) && !withoutChecksum) {
      int pseudoHeader = sum(network + 12, 8) + protocol() + length;
      buffer.putShort(at, (short) 0);
      buffer.putShort(at, checksum(transport(), length, pseudoHeader));
    }
  }

  private void correctChecksumOfIpv6() {
    int at =
        transport()
            + switch (protocol()) {
              case TCP -> 16;
              case UDP -> 6;
              default -> 2;
            };
    int length = uint16(network + 4);
    if (has(TCP) || has(UDP) || has(ICMPV6)) {
      buffer.putShort(at, (short) 0);
      int pseudoHeader = sum(network + 8, 32) + protocol() + length;
      buffer.putShort(at, checksum(transport(), length, pseudoHeader));
    }
  }

  private short checksum(int from, int length, int initial) {
    int sum = initial + sum(from, length);
    while (sum >>> 16 != 0) {
      sum = (sum & 0xffff) + (sum >>> 16);
    }
    return (short) ~sum;
  }

  private int sum(int from, int length) {
    int sum = 0;
    for (int i = 0; i < length; i++) {
      sum += (bytes[from + i] & 0xff) << (i % 2 == 0 ? 8 : 0);
    }
    return sum;
  }

  private boolean isIpv4() {
    return uint16(network - 2) == 0x0800 && bytes.length >= network + 20;
  }

  private boolean isIpv6() {
    return uint16(network - 2) == 0x86dd && bytes.length >= network + 40;
  }

  private boolean isIp() {
    return isIpv4() || isIpv6();
  }

  private boolean isNeighbourMessage() {
    return has(ICMPV6)
        && (uint8(transport()) == 135 || uint8(transport()) == 136)
        && bytes.length >= transport() + 24;
  }

  private boolean isArp() {
    return uint16(network - 2) == 0x0806 && bytes.length >= network + 28;
  }

  private boolean has(int protocol) {
    boolean firstFragment = isIpv4() && (uint16(network + 6) & 0x1fff) == 0;
    return (firstFragment || (isIpv6() && !isFragment()))
        && protocol() == protocol
        && bytes.length >= transport() + 8;
  }

  private int protocol() {
    if (!isIpv6()) {
      return uint8(network + 9);
    }
    // Open vSwitch: a later part of a packet has the protocol "fragment"
    boolean isFirst = isFragment() && (uint16(network + 42) & 0xfff8) == 0;
    return uint8(isFirst ? network + 40 : network + 6);
  }

  private int transport() {
    return network + (isIpv6() ? 40 : (bytes[network] & 0x0f) * 4);
  }

  private MacAddress mac(int at) {
    byte[] mac = new byte[6];
    buffer.get(at, mac);
    return MacAddress.of(mac);
  }

  private IPv6Address address6(int at) {
    return IPv6Address.of(buffer.getLong(at), buffer.getLong(at + 8));
  }

  private int uint8(int at) {
    return bytes[at] & 0xff;
  }

  private IPv4Address address(int at) {
    return IPv4Address.of(buffer.getInt(at));
  }

  private int uint16(int at) {
    return buffer.getShort(at) & 0xffff;
  }
}
