package io.malob.controller.channel;

import com.google.common.util.concurrent.MoreExecutors;
import io.malob.controller.message.MessageReader;
import io.malob.module.Mastership;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFRoleReply;
import org.projectfloodlight.openflow.protocol.OFRoleRequest;
import org.projectfloodlight.openflow.protocol.OFRoleRequestFailedCode;
import org.projectfloodlight.openflow.protocol.errormsg.OFRoleRequestFailedErrorMsg;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.U64;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The claims of a cluster's controller at one switch: sends them for the election, and tells it the
 * answers. Requests may come from any thread; all else is on the channel's thread.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
final class ClusterRole implements Mastership.RoleChannel {
  private static final Logger logger = LoggerFactory.getLogger(ClusterRole.class);

  /** The generation id of a switch that has accepted none. */
  private static final U64 UNDEFINED = U64.of(-1);

  private final Channel channel;
  private final SwitchConnection sw;
  private final Mastership mastership;
  private final MessageReader reader = new MessageReader();

  /** The generation ids of pending claims, by transaction. */
  private final Map<Long, Long> claims = new HashMap<>();

  ClusterRole(Channel channel, SwitchConnection sw, Mastership mastership) {
    this.channel = channel;
    this.sw = sw;
    this.mastership = mastership;
  }

  @Override
  public DatapathId id() {
    return sw.getId();
  }

  /** Sent even if the switch reads slowly: it is one small message. */
  @Override
  public void requestMaster(long generation) {
    OFRoleRequest claim =
        sw.getOFFactory()
            .buildRoleRequest()
            .setRole(OFControllerRole.ROLE_MASTER)
            .setGenerationId(U64.of(generation))
            .build();
    onThread(
        () -> {
          claims.put(claim.getXid(), generation);
          channel.writeAndFlush(claim, channel.voidPromise());
        });
  }

  @Override
  public void askRole() {
    channel.writeAndFlush(RoleWatch.question(sw.getOFFactory()), channel.voidPromise());
  }

  @Override
  public CompletableFuture<Void> handOn(Predicate<byte[]> next) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    onGate(gate -> gate.handOn(next));
    onThread(
        () ->
            // the rules for earlier packet-ins are on their way: this thread has handled them
            sw.writeRequest(sw.getOFFactory().barrierRequest())
                .addListener(() -> done.complete(null), MoreExecutors.directExecutor()));
    return done;
  }

  @Override
  public void stopHandingOn() {
    onGate(PacketInGate::stopHandingOn);
  }

  @Override
  public void takeHandedOn(byte[] message) {
    onGate(
        gate -> {
          try {
            if (reader.read(Unpooled.wrappedBuffer(message)) instanceof OFPacketIn packetIn
                && packetIn.getVersion() == sw.getOFFactory().getVersion()) {
              gate.takeHandedOn(packetIn);
            }
          } catch (OFParseError | RuntimeException e) {
            logger.debug("packet_in_not_taken switch={}", sw.getId(), e);
          }
        });
  }

  @Override
  public void masterSilent() {
    onGate(PacketInGate::masterSilent);
  }

  private void onGate(Consumer<PacketInGate> action) {
    onThread(
        () -> {
          if (channel.isActive()) {
            action.accept(channel.pipeline().get(PacketInGate.class));
          }
        });
  }

  private void onThread(Runnable task) {
    channel.eventLoop().execute(task);
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
