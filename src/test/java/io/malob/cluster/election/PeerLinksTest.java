package io.malob.cluster.election;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.malob.cluster.election.Contact.Peer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Links to real ports on loopback. */
class PeerLinksTest {
  private static final String LOOPBACK = "127.0.0.1";
  private static final long SOON_SECONDS = 10;

  /** A link needs at most a second to connect, and an attempt that tells nothing pauses so long. */
  private static final long QUIET_MILLIS = 2_500;

  private final BlockingQueue<Peer> ended = new LinkedBlockingQueue<>();
  private final PeerLinks links = new PeerLinks(ended::add);

  @AfterEach
  void close() {
    links.close();
  }

  private static Peer peer(PeerPort port) {
    return new Contact("", port.contact()).parsedPeer().orElseThrow();
  }

  private static void awaitLink() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(500);
  }

  @Test
  void peerThatCloses_hasEnded() throws Exception {
    PeerPort port = new PeerPort(LOOPBACK);
    links.follow(Set.of(peer(port)));
    awaitLink();
    assertNull(ended.poll());

    port.close();

    assertEquals(peer(port), ended.poll(SOON_SECONDS, TimeUnit.SECONDS));
    assertNull(ended.poll(QUIET_MILLIS, TimeUnit.MILLISECONDS));
  }

  /** The address may lead somewhere else from here. */
  @Test
  void peerThatWasNeverReached_hasNotEnded() throws Exception {
    PeerPort port = new PeerPort(LOOPBACK);
    port.close();

    links.follow(Set.of(peer(port)));

    assertNull(ended.poll(QUIET_MILLIS, TimeUnit.MILLISECONDS));
  }

  @Test
  void portOfAnotherProcess_saysNothing() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      links.follow(Set.of(new Peer(LOOPBACK, other.getLocalPort(), "0".repeat(32))));

      assertNull(ended.poll(QUIET_MILLIS, TimeUnit.MILLISECONDS));
    }
  }

  @Test
  void peerThatIsNotFollowedAnyMore_isNotReported() throws Exception {
    PeerPort port = new PeerPort(LOOPBACK);
    links.follow(Set.of(peer(port)));
    awaitLink();

    links.follow(Set.of());
    port.close();

    assertNull(ended.poll(QUIET_MILLIS, TimeUnit.MILLISECONDS));
  }
}
