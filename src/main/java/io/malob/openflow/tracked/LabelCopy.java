package io.malob.openflow.tracked;

import com.google.common.collect.ImmutableList;
import io.netty.buffer.ByteBuf;
import org.projectfloodlight.openflow.protocol.OFVersion;

/**
 * A field of a packet that is copied to a part of its connection's label ({@code ct_label}): Open
 * vSwitch's action {@code move}, which is {@code copy_field} in OpenFlow 1.5. A switch has flows of
 * their own for each value of a label, so it gets no field that differs by connection.
 */
enum LabelCopy {
  SOURCE_MAC("eth_src", 48, 0, 0x0000_0406, 0x8000_0806),
  /** Without the priority; 0 of untagged packets. */
  VLAN("vlan_tci[0..11]", 12, 48, 0x0000_0802, 0x0000_0802);

  /** From which next hop a packet has come. */
  static final ImmutableList<LabelCopy> SENDER = ImmutableList.of(SOURCE_MAC, VLAN);

  static final int MOVE = 6;
  static final int COPY_FIELD = 28;
  static final int BYTES = 24;

  /** NXM_NX_CT_LABEL: class 1, field 108. */
  private static final int LABEL = 0x0001_d810;

  private final String field;
  private final int bits;
  private final int offset;
  private final int nicira;
  private final int basic;

  /**
   * A field that is copied from its lowest bit on.
   *
   * @param offset where in the label
   * @param nicira its header in Open vSwitch's own actions
   * @param basic its header in those of OpenFlow
   */
  LabelCopy(String field, int bits, int offset, int nicira, int basic) {
    this.field = field;
    this.bits = bits;
    this.offset = offset;
    this.nicira = nicira;
    this.basic = basic;
  }

  void writeTo(ByteBuf out, OFVersion version) {
    if (version.compareTo(OFVersion.OF_15) >= 0) {
      out.writeShort(COPY_FIELD).writeShort(BYTES);
      out.writeShort(bits).writeShort(0).writeShort(offset).writeZero(2);
      out.writeInt(basic).writeInt(LABEL).writeZero(4);
      return;
    }
    int start = ConntrackAction.writeHeader(out, MOVE);
    out.writeShort(bits).writeShort(0).writeShort(offset).writeInt(nicira).writeInt(LABEL);
    ConntrackAction.finish(out, start);
  }

  @Override
  public String toString() {
    return "move:" + field + "->ct_label[" + offset + ".." + (offset + bits - 1) + "]";
  }
}
