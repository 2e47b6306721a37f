package io.malob.cluster.peer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.module.PeerTopic;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The protocol, between two channels whose bytes the test carries. */
class PeerChannelTest {
  private static final byte[] KEY = {1, 2, 3};

  private final List<EmbeddedChannel> channels = new ArrayList<>();
  private final Side client = new Side("a", true, KEY);
  private final Side server = new Side("b", false, KEY);

  @AfterEach
  void release() {
    channels.forEach(EmbeddedChannel::finishAndReleaseAll);
  }

  /** One side of a connection, with a frozen clock. */
  private final class Side implements PeerChannel.Events {
    final PeerChannel connection;
    final EmbeddedChannel channel;
    final List<byte[]> received = new ArrayList<>();
    boolean isOpen;
    boolean isClosed;
    int silences;

    Side(String name, boolean isClient, byte[] key) {
      this(name, isClient, key, (byte) 0);
    }

    Side(String name, boolean isClient, byte[] key, byte firstOfNonce) {
      byte[] nonce = new byte[Handshake.NONCE_BYTES];
      nonce[0] = firstOfNonce;
      connection =
          new PeerChannel(
              new Handshake(Handshake.Self.of(name, "token", key), isClient, nonce),
              isClient,
              this,
              new PeerCounters());
      channel = new EmbeddedChannel();
      channels.add(channel);
      channel.freezeTime();
      channel.pipeline().addLast(connection);
      channel.pipeline().fireChannelActive();
    }

    /** What it has sent since the last call. */
    byte[] sent() {
      channel.runPendingTasks();
      ByteBuf all = Unpooled.buffer();
      for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
        all.writeBytes(part);
        part.release();
      }
      byte[] bytes = new byte[all.readableBytes()];
      all.readBytes(bytes);
      return bytes;
    }

    void take(byte[] bytes) {
      channel.writeInbound(Unpooled.wrappedBuffer(bytes));
    }

    void pass(long millis) {
      channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
      channel.runPendingTasks();
    }

    @Override
    public void opened(PeerChannel other) {
      isOpen = true;
    }

    @Override
    public void received(PeerChannel other, PeerTopic topic, ByteBuffer message) {
      byte[] content = new byte[message.remaining()];
      message.get(content);
      received.add(content);
    }

    @Override
    public void silent(PeerChannel other) {
      silences++;
    }

    @Override
    public void closed(PeerChannel other) {
      isClosed = true;
      isOpen = false;
    }
  }

  private void shakeHands() {
    server.take(client.sent());
    client.take(server.sent());
    server.take(client.sent());
  }

  private byte[] frame(int content) {
    assertTrue(server.connection.send(PeerTopic.HOSTS, new byte[] {(byte) content}));
    return server.sent();
  }

  @Test
  void handshake_opensBothSides_andTellsTheirNames() {
    shakeHands();

    assertTrue(client.isOpen);
    assertTrue(server.isOpen);
    assertEquals("b", client.connection.peer());
    assertEquals("a", server.connection.peer());
  }

  @Test
  void handshake_inSingleBytes_opensBothSides() {
    for (int round = 0; round < 3; round++) {
      Side from = round == 1 ? server : client;
      Side to = round == 1 ? client : server;
      for (byte each : from.sent()) {
        to.take(new byte[] {each});
      }
    }
    assertTrue(client.isOpen && server.isOpen);
    for (byte each : frame(1)) {
      client.take(new byte[] {each});
    }
    assertEquals(1, client.received.size());
  }

  @Test
  void waitingMessages_shareAFrame() {
    shakeHands();
    for (int i = 0; i < 100; i++) {
      server.connection.send(PeerTopic.HOSTS, new byte[] {(byte) i});
    }
    byte[] sent = server.sent();

    assertEquals(4 + 100 * 5 + FrameSeal.BYTES, sent.length);
    client.take(sent);
    assertEquals(100, client.received.size());
    assertEquals(0, server.connection.waiting());
  }

  @Test
  void wrongKey_isRefusedByTheClient_beforeItProvesAnything() {
    Side other = new Side("b", false, new byte[] {3, 2, 1});
    other.take(client.sent());
    client.take(other.sent());

    assertTrue(client.isClosed);
    assertTrue(client.connection.why().startsWith("it has another key"));
    assertEquals(0, client.sent().length);
  }

  @Test
  void wrongProofOfTheClient_isRefusedByTheServer() {
    server.take(client.sent());
    server.take(new byte[Handshake.PROOF_BYTES]);

    assertTrue(server.isClosed);
    assertTrue(server.connection.why().startsWith("it has another key"));
  }

  /** A server's own proof must not pass as a client's. */
  @Test
  void reflectedProof_isRefused() {
    server.take(client.sent());
    byte[] answer = server.sent();
    byte[] proof = new byte[Handshake.PROOF_BYTES];
    System.arraycopy(answer, answer.length - proof.length, proof, 0, proof.length);
    server.take(proof);

    assertTrue(server.isClosed);
  }

  @Test
  void otherVersion_isRefusedByBothSides_withBothNumbers() {
    byte[] hello = client.sent();
    hello[9]++; // after the length and the magic number
    server.take(hello);
    byte[] answer = server.sent();
    answer[9]++;
    client.take(answer);

    assertTrue(server.isClosed && client.isClosed);
    assertTrue(server.connection.why().contains("version 2"), server.connection.why());
    assertTrue(client.connection.why().contains("version 1"), client.connection.why());
  }

  @Test
  void otherProtocol_isRefused() {
    server.take("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

    assertTrue(server.isClosed);
    assertEquals("it is no controller, or what it sends is too large", server.connection.why());
  }

  @Test
  void changedFrame_closesTheConnection_andIsNotDelivered() {
    shakeHands();
    byte[] frame = frame(1);
    for (int place = 4; place < frame.length; place++) {
      Side[] pair = {new Side("a", true, KEY), new Side("b", false, KEY)};
      pair[1].take(pair[0].sent());
      pair[0].take(pair[1].sent());
      pair[1].take(pair[0].sent());
      pair[1].connection.send(PeerTopic.HOSTS, new byte[] {1});
      byte[] changed = pair[1].sent();
      changed[place] ^= 1;
      pair[0].take(changed);

      assertTrue(pair[0].isClosed, "byte " + place);
      assertEquals(0, pair[0].received.size());
    }
  }

  @Test
  void repeatedFrame_closesTheConnection() {
    shakeHands();
    byte[] frame = frame(1);
    client.take(frame);
    client.take(frame);

    assertTrue(client.isClosed);
    assertEquals(1, client.received.size());
  }

  @Test
  void framesInAnotherOrder_closeTheConnection() {
    shakeHands();
    byte[] first = frame(1);
    byte[] second = frame(2);
    byte[] both = new byte[first.length + second.length];
    System.arraycopy(second, 0, both, 0, second.length);
    System.arraycopy(first, 0, both, second.length, first.length);
    client.take(both);

    assertTrue(client.isClosed);
    assertEquals(0, client.received.size());
  }

  @Test
  void tooLongFrame_closesTheConnection_beforeItIsRead() {
    shakeHands();
    client.take(new byte[] {1, 0, 0, 0});

    assertTrue(client.isClosed);
  }

  /** The names are equal, and so is the client's nonce; only the server's differs. */
  @Test
  void frameOfAnotherConnection_closesTheConnection() {
    shakeHands();
    byte[] frame = frame(1);
    Side later = new Side("a", true, KEY, (byte) 0);
    Side again = new Side("b", false, KEY, (byte) 1);
    again.take(later.sent());
    later.take(again.sent());
    assertTrue(later.isOpen);

    later.take(frame);

    assertTrue(later.isClosed);
    assertEquals(0, later.received.size());
  }

  @Test
  void idleConnection_hasSignsOfLife_andSilenceEndsIt() {
    shakeHands();
    client.sent();
    for (int i = 0; i < 10; i++) {
      server.pass(500);
      byte[] life = server.sent();
      assertEquals(4 + FrameSeal.BYTES, life.length, "sign of life " + i);
      client.take(life);
      client.pass(500);
      server.take(client.sent());
      assertTrue(client.isOpen && server.isOpen);
    }
    assertEquals(0, client.silences);
    for (int beats = 2; beats <= 5; beats++) {
      client.pass(500);
      assertTrue(client.isOpen);
      assertEquals(beats - 1, client.silences);
    }
    client.pass(500);
    assertTrue(client.isClosed);
    assertEquals(4, client.silences);
    assertEquals("nothing has come for some seconds", client.connection.why());
  }

  /** Its own suspension says nothing about the other side. */
  @Test
  void longTimeWithoutRunning_isNoSilence() {
    shakeHands();
    client.pass(60_000);
    assertTrue(client.isOpen);
  }

  @Test
  void incompleteHandshake_endsInTime() {
    server.take(client.sent());
    server.pass(PeerChannel.HANDSHAKE_MILLIS);

    assertTrue(server.isClosed);
    assertFalse(server.connection.wasOpened());
  }

  @Test
  void snapshotOfConnections_delaysNoOtherTopic_andLeavesItsRoom() {
    shakeHands();
    byte[] large = new byte[1 << 20];
    int sent = 0;
    while (server.connection.send(PeerTopic.CONNECTIONS, large)) {
      sent++;
    }
    byte[] packet = {1};
    byte[] rule = {2};
    assertTrue(server.connection.send(PeerTopic.PACKETS, packet));
    assertTrue(server.connection.send(PeerTopic.RULES, rule));

    client.take(server.sent());
    assertEquals(sent + 2, client.received.size());
    assertArrayEquals(packet, client.received.get(0));
    assertArrayEquals(rule, client.received.get(1));
    assertTrue(server.connection.send(PeerTopic.CONNECTIONS, large));
  }

  @Test
  void queue_isBounded() {
    shakeHands();
    byte[] large = new byte[1 << 20];
    int sent = 0;
    while (server.connection.send(PeerTopic.HOSTS, large)) {
      sent++;
    }
    assertEquals(63, sent); // 64 MB with what each message takes besides its bytes

    client.take(server.sent());
    assertEquals(63, client.received.size());
    assertArrayEquals(large, client.received.get(0));
    assertTrue(server.connection.send(PeerTopic.HOSTS, large));
  }
}
