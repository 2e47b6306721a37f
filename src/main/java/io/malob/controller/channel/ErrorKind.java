package io.malob.controller.channel;

import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.errormsg.OFBadActionErrorMsg;
import org.projectfloodlight.openflow.protocol.errormsg.OFBadInstructionErrorMsg;
import org.projectfloodlight.openflow.protocol.errormsg.OFBadMatchErrorMsg;
import org.projectfloodlight.openflow.protocol.errormsg.OFBadRequestErrorMsg;
import org.projectfloodlight.openflow.protocol.errormsg.OFFlowModFailedErrorMsg;
import org.projectfloodlight.openflow.protocol.errormsg.OFGroupModFailedErrorMsg;
import org.projectfloodlight.openflow.protocol.errormsg.OFHelloFailedErrorMsg;

/**
 * The kind of an OpenFlow error: type and code, without details.
 *
 * @param type the error's type
 * @param code the code within the type, empty if it does not matter
 */
record ErrorKind(String type, String code) {

  static ErrorKind of(OFErrorMsg error) {
    return new ErrorKind(error.getErrType().name(), codeOf(error));
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

  @Override
  public String toString() {
    return code.isEmpty() ? type : type + "/" + code;
  }
}
