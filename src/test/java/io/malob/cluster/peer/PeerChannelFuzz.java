package io.malob.cluster.peer;

import io.malob.module.PeerTopic;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Gives bytes to one side of a connection between controllers. The first byte says which side, and
 * how far the handshake has come. Nothing is delivered without the other side's seal, a message is
 * part of the bytes that came, and the connection ends like any other. In the form that Jazzer
 * calls.
 */
public final class PeerChannelFuzz {
  private static final int TO_CLIENT = 1;
  private static final int AFTER_HELLO = 2;
  private static final int AFTER_HANDSHAKE = 4;

  /** The bytes are the body of a frame, which the target seals. */
  private static final int SEALED = 8;

  private static final byte[] KEY = {1, 2, 3};

  private PeerChannelFuzz() {}

  /** Gives the bytes after the first one to a side. */
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length > 0) {
      take(input[0], Arrays.copyOfRange(input, 1, input.length));
    }
  }

  /** Returns the number of messages that were delivered. */
  static int take(int how, byte[] bytes) {
    boolean isToClient = (how & TO_CLIENT) != 0;
    Side client = new Side("a", true);
    Side server = new Side("b", false);
    Side attacked = isToClient ? client : server;
    boolean isOpen = (how & AFTER_HANDSHAKE) != 0;
    if (isOpen) {
      server.take(client.sent());
      client.take(server.sent());
      server.take(client.sent());
    } else if ((how & AFTER_HELLO) != 0) {
      byte[] hello = (isToClient ? server : client).handshake.hello();
      attacked.take(Unpooled.buffer().writeInt(hello.length).writeBytes(hello));
    }
    boolean isSealed = isOpen && (how & SEALED) != 0;
    attacked.take(isSealed ? sealed(bytes, isToClient ? server : client) : copy(bytes));
    check(isOpen || !attacked.isOpen, "no stream without a proof");
    check(isSealed || attacked.messages == 0, "no message without a seal");
    check(attacked.messageBytes <= bytes.length, "messages within what came");
    client.end();
    server.end();
    return attacked.messages;
  }

  private static ByteBuf sealed(byte[] body, Side from) {
    byte[] seal = from.handshake.ownSeal().next(copy(body));
    return Unpooled.buffer().writeInt(body.length).writeBytes(body).writeBytes(seal);
  }

  private static ByteBuf copy(byte[] bytes) {
    return Unpooled.wrappedBuffer(bytes);
  }

  /** One side of the connection. */
  private static final class Side implements PeerChannel.Events {
    final Handshake handshake;
    final EmbeddedChannel channel = new EmbeddedChannel();
    boolean isOpen;
    boolean isClosed;
    int messages;
    int messageBytes;

    Side(String name, boolean isClient) {
      handshake =
          new Handshake(
              Handshake.Self.of(name, "token", KEY), isClient, new byte[Handshake.NONCE_BYTES]);
      channel.freezeTime();
      channel
          .pipeline()
          .addLast(new PeerChannel(handshake, isClient, this, new PeerCounters()))
          .fireChannelActive();
    }

    ByteBuf sent() {
      channel.runPendingTasks();
      ByteBuf all = Unpooled.buffer();
      for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
        all.writeBytes(part);
        part.release();
      }
      return all;
    }

    void take(ByteBuf bytes) {
      channel.writeInbound(bytes);
      channel.checkException();
    }

    void end() {
      channel.finishAndReleaseAll();
      channel.checkException();
      check(isClosed, "an end");
    }

    @Override
    public void opened(PeerChannel connection) {
      isOpen = true;
    }

    @Override
    public void received(PeerChannel connection, PeerTopic topic, ByteBuffer message) {
      messages++;
      messageBytes += message.remaining();
    }

    @Override
    public void closed(PeerChannel connection) {
      isClosed = true;
      isOpen = false;
    }
  }

  private static void check(boolean holds, String expected) {
    if (!holds) {
      throw new AssertionError("expected " + expected);
    }
  }
}
