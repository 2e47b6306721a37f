package io.malob.controller.access;

import com.google.common.collect.ImmutableList;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The context of a TLS port, with the certificates that its files have now. A new connection checks
 * the files, at most once in {@value #INTERVAL_SECONDS} s, and reads them if they have changed and
 * then were left alone for as long, because they are replaced one by one. Files that cannot be used
 * are reported once, and the earlier certificates stay in use. Open connections keep theirs. Safe
 * for use by several threads.
 */
final class ReloadingTls extends SslContext {
  static final long INTERVAL_SECONDS = 5;

  private static final Logger logger = LoggerFactory.getLogger(ReloadingTls.class);
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(INTERVAL_SECONDS);

  private final TlsFiles files;
  private final LongSupplier nanoTime;
  private final AtomicLong nextCheckNanos;
  private volatile SslContext current;

  // of the thread that checks
  private volatile ImmutableList<Object> read;
  private volatile ImmutableList<Object> seen;

  /**
   * Reads the files.
   *
   * @param nanoTime counts nanoseconds
   * @throws IOException naming the file that cannot be used
   */
  ReloadingTls(TlsFiles files, LongSupplier nanoTime) throws IOException {
    this.files = files;
    this.nanoTime = nanoTime;
    read = versions();
    seen = read;
    current = files.read();
    nextCheckNanos = new AtomicLong(nanoTime.getAsLong() + INTERVAL_NANOS);
  }

  private SslContext current() {
    long now = nanoTime.getAsLong();
    long due = nextCheckNanos.get();
    if (now - due >= 0 && nextCheckNanos.compareAndSet(due, now + INTERVAL_NANOS)) {
      check();
    }
    return current;
  }

  private void check() {
    ImmutableList<Object> before = seen;
    ImmutableList<Object> now = versions();
    seen = now;
    if (now.equals(read) || !now.equals(before)) {
      return;
    }
    read = now;
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

  /** What changes when a file is replaced or written. */
  private ImmutableList<Object> versions() {
    ImmutableList.Builder<Object> versions = ImmutableList.builder();
    for (Path file : files.all()) {
      try {
        BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
        versions.add(now.lastModifiedTime(), now.size(), String.valueOf(now.fileKey()));
      } catch (IOException e) {
        versions.add("missing");
      }
    }
    return versions.build();
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
