package io.malob.openflow;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.openflow.ConnectionRules.Translation;
import io.malob.openflow.label.Label;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The wire format of the matches, actions and instructions of connections (OpenFlow Switch
 * Specification 1.3.5, section 7.2). They are the same in 1.4 and 1.5.
 */
final class WireFormat {
  /** Stands for "no port", "no group" and "no buffer" alike. */
  static final int NONE = 0xffff_ffff;

  static final int PORT_CONTROLLER = 0xffff_fffd;

  /** Headers of match fields (OXM): basic class, field, length in bytes. */
  private static final int IN_PORT = 0x8000_0004;

  private static final int ETH_DST = 0x8000_0606;
  private static final int ETH_SRC = 0x8000_0806;
  private static final int ETH_TYPE = 0x8000_0a02;
  private static final int VLAN_VID = 0x8000_0c02;
  private static final int IP_PROTO = 0x8000_1401;
  private static final int IPV4_SRC = 0x8000_1604;
  private static final int IPV4_DST = 0x8000_1804;
  private static final int IPV6_SRC = 0x8000_3410;
  private static final int IPV6_DST = 0x8000_3610;
  private static final int TCP_SRC = 0x8000_1a02;
  private static final int TCP_DST = 0x8000_1c02;
  private static final int UDP_SRC = 0x8000_1e02;
  private static final int UDP_DST = 0x8000_2002;
  private static final int ICMPV4_TYPE = 0x8000_2601;
  private static final int ICMPV6_TYPE = 0x8000_3a01;

  private static final int MATCH_OXM = 1;
  private static final int GOTO_TABLE = 1;
  private static final int APPLY_ACTIONS = 4;
  private static final int ACTION_OUTPUT = 0;
  private static final int ACTION_GROUP = 22;
  private static final int ACTION_PUSH_VLAN = 17;
  private static final int ACTION_POP_VLAN = 18;
  private static final int ACTION_SET_FIELD = 25;

  /** Each of our actions is padded to this size; those with an IPv6 address are longer. */
  private static final int ACTION_BYTES = 16;

  private static final int IPV6_ACTION_BYTES = 24;
  private static final int GROUP_ACTION_BYTES = 8;

  private static final int VLAN_ACTION_BYTES = 8;
  private static final int VLAN_PRESENT = 0x1000;
  private static final int UNTAGGED = 0;
  private static final int VLAN_TAG = 0x8100;

  private static final int ALL_BYTES = 0xffff;
  private static final int IPV4 = 0x0800;
  private static final int IPV6 = 0x86dd;
  private static final int ICMP = IpProtocol.ICMP.getIpProtocolNumber();
  private static final int TCP = IpProtocol.TCP.getIpProtocolNumber();

  private WireFormat() {}

  /**
   * Matches the packets of one direction of a connection. Replies to pings have their type, so that
   * ICMP errors do not pass for them. Pings have none, because their fragments do not show it:
   * switches take it for 0, which is that of a reply.
   */
  static void match(ByteBuf out, Translation translation, boolean isReply) {
    FiveTuple tuple = translation.incoming();
    int vlan = translation.vlan();
    @Nullable MacAddress dstMac = translation.dstMac();
    int start = out.writerIndex();
    out.writeShort(MATCH_OXM);
    out.writeShort(0);
    boolean isIpv6 = tuple.isIpv6();
    int protocol = ConnectionRules.protocolOf(tuple).getIpProtocolNumber();
    if (dstMac != null) {
      mac(out.writeInt(ETH_DST), dstMac);
    }
    out.writeInt(ETH_TYPE).writeShort(isIpv6 ? IPV6 : IPV4);
    out.writeInt(VLAN_VID).writeShort(vlan == 0 ? UNTAGGED : VLAN_PRESENT | vlan);
    out.writeInt(IP_PROTO).writeByte(protocol);
    if (isIpv6) {
      ipv6(out.writeInt(IPV6_SRC), tuple.srcAddress());
      ipv6(out.writeInt(IPV6_DST), tuple.dstAddress());
    } else {
      out.writeInt(IPV4_SRC).writeInt(tuple.srcAddress());
      out.writeInt(IPV4_DST).writeInt(tuple.dstAddress());
    }
    if (tuple.protocol() != ICMP) {
      out.writeInt(srcPort(tuple)).writeShort(tuple.srcPort());
      out.writeInt(dstPort(tuple)).writeShort(tuple.dstPort());
    } else if (isReply) {
      out.writeInt(isIpv6 ? ICMPV6_TYPE : ICMPV4_TYPE);
      out.writeByte((isIpv6 ? IpFamily.IPV6 : IpFamily.IPV4).icmpEchoReply);
    }
    endMatch(out, start);
  }

  private static void ipv6(ByteBuf out, int key) {
    out.writeLong(AddressKey.upper(key)).writeLong(AddressKey.lower(key));
  }

  /** Matches what comes from the controller. */
  static void matchController(ByteBuf out) {
    int start = out.writerIndex();
    out.writeShort(MATCH_OXM);
    out.writeShort(0);
    out.writeInt(IN_PORT).writeInt(PORT_CONTROLLER);
    endMatch(out, start);
  }

  /** Its length counts without the padding. */
  private static void endMatch(ByteBuf out, int start) {
    int bytes = out.writerIndex() - start;
    out.setShort(start + 2, bytes);
    out.writeZero(-bytes & 7);
  }

  /** Translates packets, adds the label and the next hop if others need them, and forwards them. */
  static void instructions(ByteBuf out, Translation translation, TableLayout layout) {
    int start = out.writerIndex();
    out.writeShort(APPLY_ACTIONS);
    out.writeShort(0);
    out.writeInt(0);
    if (translation.vlan() != 0) {
      out.writeShort(ACTION_POP_VLAN).writeShort(VLAN_ACTION_BYTES).writeZero(4);
    }
    setMac(out, ETH_SRC, translation.srcMac(layout));
    translate(out, translation);
    @Nullable Label label = translation.label();
    boolean namesPort = translation.namesPort(layout);
    if (label != null) {
      setMac(out, ETH_DST, label.mac());
    } else if (namesPort) {
      toReceiver(out, translation.receiver());
    }
    if (namesPort) {
      output(out, translation.out());
    } else if (label != null && layout == TableLayout.ONE_TABLE_WITH_GROUPS) {
      out.writeShort(ACTION_GROUP).writeShort(GROUP_ACTION_BYTES);
      out.writeInt(LabelGroups.idOf(label.id()).getGroupNumber());
    }
    out.setShort(start + 2, out.writerIndex() - start);
    if (layout == TableLayout.FOUR_TABLES && !namesPort) {
      out.writeShort(GOTO_TABLE);
      out.writeShort(8);
      out.writeByte((label != null ? FlowLayout.LABELS : FlowLayout.HOSTS).getValue());
      out.writeZero(3);
    }
  }

  /** Translates a packet that has the receiver's tag already, and sends it to its port. */
  static void deliver(ByteBuf out, Translation translation) {
    Attachment receiver = translation.receiver();
    setMac(out, ETH_SRC, EdgeMac.of(receiver.switchId()));
    translate(out, translation);
    setMac(out, ETH_DST, receiver.mac());
    output(out, receiver.port());
  }

  private static void toReceiver(ByteBuf out, Attachment receiver) {
    setMac(out, ETH_DST, receiver.mac());
    if (receiver.vlan() != 0) {
      out.writeShort(ACTION_PUSH_VLAN).writeShort(VLAN_ACTION_BYTES);
      out.writeShort(VLAN_TAG).writeZero(2);
      setField(out, VLAN_VID);
      out.writeShort(VLAN_PRESENT | receiver.vlan()).writeZero(6);
    }
  }

  /** Sends a whole packet to a port. */
  static void output(ByteBuf out, OFPort port) {
    out.writeShort(ACTION_OUTPUT).writeShort(ACTION_BYTES);
    out.writeInt(port.getPortNumber());
    out.writeShort(ALL_BYTES);
    out.writeZero(6);
  }

  private static void translate(ByteBuf out, Translation translation) {
    FiveTuple before = translation.incoming();
    FiveTuple after = translation.outgoing();
    if (before.srcAddress() != after.srcAddress()) {
      setAddress(out, IPV4_SRC, IPV6_SRC, after.srcAddress());
    }
    if (before.dstAddress() != after.dstAddress()) {
      setAddress(out, IPV4_DST, IPV6_DST, after.dstAddress());
    }
    if (before.srcPort() != after.srcPort()) {
      setPort(out, srcPort(before), after.srcPort());
    }
    if (before.dstPort() != after.dstPort()) {
      setPort(out, dstPort(before), after.dstPort());
    }
  }

  private static void setMac(ByteBuf out, int field, MacAddress mac) {
    setField(out, field);
    mac(out, mac);
    out.writeZero(2);
  }

  private static void mac(ByteBuf out, MacAddress mac) {
    long bits = mac.getLong();
    out.writeShort((int) (bits >>> 32)).writeInt((int) bits);
  }

  private static void setAddress(ByteBuf out, int ipv4Field, int ipv6Field, int key) {
    if (AddressKey.isIpv6(key)) {
      out.writeShort(ACTION_SET_FIELD).writeShort(IPV6_ACTION_BYTES);
      ipv6(out.writeInt(ipv6Field), key);
    } else {
      setField(out, ipv4Field);
      out.writeInt(key);
      out.writeZero(4);
    }
  }

  private static void setPort(ByteBuf out, int field, int port) {
    setField(out, field);
    out.writeShort(port);
    out.writeZero(6);
  }

  private static void setField(ByteBuf out, int field) {
    out.writeShort(ACTION_SET_FIELD).writeShort(ACTION_BYTES);
    out.writeInt(field);
  }

  private static int srcPort(FiveTuple tuple) {
    return tuple.protocol() == TCP ? TCP_SRC : UDP_SRC;
  }

  private static int dstPort(FiveTuple tuple) {
    return tuple.protocol() == TCP ? TCP_DST : UDP_DST;
  }
}
