package io.malob.controller.access;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.file.SettledFiles;
import io.malob.testing.TestCertificates;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates that are replaced while a port is open. */
class ReloadingTlsTest {
  @TempDir Path directory;

  private long nanos;
  private SslContext tls;

  @BeforeEach
  void open() throws Exception {
    replace("first");
    TlsFiles files =
        new TlsFiles(directory.resolve("own.pem"), directory.resolve("own.key"), Optional.empty());
    tls = new ReloadingTls(files, () -> nanos);
  }

  private void replace(String name) throws Exception {
    TestCertificates.make(directory, name);
    for (String end : new String[] {".key", ".pem"}) {
      move(name + end, "own" + end);
    }
  }

  private void move(String from, String to) throws IOException {
    Files.move(directory.resolve(from), directory.resolve(to), StandardCopyOption.REPLACE_EXISTING);
  }

  private void pass() {
    nanos += TimeUnit.SECONDS.toNanos(SettledFiles.INTERVAL_SECONDS);
  }

  @Test
  void newConnections_getTheNewCertificate_onceItsFilesAreLeftAlone() throws Exception {
    assertEquals("CN=first", subject());
    TestCertificates.make(directory, "second");
    move("second.pem", "own.pem");
    assertEquals("CN=first", subject());
    pass();
    assertEquals("CN=first", subject());
    move("second.key", "own.key");
    pass();
    assertEquals("CN=first", subject());
    pass();
    assertEquals("CN=second", subject());
  }

  @Test
  void filesThatCannotBeUsed_leaveTheEarlierCertificate() throws Exception {
    Files.writeString(directory.resolve("own.key"), "no key");
    for (int i = 0; i < 3; i++) {
      pass();
      assertEquals("CN=first", subject());
    }
    Files.delete(directory.resolve("own.pem"));
    pass();
    assertEquals("CN=first", subject());
    replace("third");
    pass();
    assertEquals("CN=first", subject());
    pass();
    assertEquals("CN=third", subject());
  }

  /** As the message about such a key says. */
  @Test
  void permissionsOfTheKeyThatAreCorrected_areAChange() throws Exception {
    Path key = directory.resolve("own.key");
    replace("second");
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
    for (int i = 0; i < 3; i++) {
      pass();
      assertEquals("CN=first", subject());
    }
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    pass();
    assertEquals("CN=first", subject());
    pass();
    assertEquals("CN=second", subject());
  }

  /** The subject of the certificate that a new connection gets. */
  private String subject() throws Exception {
    SslContext trusting =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.JDK)
            .trustManager(InsecureTrustManagerFactory.INSTANCE)
            .build();
    EmbeddedChannel server = new EmbeddedChannel(tls.newHandler(ByteBufAllocator.DEFAULT));
    SslHandler handler = trusting.newHandler(ByteBufAllocator.DEFAULT);
    EmbeddedChannel client = new EmbeddedChannel(handler);
    try {
      while (!handler.handshakeFuture().isDone()) {
        exchange(client, server);
        exchange(server, client);
      }
      Certificate[] chain = handler.engine().getSession().getPeerCertificates();
      return ((X509Certificate) chain[0]).getSubjectX500Principal().getName();
    } finally {
      client.finishAndReleaseAll();
      server.finishAndReleaseAll();
    }
  }

  private static void exchange(EmbeddedChannel from, EmbeddedChannel to) {
    for (ByteBuf sent = from.readOutbound(); sent != null; sent = from.readOutbound()) {
      to.writeInbound(sent);
    }
    from.runPendingTasks();
    to.runPendingTasks();
  }
}
