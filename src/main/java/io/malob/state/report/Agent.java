package io.malob.state.report;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableSet;
import java.util.Optional;
import javax.crypto.spec.SecretKeySpec;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * An agent that may report. Immutable.
 *
 * @param key for HMAC-SHA-256; empty if it only sends unsigned reports
 * @param address its own: its reports are about this host, and come from it
 * @param otherAddresses more addresses of the same host, such as that of IPv6
 * @param formerKey the previous one, which stays valid for a while after a change
 */
public record Agent(
    String id,
    Kind kind,
    IPAddress<?> address,
    ImmutableSet<IPAddress<?>> otherAddresses,
    Optional<SecretKeySpec> key,
    Optional<FormerKey> formerKey) {

  /**
   * A key that has been replaced.
   *
   * @param untilMillis the end of its validity, in milliseconds since the epoch
   */
  public record FormerKey(SecretKeySpec key, long untilMillis) {}

  /** An agent with one address, whose key is its first one. */
  public Agent(String id, Kind kind, IPAddress<?> address, Optional<SecretKeySpec> key) {
    this(id, kind, address, ImmutableSet.of(), key, Optional.empty());
  }

  /** All addresses of its host. */
  public ImmutableSet<IPAddress<?>> addresses() {
    return ImmutableSet.<IPAddress<?>>builder().add(address).addAll(otherAddresses).build();
  }

  /** Whether this report is signed with a key of this agent that is valid at that time. */
  boolean hasSigned(SignedReport report, long nowMillis) {
    return key.filter(report::isSignedWith).isPresent()
        || formerKey
            .filter(former -> nowMillis < former.untilMillis && report.isSignedWith(former.key))
            .isPresent();
  }

  /** The subject of an agent's reports. */
  public enum Kind {
    SERVER,
    LINK;

    /** The name in JSON. */
    public String label() {
      return Ascii.toLowerCase(name());
    }
  }

  /** The JDK's name of the signature algorithm. */
  static final String HMAC = "HmacSHA256";
}
