package io.malob.openflow.tracked;

import com.google.common.hash.PrimitiveSink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Optional;
import java.util.StringJoiner;
import org.projectfloodlight.openflow.protocol.OFActionType;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.types.TableId;

/**
 * Open vSwitch's action {@code ct}, for rules and PACKET_OUTs that openflowj writes. Immutable.
 *
 * @param version of the message that contains it; only masked marks depend on it
 * @param zone 0 to 65535
 * @param commits whether the connection is added to the zone, if it is not there
 * @param table where a copy of the packet continues, with the state and mark of its connection in
 *     its fields; empty if only the actions behind this one follow, which do not see these
 * @param nat empty to translate nothing
 * @param mark the connection's new mark; empty to leave it
 * @param keepsSender whether the connection's label gets the MAC address and the VLAN that the
 *     packet came with ({@link ConntrackMatch#sender})
 */
public record ConntrackAction(
    OFVersion version,
    int zone,
    boolean commits,
    Optional<TableId> table,
    Optional<Nat> nat,
    Optional<Mark> mark,
    boolean keepsSender)
    implements OFAction {
  static final int EXPERIMENTER = 0xffff;
  static final int NICIRA = 0x2320;
  static final int SUBTYPE = 35;
  static final int FIXED_BYTES = 24;
  static final int COMMIT = 1;
  static final int NO_TABLE = 0xff;

  private static final int LENGTH_OFFSET = 2;

  /** Checks what Open vSwitch would refuse. */
  public ConntrackAction {
    if (zone < 0 || zone > 0xffff) {
      throw new IllegalArgumentException("a zone is between 0 and 65535, not " + zone);
    }
    if (table.isPresent() && table.get().getValue() == NO_TABLE) {
      throw new IllegalArgumentException("no table has the number " + NO_TABLE);
    }
    if (!commits && (mark.isPresent() || keepsSender || nat.flatMap(Nat::range).isPresent())) {
      throw new IllegalArgumentException("only a commit sets a mark, a label or a translation");
    }
  }

  /** Looks the connection up. */
  public static ConntrackAction inZone(OFFactory factory, int zone) {
    return new ConntrackAction(
        factory.getVersion(),
        zone,
        /* commits= */ false,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        /* keepsSender= */ false);
  }

  /** The same, which adds the connection. */
  public ConntrackAction commit() {
    return new ConntrackAction(version, zone, /* commits= */ true, table, nat, mark, keepsSender);
  }

  /** The same, after which the packet continues in a table. */
  public ConntrackAction continueIn(TableId next) {
    return new ConntrackAction(version, zone, commits, Optional.of(next), nat, mark, keepsSender);
  }

  /** The same, which translates. */
  public ConntrackAction translate(Nat translation) {
    return new ConntrackAction(
        version, zone, commits, table, Optional.of(translation), mark, keepsSender);
  }

  /** The same, which sets the connection's mark. */
  public ConntrackAction setMark(Mark newMark) {
    return new ConntrackAction(
        version, zone, commits, table, nat, Optional.of(newMark), keepsSender);
  }

  /** The same, which keeps the sender of the packet in the connection's label. */
  public ConntrackAction keepSender() {
    return new ConntrackAction(version, zone, commits, table, nat, mark, /* keepsSender= */ true);
  }

  @Override
  public OFActionType getType() {
    return OFActionType.EXPERIMENTER;
  }

  @Override
  public OFVersion getVersion() {
    return version;
  }

  @Override
  public void writeTo(ByteBuf out) {
    int start = writeHeader(out, SUBTYPE);
    out.writeShort(commits ? COMMIT : 0)
        .writeInt(0) // no field has the zone
        .writeShort(zone)
        .writeByte(table.map(TableId::getValue).orElse((short) NO_TABLE))
        .writeZero(3)
        .writeShort(0); // no application-layer gateway
    nat.ifPresent(each -> each.writeTo(out));
    mark.ifPresent(each -> each.writeTo(out, version));
    if (keepsSender) {
      LabelCopy.SENDER.forEach(each -> each.writeTo(out, version));
    }
    finish(out, start);
  }

  /**
   * Writes the header of an action of Open vSwitch, with no length yet; returns where it starts.
   */
  static int writeHeader(ByteBuf out, int subtype) {
    int start = out.writerIndex();
    out.writeShort(EXPERIMENTER).writeShort(0).writeInt(NICIRA).writeShort(subtype);
    return start;
  }

  /** Pads an action to a multiple of eight bytes, and sets its length. */
  static void finish(ByteBuf out, int start) {
    out.writeZero(-(out.writerIndex() - start) & 7);
    out.setShort(start + LENGTH_OFFSET, out.writerIndex() - start);
  }

  @Override
  public void putTo(PrimitiveSink sink) {
    ByteBuf bytes = Unpooled.buffer();
    writeTo(bytes);
    sink.putBytes(bytes.nioBuffer());
  }

  /** Immutable: create a new action instead. */
  @Override
  public Builder createBuilder() {
    throw new UnsupportedOperationException("an action of connection tracking is made anew");
  }

  /** In the syntax of ovs-ofctl. */
  @Override
  public String toString() {
    StringJoiner arguments = new StringJoiner(",", "ct(", ")");
    if (commits) {
      arguments.add("commit");
    }
    table.ifPresent(next -> arguments.add("table=" + next.getValue()));
    if (zone != 0) {
      arguments.add("zone=" + zone);
    }
    nat.ifPresent(each -> arguments.add(each.toString()));
    StringJoiner inner = new StringJoiner(",", "exec(", ")").setEmptyValue("");
    mark.ifPresent(each -> inner.add(each.toString()));
    if (keepsSender) {
      LabelCopy.SENDER.forEach(each -> inner.add(each.toString()));
    }
    if (inner.length() > 0) {
      arguments.add(inner.toString());
    }
    return arguments.toString();
  }
}
