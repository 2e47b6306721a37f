package io.malob.testing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.projectfloodlight.openflow.protocol.OFBadActionCode;
import org.projectfloodlight.openflow.protocol.OFBadInstructionCode;
import org.projectfloodlight.openflow.protocol.OFBadMatchCode;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFlowModFailedCode;
import org.projectfloodlight.openflow.protocol.OFGroupModFailedCode;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.errormsg.OFErrorMsgs;
import org.projectfloodlight.openflow.types.OFErrorCauseData;

/** Errors as switches send them: with the xid and the first 64 bytes of the refused message. */
public final class SwitchErrors {
  private static final int QUOTED_BYTES = 64;

  private SwitchErrors() {}

  /** OFPET_BAD_REQUEST. */
  public static OFErrorMsg badRequest(OFMessage refused, OFBadRequestCode code) {
    return errors(refused)
        .buildBadRequestErrorMsg()
        .setXid(refused.getXid())
        .setCode(code)
        .setData(quote(refused))
        .build();
  }

  /** OFPET_BAD_ACTION. */
  public static OFErrorMsg badAction(OFMessage refused, OFBadActionCode code) {
    return errors(refused)
        .buildBadActionErrorMsg()
        .setXid(refused.getXid())
        .setCode(code)
        .setData(quote(refused))
        .build();
  }

  /** OFPET_BAD_INSTRUCTION. */
  public static OFErrorMsg badInstruction(OFMessage refused, OFBadInstructionCode code) {
    return errors(refused)
        .buildBadInstructionErrorMsg()
        .setXid(refused.getXid())
        .setCode(code)
        .setData(quote(refused))
        .build();
  }

  /** OFPET_BAD_MATCH. */
  public static OFErrorMsg badMatch(OFMessage refused, OFBadMatchCode code) {
    return errors(refused)
        .buildBadMatchErrorMsg()
        .setXid(refused.getXid())
        .setCode(code)
        .setData(quote(refused))
        .build();
  }

  /** OFPET_FLOW_MOD_FAILED. */
  public static OFErrorMsg flowModFailed(OFMessage refused, OFFlowModFailedCode code) {
    return errors(refused)
        .buildFlowModFailedErrorMsg()
        .setXid(refused.getXid())
        .setCode(code)
        .setData(quote(refused))
        .build();
  }

  /** OFPET_GROUP_MOD_FAILED. */
  public static OFErrorMsg groupModFailed(OFMessage refused, OFGroupModFailedCode code) {
    return errors(refused)
        .buildGroupModFailedErrorMsg()
        .setXid(refused.getXid())
        .setCode(code)
        .setData(quote(refused))
        .build();
  }

  private static OFErrorMsgs errors(OFMessage refused) {
    return OFFactories.getFactory(refused.getVersion()).errorMsgs();
  }

  private static OFErrorCauseData quote(OFMessage refused) {
    ByteBuf bytes = Unpooled.buffer();
    refused.writeTo(bytes);
    byte[] quoted = new byte[Math.min(QUOTED_BYTES, bytes.readableBytes())];
    bytes.readBytes(quoted);
    return OFErrorCauseData.of(quoted, refused.getVersion());
  }
}
