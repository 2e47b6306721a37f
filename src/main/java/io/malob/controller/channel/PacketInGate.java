package io.malob.controller.channel;

import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.PacketOuts;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.match.MatchField;

/**
 * Queues a switch's packet-ins in a {@link FairQueue} and passes on some at a time, so that
 * packet-ins are read, and dropped, faster than they can be handled. All other messages overtake
 * them: answers, echoes and the ends of rules do not wait. On the channel's thread only.
 *
 * <p>No packet-in waits if all input of one read is handled at once. If this controller is a slave
 * of the switch, only packet-ins that tell of links and hosts pass.
 *
 * <p>During a hand-over, the former master hands the packet-ins of hosts on to the next one, whose
 * gate keeps them until that one is the master. The former one cannot hand on all if it ends, loses
 * the switch, or has packet-ins in its queue when it becomes a slave. So the next master also
 * returns to the switch what that has sent it lately, as {@link RecentPackets} says.
 */
final class PacketInGate extends ChannelInboundHandlerAdapter implements FairQueue.Drops {
  /**
   * The max size of the queue of one switch: some 6,000 first packets, a few tenths of a second of
   * work.
   */
  static final int MAX_BYTES = 2 * 1024 * 1024;

  /**
   * The number of packet-ins that are handled before the thread reads again, from this switch and
   * others.
   */
  static final int AT_A_TIME = 64;

  /**
   * The packets, other than probes and ARP, that a controller reads from a switch that it stands by
   * for.
   */
  static final int STANDBY_SAMPLES_PER_SECOND = 20;

  /** The time for which packet-ins of a former master are kept: their hosts repeat them then. */
  static final int EARLY_MILLIS = 2_000;

  private final PacketInQueues queues;
  private final FairQueue waiting;

  /** Packet-ins that the present master has handed on. */
  private final FairQueue early;

  /** What a standby has got from the switch itself. */
  private final RecentPackets recent = new RecentPackets();

  private final LongSupplier nanoTime;
  private @Nullable OpenFlowSwitch sw;
  private long sampledSecond;
  private int sampled;
  private boolean goesOn;

  /** Takes packet-ins in a hand-over; null if there is none. */
  private @Nullable Predicate<byte[]> next;

  @SuppressWarnings("NullAway.Init") // set when this handler is added
  private ChannelHandlerContext context;

  PacketInGate(PacketInQueues queues, LongSupplier nanoTime) {
    this.queues = queues;
    this.nanoTime = nanoTime;
    waiting = new FairQueue(MAX_BYTES, this);
    early = new FairQueue(MAX_BYTES, this);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  /** Sets the switch; to be called when it is known. */
  void belongsTo(OpenFlowSwitch active) {
    sw = active;
  }

  @Override
  public LongAdder countOf(int classNumber) {
    return queues.droppedOf(classNumber);
  }

  @Override
  public void dropped(int classNumber, OFPacketIn one, int count) {
    @Nullable OpenFlowSwitch active = sw;
    if (active != null) {
      queues.logDropped(active.getId(), classNumber, one, count);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (!(message instanceof OFPacketIn packetIn)) {
      ctx.fireChannelRead(message);
      return;
    }
    boolean standsBy = standsBy();
    boolean isForMaster = standsBy && !StandbyMessages.isOfUse(packetIn);
    if (standsBy && !StandbyMessages.isProbe(packetIn)) {
      recent.add(packetIn, nanoTime.getAsLong());
    }
    if (!isForMaster || isSample()) {
      waiting.add(queues.classOf(packetIn), packetIn);
    }
  }

  private boolean standsBy() {
    @Nullable OpenFlowSwitch active = sw;
    return active != null && active.getControllerRole() == OFControllerRole.ROLE_SLAVE;
  }

  private boolean isSample() {
    long second = TimeUnit.NANOSECONDS.toSeconds(nanoTime.getAsLong());
    if (second != sampledSecond) {
      sampledSecond = second;
      sampled = 0;
    }
    return ++sampled <= STANDBY_SAMPLES_PER_SECOND;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    handOn(ctx);
  }

  private void handOn(ChannelHandlerContext ctx) {
    for (int i = 0; i < AT_A_TIME; i++) {
      @Nullable OFPacketIn first = waiting.poll();
      if (first == null) {
        break;
      }
      if (!isHandedOn(first)) {
        ctx.fireChannelRead(first);
      }
    }
    ctx.fireChannelReadComplete();
    if (!waiting.isEmpty()) {
      goOnSoon(ctx);
    }
  }

  private void goOnSoon(ChannelHandlerContext ctx) {
    if (!goesOn) {
      goesOn = true;
      // a timer runs after the next poll of the sockets, a plain task before it
      var unused = ctx.executor().schedule(() -> goOn(ctx), 0, TimeUnit.NANOSECONDS);
    }
  }

  private void goOn(ChannelHandlerContext ctx) {
    goesOn = false;
    if (ctx.channel().isActive()) {
      handOn(ctx);
    }
  }

  // ---- hand-over ----

  /** Gives packet-ins of hosts to the next master, as long as this controller is the master. */
  void handOn(Predicate<byte[]> to) {
    if (!standsBy()) {
      next = to;
    }
  }

  void stopHandingOn() {
    next = null;
  }

  /** A standby gets probes, ARP and neighbour discovery itself. */
  private boolean isHandedOn(OFPacketIn packetIn) {
    @Nullable Predicate<byte[]> to = next;
    return to != null && !StandbyMessages.isOfUse(packetIn) && to.test(bytesOf(packetIn));
  }

  private static byte[] bytesOf(OFPacketIn packetIn) {
    ByteBuf buffer = Unpooled.buffer();
    packetIn.writeTo(buffer);
    return ByteBufUtil.getBytes(buffer);
  }

  /** Takes a packet-in that the former master has handed on. */
  void takeHandedOn(OFPacketIn packetIn) {
    recent.beginHandOver();
    keep(packetIn);
    handleEarly();
  }

  /** The switch's master has ended or is silent: packet-ins are kept longer from now on. */
  void masterSilent() {
    if (standsBy()) {
      recent.beginSilence(nanoTime.getAsLong());
    }
  }

  private void keep(OFPacketIn packetIn) {
    if (early.isEmpty()) {
      var unused =
          context.executor().schedule(this::forgetEarly, EARLY_MILLIS, TimeUnit.MILLISECONDS);
    }
    early.add(queues.classOf(packetIn), packetIn);
  }

  /** The switch has another master, or this one. */
  void roleChanged() {
    next = null;
    @Nullable OpenFlowSwitch active = sw;
    if (active != null && !standsBy()) {
      List<OFMessage> questions = new ArrayList<>();
      recent.drainTo(packetIn -> ask(active, packetIn, questions), nanoTime.getAsLong());
      active.write(questions);
    }
    recent.settle();
    handleEarly();
  }

  /**
   * Has the switch decide about a recent packet: the former master may have set up its connection
   * without a chance to tell. If the switch has no rule for it, it comes back.
   */
  private void ask(OpenFlowSwitch active, OFPacketIn packetIn, List<OFMessage> questions) {
    if (Cookie.is(packetIn.getCookie(), CookieKind.END)) {
      waiting.add(queues.classOf(packetIn), packetIn); // a copy: the switch has forwarded it
      goOnSoon(context);
    } else {
      questions.add(
          PacketOuts.throughTables(
              active.getOFFactory(),
              packetIn.getMatch().get(MatchField.IN_PORT),
              packetIn.getData()));
    }
  }

  private void handleEarly() {
    if (standsBy() || early.isEmpty()) {
      return;
    }
    for (OFPacketIn each = early.poll(); each != null; each = early.poll()) {
      waiting.add(queues.classOf(each), each);
    }
    goOnSoon(context);
  }

  private void forgetEarly() {
    while (!early.isEmpty()) {
      early.poll();
    }
  }
}
