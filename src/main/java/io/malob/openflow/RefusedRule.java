package io.malob.openflow;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFErrorType;
import org.projectfloodlight.openflow.protocol.OFFlowModFailedCode;
import org.projectfloodlight.openflow.protocol.errormsg.OFFlowModFailedErrorMsg;
import org.projectfloodlight.openflow.types.U64;

/**
 * A rule that a switch has rejected.
 *
 * @param cookie the rule's
 * @param reason from the switch, like {@code FLOW_MOD_FAILED/TABLE_FULL}
 */
public record RefusedRule(U64 cookie, String reason) {
  /** The wire format's number of FLOW_MOD, from OpenFlow 1.3 on. */
  private static final byte FLOW_MOD = 14;

  /** Behind the header, in every version; an error quotes at least 64 bytes (1.3.5, A.4.4). */
  private static final int COOKIE_AT = 8;

  /** Whether the switch cannot match what the rule matches. */
  public boolean isOfMatch() {
    return reason.equals(OFErrorType.BAD_MATCH.name());
  }

  /** Whether there was no room for the rule. */
  public boolean isOfFullTable() {
    return reason.equals(OFErrorType.FLOW_MOD_FAILED + "/" + OFFlowModFailedCode.TABLE_FULL);
  }

  /** The rule of an error; empty if it is not a rule of the balancer. */
  public static Optional<RefusedRule> of(OFErrorMsg error) {
    return ofAnybody(error).filter(rule -> Cookie.isOurs(rule.cookie()));
  }

  /** The rule of an error; empty if it is not about a rule. */
  public static Optional<RefusedRule> ofAnybody(OFErrorMsg error) {
    byte[] quoted = error.getData().getData();
    if (quoted.length < COOKIE_AT + Long.BYTES || quoted[1] != FLOW_MOD) {
      return Optional.empty();
    }
    U64 cookie = U64.of(ByteBuffer.wrap(quoted).getLong(COOKIE_AT));
    return Optional.of(new RefusedRule(cookie, reason(error)));
  }

  private static String reason(OFErrorMsg error) {
    String type = error.getErrType().name();
    return error instanceof OFFlowModFailedErrorMsg failed ? type + "/" + failed.getCode() : type;
  }
}
