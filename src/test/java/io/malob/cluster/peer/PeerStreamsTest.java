package io.malob.cluster.peer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.module.IPeerService;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Streams over real connections on loopback. */
class PeerStreamsTest {
  private static final String LOOPBACK = "127.0.0.1";
  private static final long SOON_SECONDS = 10;

  /** Several attempts to connect. */
  private static final long ATTEMPTS_MILLIS = 1_300;

  /** On loopback, the handshake and the end of a connection take milliseconds. */
  private static final long QUIET_MILLIS = 400;

  private static final byte[] KEY = {1, 2, 3};

  private final List<Controller> controllers = new ArrayList<>();

  /** The streams of one controller, and what its listener was told. */
  private final class Controller implements PeerListener, PeerFate {
    final String name;
    final PeerStreams streams;
    final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    final BlockingQueue<byte[]> messages = new LinkedBlockingQueue<>();
    final BlockingQueue<PeerAddress> ended = new LinkedBlockingQueue<>();

    Controller(String name, byte[] key) throws Exception {
      this.name = name;
      PeerListeners listeners = new PeerListeners();
      listeners.add(PeerTopic.HOSTS, this);
      streams = new PeerStreams(name, LOOPBACK, listeners);
      streams.useKey(key, this);
      controllers.add(this);
    }

    PeerAddress address() {
      return PeerAddress.of(name, streams.contact()).orElseThrow();
    }

    @Override
    public void ended(PeerAddress peer) {
      ended.add(peer);
    }

    @Override
    public void silent(PeerAddress peer) {
      events.add("silent " + peer.name());
    }

    @Override
    public void reached(String peer) {
      events.add("reached " + peer);
    }

    @Override
    public void received(String peer, ByteBuffer message) {
      byte[] content = new byte[message.remaining()];
      message.get(content);
      messages.add(content);
    }

    @Override
    public void lost(String peer) {
      events.add("lost " + peer);
    }

    String nextEvent() throws InterruptedException {
      return String.valueOf(events.poll(SOON_SECONDS, TimeUnit.SECONDS));
    }
  }

  @AfterEach
  void close() {
    controllers.forEach(each -> each.streams.close());
  }

  private Controller[] connected() throws Exception {
    Controller a = new Controller("a", KEY);
    Controller b = new Controller("b", KEY);
    a.streams.follow(Set.of(b.address()));
    b.streams.follow(Set.of(a.address()));
    assertEquals("reached b", a.nextEvent());
    assertEquals("reached a", b.nextEvent());
    return new Controller[] {a, b};
  }

  @Test
  void messages_arriveInOrder_bothWays_smallAndLarge() throws Exception {
    Controller[] pair = connected();
    byte[] largest = new byte[IPeerService.MAX_MESSAGE];
    largest[largest.length - 1] = 7;
    for (Controller from : pair) {
      Controller to = pair[from == pair[0] ? 1 : 0];
      assertEquals(Set.of(to.name), from.streams.reached());
      for (int i = 0; i < 3_000; i++) {
        assertTrue(from.streams.send(to.name, PeerTopic.HOSTS, new byte[] {(byte) i}));
      }
      assertTrue(from.streams.send(to.name, PeerTopic.HOSTS, largest));
      assertTrue(from.streams.send(to.name, PeerTopic.RULES, new byte[] {1})); // without a listener
      assertTrue(from.streams.send(to.name, PeerTopic.HOSTS, new byte[0]));
      for (int i = 0; i < 3_000; i++) {
        assertArrayEquals(new byte[] {(byte) i}, next(to), "message " + i);
      }
      assertArrayEquals(largest, next(to));
      assertArrayEquals(new byte[0], next(to));
    }
  }

  private static byte[] next(Controller to) throws InterruptedException {
    return to.messages.poll(SOON_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void tooLargeMessage_isRejected() throws Exception {
    Controller a = new Controller("a", KEY);
    assertThrows(
        IllegalArgumentException.class,
        () -> a.streams.send("b", PeerTopic.HOSTS, new byte[IPeerService.MAX_MESSAGE + 1]));
  }

  @Test
  void peerThatIsNotReached_getsNothing() throws Exception {
    Controller a = new Controller("a", KEY);
    assertFalse(a.streams.send("b", PeerTopic.HOSTS, new byte[1]));
    assertTrue(a.streams.unreached("b").isEmpty()); // it is not followed

    a.streams.follow(Set.of(new PeerAddress("b", LOOPBACK, 1, "0".repeat(32))));

    assertTrue(a.streams.unreached("b").isPresent());
  }

  @Test
  void peerThatCloses_isLost_andHasEnded_onceAndSoon() throws Exception {
    Controller[] pair = connected();
    assertTrue(pair[0].streams.unreached("b").isEmpty());

    pair[1].streams.close();

    assertEquals(pair[1].address(), pair[0].ended.poll(SOON_SECONDS, TimeUnit.SECONDS));
    assertEquals("lost b", pair[0].nextEvent());
    assertTrue(pair[0].streams.unreached("b").isPresent());
    assertEquals(Set.of(), pair[0].streams.reached());
    assertFalse(pair[0].streams.send("b", PeerTopic.HOSTS, new byte[1]));
    assertNull(pair[0].ended.poll(QUIET_MILLIS, TimeUnit.MILLISECONDS));
  }

  /** A process ends its connections and its port in any order. */
  @Test
  void peerWhosePortOutlivesItsConnections_hasEndedSoon() throws Exception {
    Controller a = new Controller("a", KEY);
    Controller b = new Controller("b", KEY);
    b.streams.follow(Set.of(a.address()));
    try (Relay relay = new Relay(b.address().port())) {
      PeerAddress relayed = new PeerAddress("b", LOOPBACK, relay.port(), b.address().token());
      a.streams.follow(Set.of(relayed));
      assertEquals("reached b", a.nextEvent());
      Thread.sleep(1_100); // the link has been up for a while

      relay.closeButForOneMore();

      assertEquals(relayed, a.ended.poll(QUIET_MILLIS, TimeUnit.MILLISECONDS));
    }
  }

  /** Passes on one connection to a port of loopback. */
  private static final class Relay implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
    private final Socket to;
    private final FutureTask<Socket> accepted = new FutureTask<>(this::accept);

    Relay(int port) throws IOException {
      to = new Socket(InetAddress.getLoopbackAddress(), port);
      new Thread(accepted).start();
    }

    int port() {
      return server.getLocalPort();
    }

    private Socket accept() throws IOException {
      Socket from = server.accept();
      new Thread(() -> pass(from, to)).start();
      new Thread(() -> pass(to, from)).start();
      return from;
    }

    private static void pass(Socket from, Socket to) {
      try {
        from.getInputStream().transferTo(to.getOutputStream());
      } catch (IOException e) {
        // closed
      }
    }

    /** Ends the connection, refuses another that comes at once, and then has no port. */
    void closeButForOneMore() throws Exception {
      accepted.get().close();
      to.close();
      server.accept().close();
      server.close();
    }

    @Override
    public void close() throws IOException {
      server.close();
      to.close();
    }
  }

  /** As when a controller was suspended, and its name started elsewhere meanwhile. */
  @Test
  void processThatEtcdDoesNotName_displacesNoStream() throws Exception {
    Controller a = new Controller("a", KEY);
    Controller named = new Controller("b", KEY);
    Controller former = new Controller("b", KEY);
    a.streams.follow(Set.of(named.address()));
    former.streams.follow(Set.of(a.address()));
    assertNull(a.events.poll(QUIET_MILLIS, TimeUnit.MILLISECONDS));
    named.streams.follow(Set.of(a.address()));
    assertEquals("reached b", a.nextEvent());
    @Nullable String next = a.events.poll(ATTEMPTS_MILLIS, TimeUnit.MILLISECONDS);
    // on a busy machine, a peer may be silent for a second
    assertTrue(next == null || next.equals("silent b"), next);
    assertTrue(a.streams.send("b", PeerTopic.HOSTS, new byte[] {1}));
    assertArrayEquals(new byte[] {1}, next(named));
    assertNull(former.messages.poll());

    a.streams.follow(Set.of(former.address()));
    assertEquals("lost b", a.nextEvent());
    assertEquals("reached b", a.nextEvent());
    assertTrue(a.streams.send("b", PeerTopic.HOSTS, new byte[] {2}));
    assertArrayEquals(new byte[] {2}, next(former));
  }

  @Test
  void peerThatEtcdNamesLater_isReachedThen() throws Exception {
    Controller a = new Controller("a", KEY);
    Controller b = new Controller("b", KEY);
    b.streams.follow(Set.of(a.address()));
    assertNull(a.events.poll(QUIET_MILLIS, TimeUnit.MILLISECONDS));
    assertFalse(a.streams.send("b", PeerTopic.HOSTS, new byte[] {1}));
    a.streams.follow(Set.of(b.address()));
    assertEquals("reached b", a.nextEvent());
    assertTrue(a.streams.send("b", PeerTopic.HOSTS, new byte[] {1}));
    assertArrayEquals(new byte[] {1}, next(b));
  }

  @Test
  void connectionsThatSayNothing_pushOutNoHandshake() throws Exception {
    Controller a = new Controller("a", KEY);
    byte[] hello =
        new Handshake(
                Handshake.Self.of("b", "0".repeat(32), KEY), true, new byte[Handshake.NONCE_BYTES])
            .hello();
    List<Socket> silent = new ArrayList<>();
    try (Socket peer = new Socket(InetAddress.getLoopbackAddress(), a.address().port())) {
      peer.getOutputStream()
          .write(ByteBuffer.allocate(4 + hello.length).putInt(hello.length).put(hello).array());
      assertTrue(peer.getInputStream().read() >= 0, "its hello is answered");
      for (int i = 0; i < 40; i++) {
        silent.add(new Socket(InetAddress.getLoopbackAddress(), a.address().port()));
      }
      peer.setSoTimeout(300);
      assertThrows(
          SocketTimeoutException.class,
          () -> {
            while (peer.getInputStream().read() >= 0) {
              // the rest of the answer
            }
          });
    } finally {
      for (Socket each : silent) {
        each.close();
      }
    }
  }

  @Test
  void replacedKey_opensStreamsAnew_andTheFormerOneOpensNone() throws Exception {
    Controller[] pair = connected();
    byte[] next = {4, 5, 6};
    for (Controller each : pair) {
      each.streams.useKey(next, each);
    }
    for (Controller each : pair) {
      String other = each == pair[0] ? "b" : "a";
      assertEquals("lost " + other, each.nextEvent());
      while (!each.streams.isReached(other)) {
        String event = each.nextEvent();
        assertTrue(event.endsWith(other), event);
      }
      assertNull(each.ended.poll());
    }
    assertTrue(pair[0].streams.send("b", PeerTopic.HOSTS, new byte[] {7}));
    assertArrayEquals(new byte[] {7}, next(pair[1]));

    Controller former = new Controller("c", KEY);
    pair[0].streams.follow(Set.of(pair[1].address(), former.address()));
    former.streams.follow(Set.of(pair[0].address()));
    assertNull(former.events.poll(QUIET_MILLIS, TimeUnit.MILLISECONDS));
    assertFalse(pair[0].streams.reached().contains("c"));
  }

  @Test
  void peerWithAnotherKey_isRefusedByBoth() throws Exception {
    Controller a = new Controller("a", KEY);
    Controller b = new Controller("b", new byte[] {3, 2, 1});
    a.streams.follow(Set.of(b.address()));
    b.streams.follow(Set.of(a.address()));

    assertNull(a.events.poll(QUIET_MILLIS, TimeUnit.MILLISECONDS));
    assertNull(b.events.poll());
    assertNull(a.ended.poll());
  }

  /** The address may lead somewhere else from here. */
  @Test
  void peerThatWasNeverReached_hasNotEnded() throws Exception {
    Controller a = new Controller("a", KEY);
    Controller b = new Controller("b", KEY);
    b.streams.close();

    a.streams.follow(Set.of(b.address()));

    assertNull(a.ended.poll(ATTEMPTS_MILLIS, TimeUnit.MILLISECONDS));
  }

  @Test
  void silentPort_saysNothing() throws Exception {
    Controller a = new Controller("a", KEY);
    try (ServerSocket other = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      a.streams.follow(
          Set.of(new PeerAddress("b", LOOPBACK, other.getLocalPort(), "0".repeat(32))));

      assertNull(a.ended.poll(ATTEMPTS_MILLIS, TimeUnit.MILLISECONDS));
    }
  }

  @Test
  void peerThatIsNotFollowedAnyMore_isNotReported() throws Exception {
    Controller[] pair = connected();

    pair[0].streams.follow(Set.of());
    pair[1].streams.close();

    assertEquals("lost b", pair[0].nextEvent());
    assertNull(pair[0].ended.poll(QUIET_MILLIS, TimeUnit.MILLISECONDS));
  }
}
