package io.malob.controller.channel;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFPacketIn;

/**
 * Queues a switch's packet-ins in a {@link FairQueue} and passes on some at a time, so that
 * packet-ins are read, and dropped, faster than they can be handled. All other messages overtake
 * them: answers, echoes and the ends of rules do not wait. On the channel's thread only.
 *
 * <p>No packet-in waits if all input of one read is handled at once. If this controller is a slave
 * of the switch, only packet-ins that tell of links and hosts pass.
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

  private final PacketInQueues queues;
  private final FairQueue waiting;
  private final LongSupplier nanoTime;
  private @Nullable OpenFlowSwitch sw;
  private long sampledSecond;
  private int sampled;
  private boolean goesOn;

  PacketInGate(PacketInQueues queues, LongSupplier nanoTime) {
    this.queues = queues;
    this.nanoTime = nanoTime;
    waiting = new FairQueue(MAX_BYTES, this);
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
  public void tell(int classNumber, OFPacketIn one, int count) {
    @Nullable OpenFlowSwitch active = sw;
    if (active != null) {
      queues.tellDropped(active.getId(), classNumber, one, count);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (!(message instanceof OFPacketIn packetIn)) {
      ctx.fireChannelRead(message);
    } else if (!standsBy() || StandbyMessages.isOfUse(packetIn) || isSample()) {
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
      @Nullable OFPacketIn next = waiting.poll();
      if (next == null) {
        break;
      }
      ctx.fireChannelRead(next);
    }
    ctx.fireChannelReadComplete();
    if (!waiting.isEmpty() && !goesOn) {
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
}
