package io.malob.controller.access;

import io.malob.file.SettledFiles;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.util.List;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The context of a TLS port, with the certificates that its files have now. A new connection reads
 * {@link SettledFiles changed files}. Files that cannot be used are reported once, and the earlier
 * certificates stay in use. Open connections keep theirs. Safe for use by several threads.
 */
final class ReloadingTls extends SslContext {
  private static final Logger logger = LoggerFactory.getLogger(ReloadingTls.class);

  private final TlsFiles files;
  private final SettledFiles watched;
  private volatile SslContext current;

  /**
   * Reads the files.
   *
   * @param nanoTime counts nanoseconds
   * @throws IOException naming the file that cannot be used
   */
  ReloadingTls(TlsFiles files, LongSupplier nanoTime) throws IOException {
    this.files = files;
    watched = new SettledFiles(files.all(), nanoTime);
    current = files.read();
  }

  private SslContext current() {
    if (watched.haveChanged()) {
      try {
        current = files.read();
        logger.info("certificate_read file=\"{}\"", files.certificate());
      } catch (IOException e) {
        logger.error(
            "certificate_not_read file=\"{}\" why=\"{}\" - the earlier one stays in use",
            files.certificate(),
            e.getMessage());
      }
    }
    return current;
  }

  @Override
  public boolean isClient() {
    return false;
  }

  @Override
  public List<String> cipherSuites() {
    return current.cipherSuites();
  }

  @Override
  @SuppressWarnings("deprecation") // abstract in Netty's class
  public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
    return current.applicationProtocolNegotiator();
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator allocator) {
    return current().newEngine(allocator);
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator allocator, String peerHost, int peerPort) {
    return current().newEngine(allocator, peerHost, peerPort);
  }

  @Override
  public SSLSessionContext sessionContext() {
    return current.sessionContext();
  }
}
