package io.malob.state.catalog;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the members of a pool are checked, and what follows from that.
 *
 * @param id what it is called in URLs
 * @param name a text for people
 * @param poolId the pool whose members are checked, which is there and has no other monitor; null
 *     for none, and then nothing is checked
 * @param type what a check is
 * @param delaySeconds from one check of a member to the next, from 1 to {@link #MAX_SECONDS}
 * @param timeoutSeconds how long an answer may take, from 1 to {@code delaySeconds}; for an agent,
 *     how old its last report may be, up to {@link #MAX_SECONDS}
 * @param rise how many checks in a row must pass for a member that is down to be up again
 * @param fall the number of failures in a row that takes a member down
 * @param port the port that TCP and HTTP checks are for; null for the member's, or else the VIP's
 * @param onDown what becomes of the open connections of a member that is down
 * @param http what an HTTP check asks for; null for other types
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
    @Nullable HttpCheck http)
    implements CatalogItem {

  /** The longest delay, and so the longest time-out. */
  public static final int MAX_SECONDS = 3_600;

  /** The most checks that a verdict may take. */
  public static final int MAX_ATTEMPTS = 100;

  /** What a check is. */
  public enum Type {
    /** The member answers an ICMP echo request. */
    PING,
    /** The member accepts a TCP connection, which is not completed. */
    TCP,
    /** The member answers an HTTP request of the controller's own, over a management network. */
    HTTP,
    /** The member's agent has reported within the time-out, and not that its service is silent. */
    AGENT
  }

  /** What becomes of the open connections of a member that is down. */
  public enum OnDown {
    /** Both ends are reset at once. */
    RESET,
    /** They are left to themselves. */
    KEEP;

    /** As it is written in requests and answers. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  public Map<String, @Nullable Object> fields() {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("id", id);
    fields.put("name", name);
    fields.put("type", type.toString());
    fields.put("pool_id", poolId);
    fields.put("delay", delaySeconds);
    fields.put("timeout", timeoutSeconds);
    fields.put("rise", rise);
    fields.put("attempts_before_deactivation", fall);
    fields.put("port", port);
    fields.put("on_down", onDown.toString());
    HttpCheck.addFields(http, fields);
    return fields;
  }

  /** The same monitor of no pool. */
  Monitor withoutPool() {
    return new Monitor(
        id, name, null, type, delaySeconds, timeoutSeconds, rise, fall, port, onDown, http);
  }
}
