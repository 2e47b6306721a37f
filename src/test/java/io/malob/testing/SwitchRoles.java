package io.malob.testing;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFRoleRequest;
import org.projectfloodlight.openflow.protocol.OFRoleRequestFailedCode;
import org.projectfloodlight.openflow.types.OFErrorCauseData;
import org.projectfloodlight.openflow.types.U64;

/**
 * The roles of one switch's controllers, as section 6.3.6 of OpenFlow 1.3 has them: equal at first,
 * one master at most, and no claim with a generation id older than the latest. Shared by all
 * connections of the switch; it outlives them. Thread-safe.
 */
public final class SwitchRoles {
  private static final U64 UNDEFINED = U64.of(-1);

  private final Map<Object, OFControllerRole> roles = new HashMap<>();
  private U64 generation = UNDEFINED;

  /** The role of the controller at the other end of a connection. */
  public synchronized OFControllerRole of(Object connection) {
    return roles.getOrDefault(connection, OFControllerRole.ROLE_EQUAL);
  }

  /** The latest generation id; -1 if there was none. */
  public synchronized long generation() {
    return generation.getValue();
  }

  /** Answers a request for a role. */
  public synchronized OFMessage answer(
      Object connection, OFFactory factory, OFRoleRequest request) {
    OFControllerRole wanted = request.getRole();
    if (wanted == OFControllerRole.ROLE_MASTER || wanted == OFControllerRole.ROLE_SLAVE) {
      long distance = request.getGenerationId().getValue() - generation.getValue();
      if (!generation.equals(UNDEFINED) && distance < 0) {
        return factory
            .errorMsgs()
            .buildRoleRequestFailedErrorMsg()
            .setXid(request.getXid())
            .setCode(OFRoleRequestFailedCode.STALE)
            .setData(OFErrorCauseData.NONE)
            .build();
      }
      generation = request.getGenerationId();
    }
    if (wanted == OFControllerRole.ROLE_MASTER) {
      roles.replaceAll(
          (any, role) -> role == OFControllerRole.ROLE_MASTER ? OFControllerRole.ROLE_SLAVE : role);
    }
    if (wanted != OFControllerRole.ROLE_NOCHANGE) {
      roles.put(connection, wanted);
    }
    return factory
        .buildRoleReply()
        .setXid(request.getXid())
        .setRole(of(connection))
        .setGenerationId(generation)
        .build();
  }

  /** What a rule of this controller is answered with: nothing, or that it is a slave. */
  List<OFMessage> answer(Object connection, OFFactory factory, OFFlowMod rule) {
    return of(connection) != OFControllerRole.ROLE_SLAVE
        ? List.of()
        : List.of(
            factory
                .errorMsgs()
                .buildBadRequestErrorMsg()
                .setXid(rule.getXid())
                .setCode(OFBadRequestCode.IS_SLAVE)
                .setData(OFErrorCauseData.NONE)
                .build());
  }
}
