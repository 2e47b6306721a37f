package io.malob.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.malob.file.SettledFiles;
import io.malob.testing.TestCertificates;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client's certificates that are replaced while it runs. */
class PemTlsTest {
  @TempDir Path directory;

  private long nanos;
  private KeyStore first;
  private KeyStore second;
  private PemTls client;

  @BeforeEach
  void open() throws Exception {
    first = TestCertificates.make(directory, "first");
    second = TestCertificates.make(directory, "second");
    use("first");
    client =
        new PemTls(
            Optional.of(directory.resolve("ca.pem")),
            Optional.of(directory.resolve("own.pem")),
            Optional.of(directory.resolve("own.key")),
            () -> nanos);
  }

  /** One certificate is the client's, the server's, and the authority of both. */
  private void use(String name) throws IOException {
    for (String[] file :
        new String[][] {{".pem", "own.pem"}, {".key", "own.key"}, {".pem", "ca.pem"}}) {
      Files.copy(
          directory.resolve(name + file[0]),
          directory.resolve(file[1]),
          StandardCopyOption.REPLACE_EXISTING,
          StandardCopyOption.COPY_ATTRIBUTES);
    }
  }

  private void pass() {
    nanos += TimeUnit.SECONDS.toNanos(SettledFiles.INTERVAL_SECONDS);
  }

  @Test
  void newConnections_useTheNewFiles() throws Exception {
    assertEquals("CN=first", seenBy(first));
    assertThrows(IOException.class, () -> seenBy(second));
    use("second");
    pass();
    assertEquals("CN=first", seenBy(first));
    pass();
    assertEquals("CN=second", seenBy(second));
    assertThrows(IOException.class, () -> seenBy(first));
    Files.writeString(directory.resolve("own.key"), "no key");
    pass();
    assertEquals("CN=second", seenBy(second));
    pass();
    assertEquals("CN=second", seenBy(second));
  }

  /** The client's subject, as a server with these keys sees it. */
  private String seenBy(KeyStore keys) throws Exception {
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, TestCertificates.password());
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("client", keys.getCertificate("own"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), trust.getTrustManagers(), null);
    InetAddress here = InetAddress.getLoopbackAddress();
    CompletableFuture<String> seen;
    try (SSLServerSocket server =
            (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0, 1, here);
        SSLSocket socket =
            (SSLSocket) client.get().getSocketFactory().createSocket(here, server.getLocalPort())) {
      server.setNeedClientAuth(true);
      socket.setSoTimeout(20_000);
      seen =
          CompletableFuture.supplyAsync(
              () -> {
                try (SSLSocket accepted = (SSLSocket) server.accept()) {
                  accepted.setSoTimeout(20_000);
                  accepted.startHandshake();
                  X509Certificate shown =
                      (X509Certificate) accepted.getSession().getPeerCertificates()[0];
                  return shown.getSubjectX500Principal().getName();
                } catch (IOException e) {
                  return e.toString();
                }
              },
              task -> new Thread(task, "server").start());
      socket.startHandshake();
    }
    // each side waits for the other's end
    return seen.get(20, TimeUnit.SECONDS);
  }
}
