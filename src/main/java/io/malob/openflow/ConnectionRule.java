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

  private final Translation translation;
  private final U64 cookie;
  private final int idleSeconds;
  private final boolean endIsTold;
  private final boolean isChange;
  private final TableLayout layout;

  /**
   * A rule.
   *
   * @param cookie that of a request or a reply
   * @param isChange whether an existing rule with this cookie gets other actions, and keeps
   *     counters, timeouts and flags; if there is none, nothing changes
   */
  ConnectionRule(
      OFFactory factory,
      Translation translation,
      U64 cookie,
      int idleSeconds,
      boolean endIsTold,
      boolean isChange,
      TableLayout layout) {
    super(factory, OFType.FLOW_MOD);
    this.translation = translation;
    this.cookie = cookie;
    this.idleSeconds = idleSeconds;
    this.endIsTold = endIsTold;
    this.isChange = isChange;
    this.layout = layout;
  }

  /** The same rule in another layout. */
  ConnectionRule in(OFFactory factory, TableLayout other) {
    return new ConnectionRule(
        factory, translation, cookie, idleSeconds, endIsTold, isChange, other);
  }

  @Override
  protected void writeBody(ByteBuf out) {
    boolean isReply = Cookie.is(cookie, CookieKind.REPLY);
    boolean isInFourTables = layout == TableLayout.FOUR_TABLES;
    TableId table = isReply || !isInFourTables ? FlowLayout.CLASSIFY : FlowLayout.REQUESTS;
    int requestPriority =
        isInFourTables ? FlowLayout.PRIORITY_ENTRY : FlowLayout.PRIORITY_ONE_TABLE_REQUEST;
    out.writeLong(cookie.getValue());
    out.writeLong(isChange ? ALL_BITS : 0); // cookie mask, ignored when a rule is added
    out.writeByte(table.getValue());
    out.writeByte(isChange ? COMMAND_MODIFY_STRICT : COMMAND_ADD);
    out.writeShort(idleSeconds);
    out.writeShort(0); // hard time-out
    out.writeShort(isReply ? FlowLayout.PRIORITY_REPLY : requestPriority);
    out.writeInt(WireFormat.NONE); // buffer
    out.writeInt(WireFormat.NONE); // port, for deletions only
    out.writeInt(WireFormat.NONE); // group, too
    out.writeShort(endIsTold ? FLAG_SEND_FLOW_REMOVED : 0);
    out.writeShort(0); // padding; the importance in 1.4 and later
    WireFormat.match(out, translation, isReply);
    WireFormat.instructions(out, translation, layout);
  }
}
