package io.malob.bench.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Finds free TCP ports. */
public final class FreePort {
  private FreePort() {}

  /** A port of the loopback address that was free a moment ago. */
  public static int find() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
