package io.malob.cluster.peer;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import com.google.common.collect.Streams;
import io.malob.cluster.peer.Handshake.Self;
import io.malob.module.DropLog;
import io.malob.module.IPeerService;
import io.malob.module.PeerTopic;
import io.malob.module.PeerTraffic;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streams between this controller and the others of the cluster. Messages to a peer go over the
 * connection that the peer has opened to this controller's port; messages of the peer come over the
 * one that this controller has opened to the peer's.
 *
 * <p>Each peer belongs to one event loop, which changes its state and calls its listeners. Public
 * methods may be called by any thread, and do not block.
 */
public final class PeerStreams implements AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(PeerStreams.class);
  private static final int THREADS = 2;

  /** The max number of connections of processes that etcd does not name. */
  private static final int MAX_UNNAMED = 64;

  /** Within this time, both connections of a process that ends are closed. */
  private static final long ENDING_MILLIS = 100;

  private static final long LOG_SECONDS = 5;
  private static final long CLOSING_SECONDS = 2;

  private final String name;
  private final SecureRandom random = new SecureRandom();
  private final EventLoopGroup group =
      new NioEventLoopGroup(THREADS, new DefaultThreadFactory("peer-io", true));
  private final ImmutableList<EventLoop> loops =
      Streams.stream(group).map(EventLoop.class::cast).collect(ImmutableList.toImmutableList());
  private final PeerPort port;
  final PeerListeners listeners;

  /** Connections over which messages are sent, by peer. */
  private final Map<String, PeerChannel> outgoing = new ConcurrentHashMap<>();

  /**
   * Connections of processes that know the key, but are not among those that etcd names: it does
   * not yet, or another process has the name by now. By name and token.
   */
  private final Map<String, PeerChannel> unnamed = new ConcurrentHashMap<>();

  private volatile FollowedPeers followed = FollowedPeers.NONE;

  /** Connections over which messages come, by peer. */
  private final Map<String, PeerChannel> incoming = new ConcurrentHashMap<>();

  /** The links to the followed peers; guarded by this. */
  private final Map<PeerAddress, PeerLink> links = new HashMap<>();

  /** Since when a followed peer lacks a connection in one direction, in nanoseconds. */
  private final Map<String, Long> unreachedNanos = new ConcurrentHashMap<>();

  private final PeerCounters counters = new PeerCounters();

  private final DropLog<String> refusals =
      new DropLog<>(
          (address, count, why) ->
              logger.warn("peer_refused address={} times={} why=\"{}\"", address, count, why));

  /** Who this controller is; null before {@link #useKey}. */
  private volatile @Nullable Self self;

  /** The end of this controller: nothing more is reported. */
  private volatile boolean isClosed;

  private volatile @Nullable PeerFate fate;

  /**
   * Opens a port for other controllers, which reach it after {@link #useKey}.
   *
   * @param name this controller's
   * @param host the address that other controllers use; the port is open there only
   * @param listeners called on the event loop of the peer
   */
  public PeerStreams(String name, String host, PeerListeners listeners) throws IOException {
    this.name = name;
    this.listeners = listeners;
    try {
      port =
          new PeerPort(
              host,
              group,
              () -> newConnection(false, new Accepted()),
              address -> followed.hosts().contains(address));
    } catch (IOException e) {
      closeGroup();
      throw e;
    }
  }

  /** The port for other controllers, as {@link PeerAddress} reads it. */
  public String contact() {
    return port.contact();
  }

  /**
   * Starts with this key: connects to the followed peers and accepts their connections from now on.
   * A later key replaces it, and all streams are opened anew.
   *
   * @param sharedKey known to the controllers of the cluster only
   * @param listener hears of peers that have ended or are silent
   */
  public synchronized void useKey(byte[] sharedKey, PeerFate listener) {
    boolean isFirst = self == null;
    self = Self.of(name, port.token(), sharedKey);
    if (isFirst) {
      fate = listener;
      port.accept();
      links.values().forEach(PeerLink::open);
      var unused =
          group.scheduleWithFixedDelay(
              () -> {
                refusals.flush(System.nanoTime());
                listeners.logDamaged(System.nanoTime());
              },
              LOG_SECONDS,
              LOG_SECONDS,
              TimeUnit.SECONDS);
      return;
    }
    logger.info("peer_key_replaced node={}", name);
    for (Map<String, PeerChannel> all : List.of(outgoing, unnamed, incoming)) {
      all.values().forEach(each -> each.close("the key of the cluster has been replaced"));
    }
  }

  /** Follows these peers from now on, and no others. */
  public synchronized void follow(Set<PeerAddress> peers) {
    followed = FollowedPeers.of(peers);
    unnamed.values().forEach(each -> home(each.peer()).execute(() -> sort(each.peer())));
    outgoing.keySet().forEach(peer -> home(peer).execute(() -> sort(peer)));
    for (PeerAddress left : ImmutableSet.copyOf(Sets.difference(links.keySet(), peers))) {
      Objects.requireNonNull(links.remove(left)).close();
      unreachedNanos.remove(left.name());
    }
    for (PeerAddress peer : peers) {
      links.computeIfAbsent(peer, this::newLink);
    }
  }

  /** Sends messages to the process that etcd names, and to no other one. */
  private void sort(String peer) {
    @Nullable PeerChannel current = outgoing.get(peer);
    if (current != null && !followed.contains(current)) {
      current.close("etcd does not name its process any more");
      unreached(current);
    }
    followed.processOf(peer).map(unnamed::remove).ifPresent(this::reached);
  }

  private PeerLink newLink(PeerAddress address) {
    unreachedNanos.put(address.name(), System.nanoTime());
    PeerLink link = new PeerLink(address, home(address.name()), this);
    if (self != null) {
      link.open();
    }
    return link;
  }

  /** A connection that this controller is about to open, or another one. */
  PeerChannel newConnection(boolean isClient, PeerChannel.Events events) {
    byte[] nonce = new byte[Handshake.NONCE_BYTES];
    random.nextBytes(nonce);
    Handshake handshake = new Handshake(Objects.requireNonNull(self), isClient, nonce);
    return new PeerChannel(handshake, isClient, events, counters);
  }

  /** Hears of peers that have ended or are silent; only after {@link #useKey}. */
  PeerFate fate() {
    return Objects.requireNonNull(fate);
  }

  /** The event loop of a peer. */
  private EventLoop home(String peer) {
    return loops.get(Math.floorMod(peer.hashCode(), loops.size()));
  }

  /** As {@link IPeerService#send}. */
  public boolean send(String peer, PeerTopic topic, byte[] message) {
    if (message.length > IPeerService.MAX_MESSAGE) {
      throw new IllegalArgumentException(
          "A message of " + message.length + " bytes; max " + IPeerService.MAX_MESSAGE);
    }
    @Nullable PeerChannel connection = outgoing.get(peer);
    return connection != null && connection.send(topic, message);
  }

  /** The controllers to which messages can be sent at present, by name. */
  public ImmutableSet<String> reached() {
    return ImmutableSet.copyOf(outgoing.keySet());
  }

  /** What the streams have carried. */
  public PeerTraffic traffic() {
    return new PeerTraffic(
        counters.sentMessages.sum(),
        counters.sentBytes.sum(),
        counters.receivedMessages.sum(),
        counters.receivedBytes.sum(),
        listeners.damaged(),
        outgoing.values().stream().mapToLong(PeerChannel::waiting).sum());
  }

  /** Whether messages reach the peer, and the other way round. */
  public boolean isReached(String peer) {
    return outgoing.containsKey(peer) && incoming.containsKey(peer);
  }

  /** The time for which a followed peer has not been reached in both directions; empty if it is. */
  public Optional<Duration> unreached(String peer) {
    return Optional.ofNullable(unreachedNanos.get(peer))
        .map(since -> Duration.ofNanos(System.nanoTime() - since));
  }

  /** A connection that a peer has opened: messages to it are sent there. */
  private final class Accepted implements PeerChannel.Events {
    @Override
    public void opened(PeerChannel connection) {
      home(connection.peer()).execute(() -> accepted(connection));
    }

    @Override
    public void closed(PeerChannel connection) {
      if (isClosed) {
        return;
      }
      if (connection.wasOpened()) {
        home(connection.peer()).execute(() -> unreached(connection));
      } else {
        refused(connection);
      }
    }
  }

  private void accepted(PeerChannel connection) {
    String peer = connection.peer();
    if (followed.contains(connection)) {
      reached(connection);
    } else if (unnamed.size() < MAX_UNNAMED) {
      @Nullable PeerChannel before =
          unnamed.put(FollowedPeers.process(peer, connection.token()), connection);
      if (before != null) {
        before.close("the peer has opened another connection");
      }
    } else {
      connection.close("too many processes are connected that etcd does not name");
    }
    sort(peer); // etcd may name another process by now
  }

  private void reached(PeerChannel connection) {
    String peer = connection.peer();
    @Nullable PeerChannel before = outgoing.put(peer, connection);
    if (before != null) {
      before.close("the peer has opened another connection");
      publishLost(peer, before);
    }
    publishReached(peer);
  }

  private void unreached(PeerChannel connection) {
    unnamed.values().remove(connection);
    if (outgoing.remove(connection.peer(), connection)) {
      publishLost(connection.peer(), connection);
    }
  }

  /** This controller has opened a connection: the peer's messages come there. */
  void connected(PeerChannel connection) {
    incoming.put(connection.peer(), connection);
    noteDirections(connection.peer());
  }

  /** That connection, or an attempt to open it, has ended. */
  void disconnected(PeerChannel connection) {
    if (isClosed) {
      return;
    }
    if (!connection.wasOpened()) {
      refused(connection);
    } else if (incoming.remove(connection.peer(), connection)) {
      publishLost(connection.peer(), connection);
      @Nullable PeerChannel other = outgoing.get(connection.peer());
      if (other != null) {
        reachedStill(other);
      }
    }
  }

  /** Messages still reach a peer whose own do not come: unless it has just ended. */
  private void reachedStill(PeerChannel connection) {
    String peer = connection.peer();
    var unused =
        home(peer)
            .schedule(
                () -> {
                  if (connection.equals(outgoing.get(peer))) {
                    publishReached(peer);
                  }
                },
                ENDING_MILLIS,
                TimeUnit.MILLISECONDS);
  }

  /** A connection without a proof of the other side has ended. */
  private void refused(PeerChannel connection) {
    if (connection.wasRefused()) {
      refusals.note(connection.remote(), connection::why);
    }
  }

  private void publishReached(String peer) {
    logger.info("peer_reached peer={}", peer);
    noteDirections(peer);
    listeners.reached(peer);
  }

  private void publishLost(String peer, PeerChannel connection) {
    logger.warn("peer_lost peer={} why=\"{}\"", peer, connection.why());
    noteDirections(peer);
    listeners.lost(peer);
  }

  /** Whichever thread notes last sees the changes of both. */
  private void noteDirections(String peer) {
    var unused =
        unreachedNanos.compute(
            peer,
            (any, since) ->
                isReached(peer) ? null : since == null ? (Long) System.nanoTime() : since);
  }

  /** Closes the port and all connections. */
  @Override
  public synchronized void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    follow(Set.of());
    port.close();
    closeGroup();
  }

  private void closeGroup() {
    group.shutdownGracefully(0, CLOSING_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
