package io.malob.state.catalog;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The health checks of a pool's members, and their effect.
 *
 * @param id its id in URLs
 * @param name a display name, which may be empty
 * @param poolId the pool whose members are checked, which exists and has no other monitor; null for
 *     none, then there are no checks
 * @param type the kind of check
 * @param delaySeconds the interval between two checks of a member, from 1 to {@link #MAX_SECONDS}
 * @param timeoutSeconds the max time until an answer, from 1 to {@code delaySeconds}; for an agent,
 *     the max age of its last report, up to {@link #MAX_SECONDS}
 * @param rise the number of successful checks in a row that bring a member up
 * @param fall the number of failures in a row that takes a member down
 * @param port the port of TCP and HTTP checks; null for the member's, or else the VIP's
 * @param onDown the treatment of a down member's open connections
 * @param http the HTTP check; null for other types
 * @param adminState up or down; if down, it does not check
 * @param notes descriptions without effect
 */
public record Monitor(
    String id,
    String name,
    @Nullable String poolId,
    Type type,
    int delaySeconds,
    int timeoutSeconds,
    int rise,
    int fall,
    @Nullable Integer port,
    OnDown onDown,
    @Nullable HttpCheck http,
    AdminState adminState,
    Notes notes)
    implements CatalogItem {

  /** The max delay, and therefore the max timeout. */
  public static final int MAX_SECONDS = 3_600;

  /** The max number of checks for a verdict. */
  public static final int MAX_ATTEMPTS = 100;

  /** The kind of check. */
  public enum Type {
    /** The member answers an ICMP echo request. */
    PING,
    /** The member accepts a TCP connection, which is not completed. */
    TCP,
    /** The member answers an HTTP request of the controller, over a management network. */
    HTTP,
    /** The member's agent has reported within the timeout, and its service answers. */
    AGENT;

    /** Whether checks reach the member through its switch. */
    public boolean usesDataPlane() {
      return this == PING || this == TCP;
    }
  }

  /** The treatment of a down member's open connections. */
  public enum OnDown {
    /** Both ends are reset at once. */
    RESET,
    /** They are kept. */
    KEEP;

    /** The name in REST. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
