package io.malob.controller.channel;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import net.floodlightcontroller.core.SwitchDescription;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFBarrierReply;
import org.projectfloodlight.openflow.protocol.OFDescStatsReply;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFeaturesReply;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPortDescStatsReply;
import org.projectfloodlight.openflow.protocol.OFPortStatus;
import org.projectfloodlight.openflow.protocol.OFRoleReply;
import org.projectfloodlight.openflow.protocol.OFRoleStatus;
import org.projectfloodlight.openflow.protocol.OFStatsReplyFlags;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFAuxId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings one connection from HELLO to an active switch, state by state, and then replaces itself in
 * the pipeline by a {@link SwitchHandler}. An unsuitable peer is refused: one log line, and the
 * connection is closed. The rules in the switch's tables stay: connections continue without a
 * controller.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
final class HandshakeHandler extends ChannelInboundHandlerAdapter
    implements DatapathClaims.Claimant {
  private static final Logger logger = LoggerFactory.getLogger(HandshakeHandler.class);

  /** The time that the controller waits for a switch to speak first. */
  private static final int SILENCE_MILLIS = 500;

  /** The awaited step of the handshake. */
  private enum State {
    HELLO,
    FEATURES,
    /** Another connection of the same datapath id is asked whether it is alive. */
    DATAPATH_ID,
    PORTS,
    DESCRIPTION,
    TABLE_MISS_BARRIER,
    SLAVE_BARRIER,
    /** None: active, or refused. */
    OVER
  }

  private final ChannelContext context;
  private final ProtocolVersion version;
  private final Function<OpenFlowSwitch, SwitchHandler> whenActive;
  private final EchoKeepAlive echo;

  private State state = State.HELLO;

  /** The remote address: a closed channel no longer knows it. */
  private String peer = "";

  private final SwitchPorts ports = new SwitchPorts();
  private final RoleNegotiation roles = new RoleNegotiation();
  private final FirstRules firstRules = new FirstRules();
  private @Nullable OFFeaturesReply features;
  private @Nullable SwitchDescription description;

  /** Limits the step, not the whole: of a thousand handshakes at once, each makes progress. */
  private @Nullable ScheduledFuture<?> timer;

  @SuppressWarnings("NullAway.Init") // set when this handler is added
  private ChannelHandlerContext ctx;

  HandshakeHandler(
      ChannelContext context,
      ProtocolVersion version,
      EchoKeepAlive echo,
      Function<OpenFlowSwitch, SwitchHandler> whenActive) {
    this.context = context;
    this.version = version;
    this.echo = echo;
    this.whenActive = whenActive;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    ctx = added;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    peer = String.valueOf(ctx.channel().remoteAddress());
    ctx.executor().schedule(this::speakFirst, SILENCE_MILLIS, TimeUnit.MILLISECONDS);
    enter(State.HELLO);
  }

  /** For a switch that waits for the controller's HELLO: OpenFlow does not forbid that. */
  private void speakFirst() {
    if (state == State.HELLO && !version.hasOffered()) {
      send(version.offerAll());
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (state == State.OVER) {
      return;
    }
    if (message instanceof HelloFrame hello) {
      onHello(hello);
    } else if (message instanceof OFErrorMsg error) {
      onError(error);
    } else if (message instanceof OFPortStatus status) {
      if (ports.hasRoomFor(status)) {
        ports.update(status);
      }
    } else if (message instanceof OFMessage answer) {
      onAnswer(answer);
    }
    // an unparseable message is no answer: if the handshake needs it, it times out
  }

  private void onHello(HelloFrame hello) {
    if (state != State.HELLO) {
      return;
    }
    boolean spoken = version.hasOffered();
    if (!version.agree(hello)) {
      if (!spoken) {
        send(version.offerAll());
      }
      send(version.failure());
      refuse(
          "supports none of OpenFlow 1.3, 1.4 and 1.5 (its wire version: " + hello.version() + ")");
      return;
    }
    if (!spoken) {
      send(version.offerAgreed());
    }
    enter(State.FEATURES);
    send(version.factory().featuresRequest());
  }

  private void onAnswer(OFMessage answer) {
    switch (state) {
      case FEATURES -> {
        if (answer instanceof OFFeaturesReply reply) {
          onFeatures(reply);
        }
      }
      case PORTS -> {
        if (answer instanceof OFPortDescStatsReply reply) {
          if (!ports.addAll(reply.getEntries())) {
            refuse("has more than " + SwitchPorts.MAX + " ports");
          } else if (!reply.getFlags().contains(OFStatsReplyFlags.REPLY_MORE)) {
            enter(State.DESCRIPTION);
            sendAll(roles.question(version.factory()));
            send(version.factory().descStatsRequest(Set.of()));
          }
        }
      }
      case DESCRIPTION -> {
        if (answer instanceof OFDescStatsReply reply) {
          description = new SwitchDescription(reply);
          if (context.mastership().isPresent()) {
            enter(State.SLAVE_BARRIER);
            becomeSlave();
          } else {
            enter(State.TABLE_MISS_BARRIER);
            configure();
          }
        } else if (answer instanceof OFRoleReply reply && roles.isAnswer(reply)) {
          roles.takeGeneration(reply);
        }
      }
      case SLAVE_BARRIER -> {
        if (answer instanceof OFRoleReply reply && roles.isAnswer(reply)) {
          roles.setRole(reply.getRole());
          if (!roles.isSlave()) {
            // the answer to the question after a stale request
            roles.takeGeneration(reply);
            becomeSlave();
          }
        } else if (roles.isSlaveBarrier(answer)) {
          if (roles.isSlave()) {
            activate();
          } else if (!roles.isRepeated()) {
            refuse("does not answer about roles, which a cluster needs");
          }
        }
      }
      case TABLE_MISS_BARRIER -> {
        if (answer instanceof OFRoleReply reply) {
          roles.setRole(reply.getRole());
        } else if (answer instanceof OFRoleStatus status) {
          roles.setRole(status.getRole());
        } else if (answer instanceof OFBarrierReply) {
          activate();
        }
      }
      case HELLO, DATAPATH_ID, OVER -> {
        // messages in these states are ignored
      }
    }
  }

  private void onFeatures(OFFeaturesReply reply) {
    if (!context.admission().admits(reply.getDatapathId())) {
      context.admission().unlisted(reply.getDatapathId(), peer);
      end();
    } else if (reply.getNTables() < 1) {
      refuse("(switch " + reply.getDatapathId() + ") has no tables");
    } else if (!reply.getAuxiliaryId().equals(OFAuxId.MAIN)) {
      refuse(
          "(switch "
              + reply.getDatapathId()
              + ") is an auxiliary connection, which is not supported");
    } else {
      features = reply;
      enter(State.DATAPATH_ID);
      DatapathId id = reply.getDatapathId();
      context.claims().claim(id, this);
      ctx.channel().closeFuture().addListener(closed -> context.claims().release(id, this));
    }
  }

  // ---- for the decision which connection serves a datapath id

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public void ask(int millis, Consumer<Boolean> answered) {
    echo.ask(millis, answered);
  }

  @Override
  public void serve() {
    whenClaimed(() -> askForPorts());
  }

  @Override
  public void refuse() {
    whenClaimed(() -> end());
  }

  private void whenClaimed(Runnable next) {
    if (!ctx.executor().inEventLoop()) {
      ctx.executor().execute(() -> whenClaimed(next));
    } else if (state == State.DATAPATH_ID) {
      next.run();
    }
  }

  @Override
  public void close() {
    ctx.channel().close();
  }

  private void askForPorts() {
    enter(State.PORTS);
    send(version.factory().buildPortDescStatsRequest().setFlags(Set.of()).build());
  }

  /**
   * Requests the role of master and sends the first rules together: the barrier's answer comes
   * after the answer about the role.
   */
  private void configure() {
    OFFactory factory = version.factory();
    sendAll(roles.requestMaster(factory));
    int tables = features == null ? 0 : features.getNTables();
    sendAll(firstRules.messages(factory, tables));
    send(factory.barrierRequest());
  }

  private void becomeSlave() {
    if (roles.isSupported()) {
      sendAll(roles.requestSlave(version.factory()));
    } else {
      refuse("does not support roles, which a cluster needs");
    }
  }

  /** Errors about the role of slave. */
  private void onSlaveError(OFErrorMsg error) {
    if (roles.isStandbyRefusal(error)) {
      logger.info(
          "standby_hears_nothing from={} why=\"{}\" - it learns links and hosts when it is master",
          peer,
          ErrorKind.of(error));
    } else if (roles.isStale(error)) {
      sendAll(roles.question(version.factory()));
    } else {
      refuse("answered with " + ErrorKind.of(error) + " when asked for " + state);
    }
  }

  private void onError(OFErrorMsg error) {
    if (state == State.SLAVE_BARRIER) {
      onSlaveError(error);
      return;
    }
    boolean askedForRole = state == State.DESCRIPTION || state == State.TABLE_MISS_BARRIER;
    if (askedForRole && roles.isAnswer(error)) {
      logger.info(
          "switch_role_refused from={} why=\"{}\" - this controller keeps the role EQUAL",
          peer,
          ErrorKind.of(error));
    } else if (!firstRules.logRefusal(error, peer, roles.isSlave())
        && (state != State.TABLE_MISS_BARRIER || !roles.isSlave())) {
      refuse("answered with " + ErrorKind.of(error) + " when asked for " + state);
    }
    // the switch rejects rules from a slave; they are sent when the role changes
  }

  private void activate() {
    if (features == null || description == null) {
      throw new IllegalStateException("active without features or description");
    }
    finish();
    OpenFlowSwitch sw =
        new OpenFlowSwitch(
            ctx.channel(), context, version.factory(), features, description, ports, echo);
    sw.setRole(roles.role());
    ctx.pipeline().replace(this, null, whenActive.apply(sw));
  }

  private void refuse(String reason) {
    logger.warn("switch_refused from={} it=\"{}\"", peer, reason);
    end();
  }

  private void end() {
    finish();
    ctx.channel().close();
  }

  private void enter(State next) {
    finish(); // the step before
    state = next;
    timer =
        ctx.executor()
            .schedule(
                () -> refuse("did not finish its handshake, waiting for " + state),
                context.settings().handshakeTimeoutMillis(),
                TimeUnit.MILLISECONDS);
  }

  private void finish() {
    state = State.OVER;
    if (timer != null) {
      timer.cancel(false);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (state != State.OVER) {
      logger.info("handshake_given_up from={} asked_for=\"{}\"", peer, state);
      finish();
    }
    ctx.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (state != State.OVER) {
      refuse("failed in its handshake: " + cause.getMessage());
    }
  }

  private void sendAll(List<? extends OFMessage> messages) {
    messages.forEach(message -> send(message));
  }

  private void send(OFMessage message) {
    ctx.channel().writeAndFlush(message, ctx.channel().voidPromise());
  }
}
