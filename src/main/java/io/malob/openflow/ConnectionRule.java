package io.malob.openflow;

import io.malob.openflow.ConnectionRules.Translation;
import io.netty.buffer.ByteBuf;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/** Adds or changes the rule for one direction of a connection. */
final class ConnectionRule extends WireMessage {
  private static final int COMMAND_ADD = 0;
  private static final int COMMAND_MODIFY_STRICT = 2;
  private static final long ALL_BITS = -1;
  private static final int FLAG_SEND_FLOW_REMOVED = 1;

  private final TableId table;
  private final int priority;
  private final Translation translation;
  private final long cookie;
  private final boolean isReply;
  private final int idleSeconds;
  private final boolean endIsTold;
  private final boolean isChange;
  private final TableLayout layout;

  ConnectionRule(
      OFFactory factory,
      TableId table,
      int priority,
      Translation translation,
      U64 cookie,
      int idleSeconds,
      boolean endIsTold) {
    this(
        factory,
        table,
        priority,
        translation,
        cookie,
        idleSeconds,
        endIsTold,
        false,
        TableLayout.FOUR_TABLES);
  }

  /**
   * An existing rule gets other actions, and keeps counters, timeouts and flags. A rule with
   * another cookie is not changed.
   */
  static ConnectionRule change(
      OFFactory factory, TableId table, int priority, Translation translation, U64 cookie) {
    return new ConnectionRule(
        factory, table, priority, translation, cookie, 0, false, true, TableLayout.FOUR_TABLES);
  }

  /** The same rule in another layout. */
  ConnectionRule in(OFFactory factory, TableLayout other, int priorityThere) {
    return new ConnectionRule(
        factory,
        FlowLayout.CLASSIFY,
        priorityThere,
        translation,
        U64.of(cookie),
        idleSeconds,
        endIsTold,
        isChange,
        other);
  }

  TableId table() {
    return table;
  }

  int priority() {
    return priority;
  }

  private ConnectionRule(
      OFFactory factory,
      TableId table,
      int priority,
      Translation translation,
      U64 cookie,
      int idleSeconds,
      boolean endIsTold,
      boolean isChange,
      TableLayout layout) {
    super(factory, OFType.FLOW_MOD);
    this.table = table;
    this.priority = priority;
    this.translation = translation;
    this.cookie = cookie.getValue();
    this.isReply = Cookie.is(cookie, Cookie.Kind.REPLY);
    this.idleSeconds = idleSeconds;
    this.endIsTold = endIsTold;
    this.isChange = isChange;
    this.layout = layout;
  }

  @Override
  void writeBody(ByteBuf out) {
    out.writeLong(cookie);
    out.writeLong(isChange ? ALL_BITS : 0); // cookie mask, ignored when a rule is added
    out.writeByte(table.getValue());
    out.writeByte(isChange ? COMMAND_MODIFY_STRICT : COMMAND_ADD);
    out.writeShort(idleSeconds);
    out.writeShort(0); // hard time-out
    out.writeShort(priority);
    out.writeInt(WireFormat.NONE); // buffer
    out.writeInt(WireFormat.NONE); // port, for deletions only
    out.writeInt(WireFormat.NONE); // group, too
    out.writeShort(endIsTold ? FLAG_SEND_FLOW_REMOVED : 0);
    out.writeShort(0); // padding; the importance in 1.4 and later
    WireFormat.match(out, translation.incoming(), isReply);
    WireFormat.instructions(out, translation, layout);
  }
}
