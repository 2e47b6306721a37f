package io.malob.cluster.election;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.HexFormat;
import java.util.Queue;

/**
 * An open port that is there as long as this process: it sends its token to each connection, and
 * then nothing. When the process ends, however abruptly, the kernel closes the port and all its
 * connections, and {@link PeerLinks} of other controllers notice at once.
 */
public final class PeerPort implements AutoCloseable {
  private static final int TOKEN_BYTES = 16;

  /** The max number of connections; further ones push out the oldest. */
  private static final int MAX_CONNECTIONS = 32;

  private final ServerSocket listener;
  private final String host;
  private final String token;
  private final Queue<Socket> connections = new ArrayDeque<>();

  /**
   * Opens any free port.
   *
   * @param host the address that other controllers use; the port is open there only
   */
  public PeerPort(String host) throws IOException {
    this.host = host;
    byte[] random = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(random);
    token = HexFormat.of().formatHex(random);
    listener = new ServerSocket();
    try {
      listener.bind(new InetSocketAddress(InetAddress.getByName(host), 0));
    } catch (IOException e) {
      listener.close();
      throw new IOException("cannot listen on " + host + " for other controllers: " + e, e);
    }
    Thread thread = new Thread(this::accept, "peer-port");
    thread.setDaemon(true);
    thread.start();
  }

  /** The port and its token, for {@link Contact}. */
  public String contact() {
    return host + ":" + listener.getLocalPort() + "/" + token;
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket connection = listener.accept();
        connection.setKeepAlive(true);
        connection.getOutputStream().write(token.getBytes(StandardCharsets.US_ASCII));
        keep(connection);
      } catch (IOException expected) {
        // closed, or a peer that was quicker to leave
      }
    }
  }

  private synchronized void keep(Socket connection) throws IOException {
    connections.add(connection);
    if (listener.isClosed() || connections.size() > MAX_CONNECTIONS) {
      connections.remove().close();
    }
  }

  @Override
  public synchronized void close() {
    closeQuietly(listener);
    connections.forEach(PeerPort::closeQuietly);
    connections.clear();
  }

  static void closeQuietly(AutoCloseable socket) {
    try {
      socket.close();
    } catch (Exception expected) {
      // it is of no use any more, closed or not
    }
  }
}
