package io.malob.controller.channel;

import io.malob.controller.channel.OpenFlowEncoder.EncodingFailure;
import io.malob.controller.guard.Refusal;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.CorruptedFrameException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.PortChangeType;
import net.floodlightcontroller.core.SwitchDisconnectedException;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPortStatus;
import org.projectfloodlight.openflow.protocol.OFRoleReply;
import org.projectfloodlight.openflow.protocol.OFRoleStatus;
import org.projectfloodlight.openflow.protocol.errormsg.OFBadRequestErrorMsg;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves one active switch: answers go to the requests that wait for them, the rest to the
 * listener. On the channel's thread only. An exception of a listener is counted and logged at a
 * limited rate, and never ends the connection.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
final class SwitchHandler extends ChannelInboundHandlerAdapter {
  private static final Logger logger = LoggerFactory.getLogger(SwitchHandler.class);

  private final OpenFlowSwitch sw;
  private final SwitchEvents events;
  private final LongSupplier bytesRead;
  private final RareWarning messageProblems;
  private final RoleWatch roleWatch;

  /** The role in a cluster; null without one. */
  private final @Nullable ClusterRole cluster;

  @SuppressWarnings("NullAway.Init") // set when this handler is added
  private PacketInGate gate;

  /** Errors that belong to no request, counted by kind; the number of kinds is bounded. */
  private final Map<String, Long> errorCounts = new HashMap<>();

  SwitchHandler(ChannelContext context, OpenFlowSwitch sw, LongSupplier bytesRead) {
    this.sw = sw;
    this.events = context.events();
    this.bytesRead = bytesRead;
    messageProblems = new RareWarning(logger, "message_problem", context.nanoTime());
    roleWatch = sw.roleWatch();
    cluster = context.mastership().map(sw::clusterRole).orElse(null);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    logger.info(
        "switch_connected switch={} from={} version={} role=\"{}\"",
        sw.getId(),
        sw.getInetAddress(),
        sw.getOFFactory().getVersion(),
        sw.getControllerRole());
    roleWatch.changed(sw.getControllerRole());
    gate = ctx.pipeline().get(PacketInGate.class);
    gate.belongsTo(sw);
    events.activated(sw);
    if (cluster != null) {
      cluster.connected();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object input) {
    if (input instanceof OFMessage message) {
      try {
        handle(message);
      } catch (RuntimeException e) {
        messageProblems.warn("Handling " + message.getType() + " of " + sw.getId() + " failed", e);
      }
    } else if (input instanceof RoleNotice notice) {
      onRole(notice.role());
    } else if (input instanceof UnparseableFrame frame) {
      String problem =
          String.format(
              "A message of type %d from %s cannot be parsed: %s",
              frame.type(), sw.getId(), frame.reason());
      sw.pending().fail(frame.xid(), new OpenFlowException(problem));
      events.refused(Refusal.MESSAGE_UNREADABLE);
      messageProblems.warn(problem);
    }
  }

  private void handle(OFMessage message) {
    switch (message.getType()) {
      case PACKET_IN, FLOW_REMOVED -> events.received(sw, message);
      case ERROR -> onError((OFErrorMsg) message);
      case PORT_STATUS -> onPortStatus((OFPortStatus) message);
      case ROLE_STATUS -> {
        onRole(((OFRoleStatus) message).getRole());
        events.received(sw, message);
      }
      case ROLE_REPLY -> {
        OFRoleReply reply = (OFRoleReply) message;
        onRole(reply.getRole());
        if (cluster != null) {
          cluster.answered(reply);
        }
        answer(message);
      }
      default -> answer(message);
    }
  }

  private void answer(OFMessage message) {
    if (!sw.pending().answer(message, bytesRead.getAsLong())) {
      events.received(sw, message);
    }
  }

  /** Sets the role. The first rules are sent again, because a slave cannot have written them. */
  private void onRole(OFControllerRole role) {
    boolean tookOrders = sw.getStatus().isControllable();
    sw.setRole(role);
    roleWatch.changed(role);
    boolean takesOrders = sw.getStatus().isControllable();
    if (takesOrders != tookOrders) {
      logger.warn("switch_role_changed role=\"{}\" switch={}", role, sw.getId());
      if (takesOrders) {
        sw.write(FirstRules.of(sw.getOFFactory(), sw.getNumTables()));
      }
      events.roleChanged(sw);
      gate.roleChanged();
      if (cluster != null && !takesOrders) {
        cluster.replaced();
      }
    }
  }

  private void onError(OFErrorMsg error) {
    if (error instanceof OFBadRequestErrorMsg bad && bad.getCode() == OFBadRequestCode.IS_SLAVE) {
      // OpenFlow 1.3 has no other message for it
      onRole(OFControllerRole.ROLE_SLAVE);
    }
    if (cluster != null && cluster.takes(error)) {
      return;
    }
    if (sw.pending().answerError(error)) {
      return;
    }
    String kind = ErrorKind.of(error);
    if (errorCounts.merge(kind, 1L, Long::sum) == 1) {
      logger.warn(
          "switch_error switch={} kind=\"{}\" error=\"{}\" - further errors of this kind are only"
              + " counted",
          sw.getId(),
          kind,
          error);
    }
    events.received(sw, error);
  }

  private void onPortStatus(OFPortStatus status) {
    if (!sw.ports().hasRoomFor(status)) {
      events.refused(Refusal.PORTS_TOO_MANY);
      messageProblems.warn(sw.getId() + " has more than " + SwitchPorts.MAX + " ports");
      return;
    }
    PortChangeType change = sw.ports().update(status);
    events.portChanged(sw, status.getDesc(), change);
    events.received(sw, status);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof EncodingFailure failure) {
      OFMessage message = failure.message();
      String problem = message.getType() + " for " + sw.getId() + " cannot be encoded";
      sw.pending().fail(message.getXid(), new OpenFlowException(problem + ": " + failure.cause()));
      messageProblems.warn(problem, failure.cause());
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    long errors = errorCounts.values().stream().mapToLong(Long::longValue).sum();
    logger.info("switch_gone switch={} errors={}", sw.getId(), errors);
    roleWatch.close();
    sw.markDisconnected();
    sw.pending().failAll(new SwitchDisconnectedException(sw.getId()));
    events.disconnected(sw);
    if (cluster != null) {
      cluster.disconnected();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (!ctx.channel().isActive()) {
      return; // each message that waits when a connection is closed fails once more
    }
    if (cause instanceof CorruptedFrameException) {
      events.refused(Refusal.STREAM_CORRUPT);
    }
    if (cause instanceof IOException) {
      logger.info("connection_broken switch={} why=\"{}\"", sw.getId(), cause.getMessage());
    } else {
      logger.warn("connection_closed switch={} why=\"{}\"", sw.getId(), cause.getMessage());
    }
    ctx.close();
  }
}
