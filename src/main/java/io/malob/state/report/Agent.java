package io.malob.state.report;

import java.util.Optional;
import javax.crypto.spec.SecretKeySpec;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * An agent that may report. Immutable.
 *
 * @param key for HMAC-SHA-256; empty if it only sends unsigned reports
 * @param address its own: what it reports is about the host there
 */
public record Agent(String id, Kind kind, IPv4Address address, Optional<SecretKeySpec> key) {

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
