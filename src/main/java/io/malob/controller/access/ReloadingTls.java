package io.malob.controller.access;

import io.malob.file.CertificateFiles;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.util.List;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;

/**
 * The context of a TLS port, with the certificates that its files have now. A new connection reads
 * changed files; open connections keep their certificates. Safe for use by several threads.
 */
final class ReloadingTls extends SslContext {
  private final CertificateFiles<SslContext> current;

  /**
   * Reads the files.
   *
   * @param nanoTime counts nanoseconds
   * @throws IOException naming the file that cannot be used
   */
  ReloadingTls(TlsFiles files, LongSupplier nanoTime) throws IOException {
    current = new CertificateFiles<>(files.all(), files::read, nanoTime);
  }

  @Override
  public boolean isClient() {
    return false;
  }

  @Override
  public List<String> cipherSuites() {
    return current.get().cipherSuites();
  }

  @Override
  @SuppressWarnings("deprecation") // abstract in Netty's class
  public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
    return current.get().applicationProtocolNegotiator();
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator allocator) {
    return current.get().newEngine(allocator);
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator allocator, String peerHost, int peerPort) {
    return current.get().newEngine(allocator, peerHost, peerPort);
  }

  @Override
  public SSLSessionContext sessionContext() {
    return current.get().sessionContext();
  }
}
