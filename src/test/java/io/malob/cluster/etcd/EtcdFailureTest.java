package io.malob.cluster.etcd;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a user is told of a server that refuses TLS. */
@Timeout(20)
class EtcdFailureTest {
  /** TLS 1.2's fatal alert handshake_failure (RFC 5246, section 7.2). */
  private static final byte[] HANDSHAKE_FAILURE = {21, 3, 3, 0, 2, 2, 40};

  private static final Duration TIMEOUT = Duration.ofSeconds(1);
  private static final Duration REFUSING = Duration.ofMillis(600);

  /** Refuses connections for a while. Later ones stay in the queue, without an answer. */
  private static void refuse(ServerSocket server) {
    try {
      long end = Long.MAX_VALUE;
      while (System.nanoTime() < end) {
        try (Socket client = server.accept()) {
          end = Math.min(end, System.nanoTime() + REFUSING.toNanos());
          if (client.getInputStream().read(new byte[16_384]) > 0) {
            client.getOutputStream().write(HANDSHAKE_FAILURE);
            client.shutdownOutput();
          }
        }
      }
    } catch (IOException e) {
      // the test is over
    }
  }

  @Test
  void attemptThatTheDeadlineCutsShort_doesNotHideWhyTheOthersFailed() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread refusing = new Thread(() -> refuse(server));
      refusing.setDaemon(true);
      refusing.start();
      EtcdAccess access =
          new EtcdAccess(
              ImmutableList.of(URI.create("https://127.0.0.1:" + server.getLocalPort())),
              "/malob/",
              TIMEOUT,
              Optional.of(Suppliers.ofInstance(SSLContext.getDefault())),
              Optional.empty());
      try (Etcd etcd = new HttpEtcd(access)) {
        String why =
            assertThrows(ExecutionException.class, () -> etcd.commit(List.of(), List.of()).get())
                .getCause()
                .getMessage();
        assertTrue(why.contains("TLS failed: "), why);
      }
    }
  }
}
