package io.malob.bench.load;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connection of one emulated switch to one controller: cuts the byte stream into messages and
 * hands them out.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the result of a close is not needed
final class SyntheticSwitch extends ChannelInboundHandlerAdapter {
  private final int number;
  private final Outbox outbox;

  /** For this controller only; the outbox, if the switch has no other controller. */
  private final Outbox answers;

  private final SlowPath slowPath;
  private final Site site;
  private final Storm storm;
  private final Checks checks;
  private final Cables cables;
  private final Runnable afterRead;

  /** Its rules, if the controller may read them. */
  private final @Nullable RuleStore rules;

  private final int etherType;
  private final MessageScanner scanner;
  private byte[] bytes = new byte[256 * 1024];
  private int size;
  private Executor nextTurn = Runnable::run;

  /** Receives frames that a switch sends to a neighbour or a host. */
  interface Cables {
    /** A frame leaves a switch. */
    void carry(int sw, int port, int etherType, byte[] bytes, int frame, int frameBytes);

    /** A switch has disconnected unexpectedly. */
    void broken(int sw, String reason);
  }

  SyntheticSwitch(
      int number,
      Outbox outbox,
      Outbox answers,
      SlowPath slowPath,
      Site site,
      Storm storm,
      Checks checks,
      AddressFamily family,
      Cables cables,
      Runnable afterRead,
      @Nullable RuleStore rules) {
    this.number = number;
    this.outbox = outbox;
    this.answers = answers;
    this.slowPath = slowPath;
    this.site = site;
    this.storm = storm;
    this.checks = checks;
    this.scanner = new MessageScanner(family);
    this.etherType = family.etherType;
    this.cables = cables;
    this.afterRead = afterRead;
    this.rules = rules;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    EventLoop loop = ctx.channel().eventLoop();
    // what is executed at once runs before anything is read; what is scheduled, after it
    nextTurn = task -> loop.schedule(task, 0, TimeUnit.NANOSECONDS);
    answers.connected(ctx.channel());
    if (answers != outbox) {
      outbox.connected(ctx.channel());
    }
    slowPath.hello(answers);
    answers.flush();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      int length = in.readableBytes();
      if (size + length > bytes.length) {
        bytes = Arrays.copyOf(bytes, 2 * (size + length));
      }
      in.readBytes(bytes, size, length);
      size += length;
    } finally {
      in.release();
    }
    long now = System.nanoTime();
    int at = 0;
    while (size - at >= OpenFlow.HEADER_BYTES) {
      int length = Bytes.uint16(bytes, at + 2);
      if (length < OpenFlow.HEADER_BYTES) {
        throw new IllegalStateException("a message of " + length + " bytes");
      }
      if (size - at < length) {
        break;
      }
      handle(at, length, now);
      at += length;
    }
    System.arraycopy(bytes, at, bytes, 0, size - at);
    size -= at;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    answers.flush();
    afterRead.run();
  }

  private void handle(int at, int length, long now) {
    int type = Bytes.uint8(bytes, at + 1);
    boolean writes = type == OpenFlow.FLOW_MOD || type == OpenFlow.PACKET_OUT;
    if (writes && !slowPath.mayWrite()) {
      slowPath.reject(Bytes.int32(bytes, at + 4) & 0xffff_ffffL, answers);
      return;
    }
    switch (type) {
      case OpenFlow.FLOW_MOD -> {
        scanner.readFlowMod(bytes, at, length);
        site.flowMod(number, scanner, now);
        storm.flowMod(scanner, now);
        if (rules != null) {
          rules.flowMod(bytes, at, length);
        }
      }
      case OpenFlow.MULTIPART_REQUEST -> {
        if (rules == null || !rules.answer(bytes, at, answers, nextTurn)) {
          slowPath.handle(bytes, at, length, answers);
        }
      }
      case OpenFlow.PACKET_OUT -> packetOut(at, length, now);
      case OpenFlow.BARRIER_REQUEST -> echo(at, length, OpenFlow.BARRIER_REPLY);
      case OpenFlow.ECHO_REQUEST -> echo(at, length, OpenFlow.ECHO_REPLY);
      default -> slowPath.handle(bytes, at, length, answers);
    }
  }

  private void packetOut(int at, int length, long now) {
    scanner.readPacketOut(bytes, at, length);
    int type = scanner.etherType(bytes);
    if (type == etherType
        && (checks.answer(number, outbox, bytes, scanner.frame, scanner.frameBytes, now)
            || site.packetOut(number, scanner, bytes, now))) {
      return;
    }
    cables.carry(number, scanner.outPort, type, bytes, scanner.frame, scanner.frameBytes);
  }

  /** Sends a message back under another type. */
  private void echo(int at, int length, int type) {
    bytes[at + 1] = (byte) type;
    answers.append(bytes, at, length);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    outbox.disconnected(ctx.channel());
    answers.disconnected(ctx.channel());
    cables.broken(number, "the controller closed the connection");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    cables.broken(number, cause.toString());
    ctx.close();
  }
}
