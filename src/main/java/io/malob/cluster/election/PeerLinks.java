package io.malob.cluster.election;

import io.malob.cluster.election.Contact.Peer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Finds out at once that another controller's process has ended, which its lease would tell seconds
 * later: a connection to its {@link PeerPort} breaks, and the port is closed or another process's.
 * Nothing is concluded from silence: a process that is suspended or unreachable has not ended.
 *
 * <p>One thread per peer, of which there are few. Thread-safe.
 */
public final class PeerLinks implements AutoCloseable {
  private static final int CONNECT_MILLIS = 1_000;
  private static final int TOKEN_CHARACTERS = 32;

  /** The pause after an attempt that has told nothing. */
  private static final long PAUSE_MILLIS = 1_000;

  private final Consumer<Peer> ended;
  private final Map<Peer, Link> links = new HashMap<>();

  /**
   * No links yet.
   *
   * @param ended receives each peer whose process has ended, once, on a thread of the link's own
   */
  public PeerLinks(Consumer<Peer> ended) {
    this.ended = ended;
  }

  /** Follows these peers from now on, and no others. */
  synchronized void follow(Set<Peer> peers) {
    links
        .entrySet()
        .removeIf(
            each -> {
              boolean isGone = !peers.contains(each.getKey());
              if (isGone) {
                each.getValue().close();
              }
              return isGone;
            });
    for (Peer peer : peers) {
      links.computeIfAbsent(peer, Link::new);
    }
  }

  @Override
  public void close() {
    follow(Set.of());
  }

  /** What an attempt to reach a peer has told. */
  private enum Finding {
    /** It was there, and the connection has broken. */
    BROKEN,
    /** Its port is closed, or another process has it. */
    NOT_THERE,
    /** Nothing: no answer in time, or no route. */
    NOTHING
  }

  private final class Link {
    private final Peer peer;
    private final Thread thread;
    private volatile boolean isClosed;
    private volatile Socket socket = new Socket();

    Link(Peer peer) {
      this.peer = peer;
      thread = new Thread(this::run, "peer-" + peer.host());
      thread.setDaemon(true);
      thread.start();
    }

    private void run() {
      boolean wasThere = false;
      while (!isClosed) {
        switch (attempt()) {
          case BROKEN -> wasThere = true;
          case NOT_THERE -> {
            // without proof that the address leads to it, a closed port says nothing
            if (wasThere && !isClosed) {
              ended.accept(peer);
              return;
            }
            pause();
          }
          case NOTHING -> pause();
        }
      }
    }

    private Finding attempt() {
      boolean isThere = false;
      try (Socket connection = new Socket()) {
        socket = connection;
        connection.connect(new InetSocketAddress(peer.host(), peer.port()), CONNECT_MILLIS);
        connection.setKeepAlive(true);
        connection.setSoTimeout(CONNECT_MILLIS);
        byte[] token = connection.getInputStream().readNBytes(TOKEN_CHARACTERS);
        isThere = peer.token().equals(new String(token, StandardCharsets.US_ASCII));
        if (!isThere) {
          return Finding.NOT_THERE;
        }
        connection.setSoTimeout(0);
        while (connection.getInputStream().read() >= 0) {
          // nothing is sent after the token
        }
        return Finding.BROKEN;
      } catch (ConnectException refused) {
        return Finding.NOT_THERE;
      } catch (IOException silentOrClosed) {
        return isThere ? Finding.BROKEN : Finding.NOTHING;
      }
    }

    private void pause() {
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        isClosed = true;
      }
    }

    void close() {
      isClosed = true;
      thread.interrupt();
      PeerPort.closeQuietly(socket);
    }
  }
}
