package io.malob.state.report;

import java.util.Optional;
import javax.crypto.spec.SecretKeySpec;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * An agent that may report. Immutable.
 *
 * @param key for HMAC-SHA-256; empty if it only sends unsigned reports
 * @param address its own: what it reports is about the host there
 * @param formerKey the one before, which counts for a while after a change
 */
public record Agent(
    String id,
    Kind kind,
    IPAddress<?> address,
    Optional<SecretKeySpec> key,
    Optional<FormerKey> formerKey) {

  /**
   * A key that has been replaced.
   *
   * @param untilMillis when it ends to count, in milliseconds since the epoch
   */
  public record FormerKey(SecretKeySpec key, long untilMillis) {}

  /** An agent whose key is its first one. */
  public Agent(String id, Kind kind, IPAddress<?> address, Optional<SecretKeySpec> key) {
    this(id, kind, address, key, Optional.empty());
  }

  /** Whether this report is signed with a key of this agent that counts at that time. */
  boolean hasSigned(SignedReport report, long nowMillis) {
    return key.filter(report::isSignedWith).isPresent()
        || formerKey
            .filter(former -> nowMillis < former.untilMillis && report.isSignedWith(former.key))
            .isPresent();
  }

  /** What an agent reports about. */
  public enum Kind {
    SERVER("server"),
    LINK("link");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    /** The name in JSON. */
    public String label() {
      return label;
    }
  }

  /** The algorithm of signatures, as the JDK calls it. */
  static final String HMAC = "HmacSHA256";
}
