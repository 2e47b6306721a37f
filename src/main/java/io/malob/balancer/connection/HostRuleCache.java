package io.malob.balancer.connection;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Attachment;
import io.malob.openflow.HostRules;
import io.malob.openflow.NextHopMac;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The host rules that switches have, so that a rule is sent once and not with every connection.
 * Bounded by the rules themselves, which expire when they are unused. Thread-safe. Not a Guava
 * cache: a look-up is on the placement path, and an entry ends with its rule.
 */
public final class HostRuleCache {
  /**
   * The idle timeout of a doubtful host's rules: longer than both rules of a brief connection live.
   */
  private static final int DOUBTFUL_SECONDS = 15;

  private final int idleSeconds;
  private final Map<Key, Attachment> installed = new ConcurrentHashMap<>();

  /** Where the next hops are that have rules without a timeout, by their numbers. */
  private final Map<MacAddress, Attachment> lasting = new ConcurrentHashMap<>();

  /**
   * An empty cache.
   *
   * @param idleSeconds the idle timeout of host rules
   */
  public HostRuleCache(int idleSeconds) {
    this.idleSeconds = idleSeconds;
  }

  /**
   * The messages to send to a next hop's switch before packets for it; empty if the switch has the
   * rules.
   */
  List<OFMessage> missing(OFFactory factory, Attachment at) {
    return missing(factory, at, idleSeconds);
  }

  /**
   * The messages that give a switch rules without a timeout for a next hop of a proactive VIP;
   * empty if it has some.
   */
  public List<OFMessage> missingLasting(OFFactory factory, Attachment at) {
    Key key = Key.of(at);
    if (at.equals(lasting.get(key.nextHop)) && at.equals(installed.get(key))) {
      return List.of();
    }
    installed.remove(key);
    List<OFMessage> rules = missing(factory, at, 0);
    lasting.put(key.nextHop, at);
    return rules;
  }

  /**
   * Where a next hop had rules without a timeout before it came to another switch. They have to go:
   * in one table, they would take packets for it that are on their way to its new switch.
   */
  public Optional<Attachment> left(Attachment now) {
    return Optional.ofNullable(lasting.get(NextHopMac.of(now)))
        .filter(before -> !before.switchId().equals(now.switchId()));
  }

  /** The next hop with that number, if it has rules without a timeout. */
  Optional<Attachment> lasting(MacAddress number) {
    return Optional.ofNullable(lasting.get(number));
  }

  /** Like {@link #missing}, with a shorter idle timeout, for a host that may not exist. */
  List<OFMessage> missingOfDoubtful(OFFactory factory, Attachment at) {
    return missing(factory, at, Math.min(DOUBTFUL_SECONDS, idleSeconds));
  }

  /**
   * The messages that give a next hop's switch its rules, which it may have, with their whole idle
   * timeout; empty if they have none. That for packets from its own port may be about to expire
   * although the other is in use, and then that one would take the packets, and switches drop them.
   */
  List<OFMessage> renewed(OFFactory factory, Attachment at) {
    Key key = Key.of(at);
    if (!at.equals(lasting.get(key.nextHop))) {
      installed.remove(key, at);
    }
    return missing(factory, at);
  }

  private List<OFMessage> missing(OFFactory factory, Attachment at, int seconds) {
    Key key = Key.of(at);
    // get before put: most connections find the rule, and get takes no lock
    if (at.equals(installed.get(key))) {
      return List.of();
    }
    @Nullable Attachment before = installed.put(key, at);
    if (at.equals(before)) {
      return List.of();
    }
    List<OFMessage> rules = HostRules.add(factory, at, seconds);
    return before == null
        ? rules
        : ImmutableList.<OFMessage>builder()
            .add(HostRules.removeSamePort(factory, before))
            .addAll(rules)
            .build();
  }

  /**
   * The messages to send to the switch that a next hop has left; empty if it has no rules for it.
   */
  public List<OFMessage> superfluous(OFFactory factory, Attachment before) {
    return installed.remove(Key.of(before), before) ? HostRules.remove(factory, before) : List.of();
  }

  /** The rule of a next hop has ended at its switch. */
  public void ended(Attachment at) {
    ended(at.switchId(), NextHopMac.of(at));
  }

  /**
   * A host rule of a switch has ended.
   *
   * @param nextHop the number of its next hop
   */
  public void ended(DatapathId switchId, MacAddress nextHop) {
    installed.remove(new Key(switchId, nextHop));
  }

  /** A switch has lost all its rules. */
  public void reset(DatapathId switchId) {
    installed.keySet().removeIf(key -> key.switchId.equals(switchId));
    lasting.values().removeIf(at -> at.switchId().equals(switchId));
  }

  private record Key(DatapathId switchId, MacAddress nextHop) {
    static Key of(Attachment at) {
      return new Key(at.switchId(), NextHopMac.of(at));
    }
  }
}
