package io.malob.controller.channel;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFBarrierReply;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFRoleReply;
import org.projectfloodlight.openflow.protocol.OFRoleRequest;
import org.projectfloodlight.openflow.protocol.OFRoleRequestFailedCode;
import org.projectfloodlight.openflow.protocol.errormsg.OFRoleRequestFailedErrorMsg;
import org.projectfloodlight.openflow.types.U64;

/**
 * The role of this controller at a switch during its handshake: first a question for the switch's
 * generation id, then a request with it. The id is the switch's own: a greater one would lock out
 * controllers that always send 0, as Floodlight does, until the switch forgets it.
 */
final class RoleNegotiation {
  /** In a cluster, how often a switch may get another master during its handshake. */
  private static final int MAX_STALE_ANSWERS = 5;

  /** The value of switches to which no controller has sent a generation id yet. */
  private static final U64 UNDEFINED = U64.of(-1);

  private long requestXid;
  private long asyncRequestXid;
  private long barrierXid;
  private int staleAnswers;

  /** The switch's current generation id; null if it does not support roles. */
  private @Nullable U64 generationId;

  /** As the switch says; without support for roles, it treats all controllers as equal. */
  private OFControllerRole role = OFControllerRole.ROLE_EQUAL;

  OFControllerRole role() {
    return role;
  }

  void setRole(OFControllerRole newRole) {
    role = newRole;
  }

  boolean isSlave() {
    return role == OFControllerRole.ROLE_SLAVE;
  }

  boolean isSupported() {
    return generationId != null;
  }

  /** Whether this answers the latest question or request. */
  boolean isAnswer(OFMessage message) {
    return message.getXid() == requestXid;
  }

  /** Takes the answer to the question. */
  void takeGeneration(OFRoleReply reply) {
    generationId = reply.getGenerationId().equals(UNDEFINED) ? U64.ZERO : reply.getGenerationId();
  }

  /**
   * Requests the switch's generation id. The barrier ensures that the answer comes before the
   * answer to the next request, if the switch supports roles.
   */
  List<OFMessage> question(OFFactory factory) {
    OFRoleRequest question = RoleWatch.question(factory);
    requestXid = question.getXid();
    return List.of(question, factory.barrierRequest());
  }

  /** Requests the role of master, if the switch supports roles. */
  List<OFMessage> requestMaster(OFFactory factory) {
    return generationId == null
        ? List.of()
        : List.of(request(factory, OFControllerRole.ROLE_MASTER, generationId));
  }

  /**
   * Requests the role of slave, and the messages that a standby needs; nothing if the switch does
   * not support roles. The switch's rules and its master stay as they are.
   */
  List<OFMessage> requestSlave(OFFactory factory) {
    if (generationId == null) {
      return List.of();
    }
    OFMessage request = request(factory, OFControllerRole.ROLE_SLAVE, generationId);
    OFMessage messages = StandbyMessages.request(factory);
    OFMessage barrier = factory.barrierRequest();
    asyncRequestXid = messages.getXid();
    barrierXid = barrier.getXid();
    return List.of(request, messages, barrier);
  }

  private OFMessage request(OFFactory factory, OFControllerRole wanted, U64 generation) {
    OFRoleRequest request =
        factory.buildRoleRequest().setRole(wanted).setGenerationId(generation).build();
    requestXid = request.getXid();
    return request;
  }

  /** Whether this ends the answers to the request for the role of slave. */
  boolean isSlaveBarrier(OFMessage answer) {
    return answer instanceof OFBarrierReply && answer.getXid() == barrierXid;
  }

  /** Whether this refuses the messages that a standby needs. */
  boolean isStandbyRefusal(OFErrorMsg error) {
    return error.getXid() == asyncRequestXid;
  }

  /** Whether there was another master between question and request, so that both are repeated. */
  boolean isStale(OFErrorMsg error) {
    return error instanceof OFRoleRequestFailedErrorMsg failed
        && failed.getCode() == OFRoleRequestFailedCode.STALE
        && isAnswer(error)
        && ++staleAnswers <= MAX_STALE_ANSWERS;
  }

  /** Whether question and request have been repeated. */
  boolean isRepeated() {
    return staleAnswers > 0;
  }
}
