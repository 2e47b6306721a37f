package io.malob.controller.channel;

import io.malob.module.Mastership;
import io.netty.channel.Channel;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFRoleReply;
import org.projectfloodlight.openflow.protocol.OFRoleRequest;
import org.projectfloodlight.openflow.protocol.OFRoleRequestFailedCode;
import org.projectfloodlight.openflow.protocol.errormsg.OFRoleRequestFailedErrorMsg;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.U64;

/**
 * The claims of a cluster's controller at one switch: sends them for the election, and tells it the
 * answers. Requests may come from any thread; all else is on the channel's thread.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
final class ClusterRole implements Mastership.RoleChannel {
  /** The generation id of a switch that has accepted none. */
  private static final U64 UNDEFINED = U64.of(-1);

  private final Channel channel;
  private final OFFactory factory;
  private final DatapathId id;
  private final Mastership mastership;

  /** The generation ids of pending claims, by transaction. */
  private final Map<Long, Long> claims = new HashMap<>();

  ClusterRole(Channel channel, OFFactory factory, DatapathId id, Mastership mastership) {
    this.channel = channel;
    this.factory = factory;
    this.id = id;
    this.mastership = mastership;
  }

  @Override
  public DatapathId id() {
    return id;
  }

  /** Sent even if the switch reads slowly: it is one small message. */
  @Override
  public void requestMaster(long generation) {
    OFRoleRequest claim =
        factory
            .buildRoleRequest()
            .setRole(OFControllerRole.ROLE_MASTER)
            .setGenerationId(U64.of(generation))
            .build();
    channel
        .eventLoop()
        .execute(
            () -> {
              claims.put(claim.getXid(), generation);
              channel.writeAndFlush(claim, channel.voidPromise());
            });
  }

  @Override
  public void askRole() {
    channel.writeAndFlush(RoleWatch.question(factory), channel.voidPromise());
  }

  void connected() {
    mastership.connected(this);
    askRole(); // for the latest generation id
  }

  /** The switch has answered about the role; to be called after the controller knows its role. */
  void answered(OFRoleReply reply) {
    if (!reply.getGenerationId().equals(UNDEFINED)) {
      mastership.generationSeen(this, reply.getGenerationId().getValue());
    }
    @Nullable Long claimed = claims.remove(reply.getXid());
    if (claimed != null && reply.getRole() == OFControllerRole.ROLE_MASTER) {
      mastership.granted(this, claimed);
    }
  }

  /** Takes an error about a claim; false if it is about something else. */
  boolean takes(OFErrorMsg error) {
    @Nullable Long claimed = claims.remove(error.getXid());
    if (claimed == null) {
      return false;
    }
    if (error instanceof OFRoleRequestFailedErrorMsg failed
        && failed.getCode() == OFRoleRequestFailedCode.STALE) {
      mastership.staleClaim(this, claimed);
    }
    // any other error counts as no answer
    return true;
  }

  /** The switch has another master. */
  void replaced() {
    mastership.replaced(this);
  }

  void disconnected() {
    mastership.disconnected(this);
  }
}
