package io.malob.controller.channel;

import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.errormsg.OFBadActionErrorMsg;
import org.projectfloodlight.openflow.protocol.errormsg.OFBadInstructionErrorMsg;
import org.projectfloodlight.openflow.protocol.errormsg.OFBadMatchErrorMsg;
import org.projectfloodlight.openflow.protocol.errormsg.OFBadRequestErrorMsg;
import org.projectfloodlight.openflow.protocol.errormsg.OFFlowModFailedErrorMsg;
import org.projectfloodlight.openflow.protocol.errormsg.OFGroupModFailedErrorMsg;
import org.projectfloodlight.openflow.protocol.errormsg.OFHelloFailedErrorMsg;

/** The kind of an OpenFlow error: type and code, without details. */
final class ErrorKind {
  private ErrorKind() {}

  /** For logs; without the code if it does not matter. */
  static String of(OFErrorMsg error) {
    String code = codeOf(error);
    return error.getErrType().name() + (code.isEmpty() ? "" : "/" + code);
  }

  /** openflowj has a type of its own for each kind of code, with nothing in common. */
  private static String codeOf(OFErrorMsg error) {
    if (error instanceof OFFlowModFailedErrorMsg failed) {
      return failed.getCode().name();
    } else if (error instanceof OFBadRequestErrorMsg bad) {
      return bad.getCode().name();
    } else if (error instanceof OFBadMatchErrorMsg bad) {
      return bad.getCode().name();
    } else if (error instanceof OFBadActionErrorMsg bad) {
      return bad.getCode().name();
    } else if (error instanceof OFBadInstructionErrorMsg bad) {
      return bad.getCode().name();
    } else if (error instanceof OFGroupModFailedErrorMsg failed) {
      return failed.getCode().name();
    } else if (error instanceof OFHelloFailedErrorMsg failed) {
      return failed.getCode().name();
    }
    return "";
  }
}
