package io.malob.controller.channel;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.SwitchDescription;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFBarrierReply;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFDescStatsReply;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFeaturesReply;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFHelloFailedCode;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPortDescStatsReply;
import org.projectfloodlight.openflow.protocol.OFPortStatus;
import org.projectfloodlight.openflow.protocol.OFRoleReply;
import org.projectfloodlight.openflow.protocol.OFRoleRequest;
import org.projectfloodlight.openflow.protocol.OFRoleRequestFailedCode;
import org.projectfloodlight.openflow.protocol.OFRoleStatus;
import org.projectfloodlight.openflow.protocol.OFStatsReplyFlags;
import org.projectfloodlight.openflow.protocol.errormsg.OFRoleRequestFailedErrorMsg;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFAuxId;
import org.projectfloodlight.openflow.types.OFErrorCauseData;
import org.projectfloodlight.openflow.types.U64;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings one connection from HELLO to an active switch, state by state, and then replaces itself in
 * the pipeline by a {@link SwitchHandler}. An unsuitable peer is refused: one log line, and the
 * connection is closed. The rules in the switch's tables stay: connections continue without a
 * controller.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
final class HandshakeHandler extends ChannelInboundHandlerAdapter {
  private static final Logger logger = LoggerFactory.getLogger(HandshakeHandler.class);

  /** The time that the controller waits for a switch to speak first. */
  private static final int SILENCE_MILLIS = 500;

  /** In a cluster, how often a switch may get another master during its handshake. */
  private static final int MAX_STALE_ANSWERS = 5;

  /** The value of switches to which no controller has sent a generation id yet. */
  private static final U64 UNDEFINED = U64.of(-1);

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

  private final ChannelSettings settings;
  private final Admission admission;
  private final DatapathClaims claims;
  private final ProtocolVersion version;
  private final boolean isInCluster;
  private final Function<OpenFlowSwitch, SwitchHandler> whenActive;
  private final EchoKeepAlive echo;
  private final LongSupplier nanoTime;

  private State state = State.HELLO;

  /** The remote address: a closed channel no longer knows it. */
  private String peer = "";

  private final SwitchPorts ports = new SwitchPorts();
  private long roleRequestXid;

  // in a cluster: the transactions that make this controller a slave, and the refusals so far
  private long asyncRequestXid;
  private long slaveBarrierXid;
  private int staleAnswers;

  /**
   * The switch's current generation id, for the role request; null if it does not support roles.
   */
  private @Nullable U64 generationId;

  /**
   * The role from the switch; a switch without support for roles treats all controllers as equal.
   */
  private OFControllerRole role = OFControllerRole.ROLE_EQUAL;

  private long configXid;

  /** Tables by the transaction ids of their table-miss rules. */
  private final Map<Long, Short> tablesByXid = new HashMap<>();

  private @Nullable OFFeaturesReply features;
  private int tables;
  private @Nullable SwitchDescription description;
  private @Nullable StepTimer timer;

  HandshakeHandler(
      ChannelSettings settings,
      Admission admission,
      DatapathClaims claims,
      ProtocolVersion version,
      EchoKeepAlive echo,
      LongSupplier nanoTime,
      boolean isInCluster,
      Function<OpenFlowSwitch, SwitchHandler> whenActive) {
    this.settings = settings;
    this.admission = admission;
    this.claims = claims;
    this.version = version;
    this.echo = echo;
    this.nanoTime = nanoTime;
    this.isInCluster = isInCluster;
    this.whenActive = whenActive;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    peer = String.valueOf(ctx.channel().remoteAddress());
    ctx.executor().schedule(() -> speakFirst(ctx), SILENCE_MILLIS, TimeUnit.MILLISECONDS);
    timer =
        new StepTimer(
            ctx.channel().eventLoop(),
            settings.handshakeTimeoutMillis(),
            () -> refuse(ctx, "did not finish its handshake, waiting for " + state));
    enter(State.HELLO);
  }

  /** For a switch that waits for the controller's HELLO: OpenFlow does not forbid that. */
  private void speakFirst(ChannelHandlerContext ctx) {
    if (state == State.HELLO && !version.hasOffered()) {
      send(ctx, version.offerAll());
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (state == State.OVER) {
      return;
    }
    if (message instanceof HelloFrame hello) {
      onHello(ctx, hello);
    } else if (message instanceof OFErrorMsg error) {
      onError(ctx, error);
    } else if (message instanceof OFPortStatus status) {
      if (ports.hasRoomFor(status)) {
        ports.update(status);
      }
    } else if (message instanceof OFMessage answer) {
      onAnswer(ctx, answer);
    }
    // an unparseable message is no answer: if the handshake needs it, it times out
  }

  private void onHello(ChannelHandlerContext ctx, HelloFrame hello) {
    if (state != State.HELLO) {
      return;
    }
    boolean spoken = version.hasOffered();
    if (!version.agree(hello)) {
      if (!spoken) {
        send(ctx, version.offerAll());
      }
      send(ctx, helloFailed());
      refuse(
          ctx,
          "supports none of OpenFlow 1.3, 1.4 and 1.5 (its wire version: " + hello.version() + ")");
      return;
    }
    if (!spoken) {
      send(ctx, version.offerAgreed());
    }
    enter(State.FEATURES);
    send(ctx, version.factory().featuresRequest());
  }

  private OFMessage helloFailed() {
    OFFactory factory = version.factory();
    byte[] reason = "OpenFlow 1.3, 1.4 or 1.5 only".getBytes(StandardCharsets.US_ASCII);
    return factory
        .errorMsgs()
        .buildHelloFailedErrorMsg()
        .setCode(OFHelloFailedCode.INCOMPATIBLE)
        .setData(OFErrorCauseData.of(reason, factory.getVersion()))
        .build();
  }

  private void onAnswer(ChannelHandlerContext ctx, OFMessage answer) {
    switch (state) {
      case FEATURES -> {
        if (answer instanceof OFFeaturesReply reply) {
          onFeatures(ctx, reply);
        }
      }
      case PORTS -> {
        if (answer instanceof OFPortDescStatsReply reply) {
          if (!ports.addAll(reply.getEntries())) {
            refuse(ctx, "has more than " + SwitchPorts.MAX + " ports");
          } else if (!reply.getFlags().contains(OFStatsReplyFlags.REPLY_MORE)) {
            enter(State.DESCRIPTION);
            askForGeneration(ctx);
            send(ctx, version.factory().descStatsRequest(Set.of()));
          }
        }
      }
      case DESCRIPTION -> {
        if (answer instanceof OFDescStatsReply reply) {
          description = new SwitchDescription(reply);
          if (isInCluster) {
            enter(State.SLAVE_BARRIER);
            becomeSlave(ctx);
          } else {
            enter(State.TABLE_MISS_BARRIER);
            configure(ctx);
          }
        } else if (answer instanceof OFRoleReply reply && reply.getXid() == roleRequestXid) {
          generationId = generationOf(reply);
        }
      }
      case SLAVE_BARRIER -> {
        if (answer instanceof OFRoleReply reply && reply.getXid() == roleRequestXid) {
          role = reply.getRole();
          if (role != OFControllerRole.ROLE_SLAVE) {
            // the answer to the question after a stale request
            generationId = generationOf(reply);
            becomeSlave(ctx);
          }
        } else if (answer instanceof OFBarrierReply && answer.getXid() == slaveBarrierXid) {
          if (role == OFControllerRole.ROLE_SLAVE) {
            activate(ctx);
          } else if (staleAnswers == 0) {
            refuse(ctx, "does not answer about roles, which a cluster needs");
          }
        }
      }
      case TABLE_MISS_BARRIER -> {
        if (answer instanceof OFRoleReply reply) {
          role = reply.getRole();
        } else if (answer instanceof OFRoleStatus status) {
          role = status.getRole();
        } else if (answer instanceof OFBarrierReply) {
          activate(ctx);
        }
      }
      case HELLO, DATAPATH_ID, OVER -> {
        // messages in these states are ignored
      }
    }
  }

  private static U64 generationOf(OFRoleReply reply) {
    return reply.getGenerationId().equals(UNDEFINED) ? U64.ZERO : reply.getGenerationId();
  }

  private void onFeatures(ChannelHandlerContext ctx, OFFeaturesReply reply) {
    if (!admission.admits(reply.getDatapathId())) {
      finish();
      admission.unlisted(reply.getDatapathId(), peer);
      ctx.channel().close();
    } else if (reply.getNTables() < 1) {
      refuse(ctx, "(switch " + reply.getDatapathId() + ") has no tables");
    } else if (!reply.getAuxiliaryId().equals(OFAuxId.MAIN)) {
      refuse(
          ctx,
          "(switch "
              + reply.getDatapathId()
              + ") is an auxiliary connection, which is not supported");
    } else {
      features = reply;
      tables = reply.getNTables();
      enter(State.DATAPATH_ID);
      DatapathId id = reply.getDatapathId();
      Claimant claimant = new Claimant(ctx);
      claims.claim(id, claimant);
      ctx.channel().closeFuture().addListener(closed -> claims.release(id, claimant));
    }
  }

  /** This connection, to the one that decides which connection serves a datapath id. */
  private final class Claimant implements DatapathClaims.Claimant {
    private final ChannelHandlerContext ctx;

    Claimant(ChannelHandlerContext ctx) {
      this.ctx = ctx;
    }

    @Override
    public String peer() {
      return peer;
    }

    @Override
    public void ask(int millis, Consumer<Boolean> told) {
      echo.ask(millis, told);
    }

    @Override
    public void serve() {
      whenClaimed(() -> askForPorts(ctx));
    }

    @Override
    public void refuse() {
      whenClaimed(
          () -> {
            finish();
            ctx.channel().close();
          });
    }

    private void whenClaimed(Runnable next) {
      Runnable ifWaiting =
          () -> {
            if (state == State.DATAPATH_ID) {
              next.run();
            }
          };
      if (ctx.executor().inEventLoop()) {
        ifWaiting.run();
      } else {
        ctx.executor().execute(ifWaiting);
      }
    }

    @Override
    public void close() {
      ctx.channel().close();
    }
  }

  private void askForPorts(ChannelHandlerContext ctx) {
    enter(State.PORTS);
    send(ctx, version.factory().buildPortDescStatsRequest().setFlags(Set.of()).build());
  }

  /**
   * Requests the switch's generation id. The barrier ensures that the answer comes before the
   * answer to the next request, if the switch supports roles.
   */
  private void askForGeneration(ChannelHandlerContext ctx) {
    OFRoleRequest question = RoleWatch.question(version.factory());
    roleRequestXid = question.getXid();
    send(ctx, question);
    send(ctx, version.factory().barrierRequest());
  }

  /**
   * Requests the role of master and sends the first rules together: the barrier's answer comes
   * after the answer about the role. The generation id is the switch's own: a greater one would
   * lock out controllers that always send 0, as Floodlight does, until the switch forgets it.
   */
  private void configure(ChannelHandlerContext ctx) {
    OFFactory factory = version.factory();
    U64 current = generationId;
    if (current != null) {
      OFRoleRequest request =
          factory
              .buildRoleRequest()
              .setRole(OFControllerRole.ROLE_MASTER)
              .setGenerationId(current)
              .build();
      roleRequestXid = request.getXid();
      send(ctx, request);
    }
    for (OFMessage message : BaseRules.messages(factory, tables)) {
      if (message instanceof OFFlowAdd rule) {
        tablesByXid.put(rule.getXid(), rule.getTableId().getValue());
      } else {
        configXid = message.getXid();
      }
      send(ctx, message);
    }
    send(ctx, factory.barrierRequest());
  }

  /**
   * In a cluster: requests the role of slave, and the messages that a standby needs. The switch's
   * rules and its master stay as they are.
   */
  private void becomeSlave(ChannelHandlerContext ctx) {
    OFFactory factory = version.factory();
    U64 current = generationId;
    if (current == null) {
      refuse(ctx, "does not support roles, which a cluster needs");
      return;
    }
    OFRoleRequest request =
        factory
            .buildRoleRequest()
            .setRole(OFControllerRole.ROLE_SLAVE)
            .setGenerationId(current)
            .build();
    OFMessage messages = StandbyMessages.request(factory);
    OFMessage barrier = factory.barrierRequest();
    roleRequestXid = request.getXid();
    asyncRequestXid = messages.getXid();
    slaveBarrierXid = barrier.getXid();
    send(ctx, request);
    send(ctx, messages);
    send(ctx, barrier);
  }

  /** Errors about the role of slave. Between question and request, there was another master. */
  private void onSlaveError(ChannelHandlerContext ctx, OFErrorMsg error) {
    if (error.getXid() == asyncRequestXid) {
      logger.info(
          "standby_hears_nothing from={} why=\"{}\" - it learns links and hosts when it is master",
          peer,
          ErrorKind.of(error));
    } else if (error instanceof OFRoleRequestFailedErrorMsg failed
        && failed.getCode() == OFRoleRequestFailedCode.STALE
        && error.getXid() == roleRequestXid
        && ++staleAnswers <= MAX_STALE_ANSWERS) {
      askForGeneration(ctx);
    } else {
      refuse(ctx, "answered with " + ErrorKind.of(error) + " when asked for " + state);
    }
  }

  private void onError(ChannelHandlerContext ctx, OFErrorMsg error) {
    if (state == State.SLAVE_BARRIER) {
      onSlaveError(ctx, error);
      return;
    }
    boolean askedForRole = state == State.DESCRIPTION || state == State.TABLE_MISS_BARRIER;
    if (askedForRole && error.getXid() == roleRequestXid) {
      logger.info(
          "switch_role_refused from={} why=\"{}\" - this controller keeps the role EQUAL",
          peer,
          ErrorKind.of(error));
    } else if (state == State.TABLE_MISS_BARRIER && error.getXid() == configXid) {
      logger.info(
          "set_config_refused from={} why=\"{}\" - it may cut packets that no rule sends",
          peer,
          ErrorKind.of(error));
    } else if (tablesByXid.containsKey(error.getXid())) {
      onTableMissRefused(tablesByXid.get(error.getXid()), error);
    } else if (state != State.TABLE_MISS_BARRIER || role != OFControllerRole.ROLE_SLAVE) {
      refuse(ctx, "answered with " + ErrorKind.of(error) + " when asked for " + state);
    }
    // the switch rejects rules from a slave; they are sent when the role changes
  }

  /** What the switch can do without the rule is found out by probes, once it is active. */
  private void onTableMissRefused(short table, OFErrorMsg error) {
    if (role == OFControllerRole.ROLE_SLAVE) {
      return; // the rules are sent when the role changes
    }
    if (table == 0) {
      logger.warn(
          "table_miss_refused from={} table={} why=\"{}\" - it may drop packets of new connections",
          peer,
          table,
          ErrorKind.of(error));
    } else {
      logger.info(
          "table_miss_refused from={} table={} why=\"{}\" - it has fewer tables than it claims, or"
              + " a full one",
          peer,
          table,
          ErrorKind.of(error));
    }
  }

  private void activate(ChannelHandlerContext ctx) {
    if (features == null || description == null) {
      throw new IllegalStateException("active without features or description");
    }
    finish();
    SwitchConnection connection =
        new SwitchConnection(ctx.channel(), features.getDatapathId(), settings, nanoTime);
    OpenFlowSwitch sw =
        new OpenFlowSwitch(connection, version.factory(), features, description, ports, echo);
    sw.setRole(role);
    ctx.pipeline().replace(this, null, whenActive.apply(sw));
  }

  private void refuse(ChannelHandlerContext ctx, String reason) {
    finish();
    logger.warn("switch_refused from={} it=\"{}\"", peer, reason);
    ctx.channel().close();
  }

  private void enter(State next) {
    state = next;
    StepTimer steps = timer;
    if (steps != null) {
      steps.begin();
    }
  }

  private void finish() {
    state = State.OVER;
    StepTimer steps = timer;
    if (steps != null) {
      steps.end();
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
      refuse(ctx, "failed in its handshake: " + cause.getMessage());
    }
  }

  private static void send(ChannelHandlerContext ctx, OFMessage message) {
    ctx.channel().writeAndFlush(message, ctx.channel().voidPromise());
  }
}
