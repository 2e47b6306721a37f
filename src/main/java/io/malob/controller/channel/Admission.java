package io.malob.controller.channel;

import com.google.common.collect.ImmutableSet;
import io.netty.handler.ssl.SslContext;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.LoggerFactory;

/** The rules for connections of switches. Safe for use by several threads. */
public final class Admission {
  /** Every switch, without TLS. */
  public static final Admission EVERYONE =
      new Admission(Optional.empty(), ImmutableSet.of(), System::nanoTime);

  private final Optional<SslContext> tls;
  private final ImmutableSet<DatapathId> listed;
  private final RareWarning unlisted;

  /**
   * These rules.
   *
   * @param tls the TLS context; empty: plain OpenFlow
   * @param listed the switches that may connect; empty: all
   */
  public Admission(
      Optional<SslContext> tls, ImmutableSet<DatapathId> listed, LongSupplier nanoTime) {
    this.tls = tls;
    this.listed = listed;
    unlisted =
        new RareWarning(LoggerFactory.getLogger(Admission.class), "switch_not_listed", nanoTime);
  }

  Optional<SslContext> tls() {
    return tls;
  }

  boolean admits(DatapathId id) {
    return listed.isEmpty() || listed.contains(id);
  }

  /** Counts a refused switch; it retries forever, so not each attempt is logged. */
  void unlisted(DatapathId id, String peer) {
    unlisted.warn(id + " from " + peer);
  }

  /** How often a switch was refused because it is not listed. */
  long unlistedCount() {
    return unlisted.count();
  }
}
