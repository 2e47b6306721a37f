package io.malob.balancer.connection;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.openflow.HostRules;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;

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

  /** Where the hosts are that have rules without a timeout. */
  private final Map<Integer, Attachment> lasting = new ConcurrentHashMap<>();

  /**
   * An empty cache.
   *
   * @param idleSeconds the idle timeout of host rules
   */
  public HostRuleCache(int idleSeconds) {
    this.idleSeconds = idleSeconds;
  }

  /**
   * The messages to send to a host's switch before packets for the host; empty if the switch has
   * the rules.
   */
  List<OFMessage> missing(OFFactory factory, int address, Attachment at) {
    return missing(factory, address, at, idleSeconds);
  }

  /**
   * The messages that give a switch rules without a timeout for a host of a proactive VIP; empty if
   * it has some.
   */
  public List<OFMessage> missingLasting(OFFactory factory, int address, Attachment at) {
    Key key = new Key(at.switchId(), address);
    if (at.equals(lasting.get(address)) && at.equals(installed.get(key))) {
      return List.of();
    }
    installed.remove(key);
    List<OFMessage> rules = missing(factory, address, at, 0);
    lasting.put(address, at);
    return rules;
  }

  /**
   * Where a host had rules without a timeout before it came to another switch. They have to go: in
   * one table, they would take packets for the host that are on their way to its new switch.
   */
  public Optional<Attachment> left(int address, Attachment now) {
    return Optional.ofNullable(lasting.get(address))
        .filter(before -> !before.switchId().equals(now.switchId()));
  }

  /** Like {@link #missing}, with a shorter idle timeout, for a host that may not exist. */
  List<OFMessage> missingOfDoubtful(OFFactory factory, int address, Attachment at) {
    return missing(factory, address, at, Math.min(DOUBTFUL_SECONDS, idleSeconds));
  }

  /**
   * The messages that give a host's switch its rules, which it may have, with their whole idle
   * timeout; empty if they have none. That for packets from its own port may be about to expire
   * although the other is in use, and then that one would take the packets, and switches drop them.
   */
  List<OFMessage> renewed(OFFactory factory, int address, Attachment at) {
    if (!at.equals(lasting.get(address))) {
      installed.remove(new Key(at.switchId(), address), at);
    }
    return missing(factory, address, at);
  }

  private List<OFMessage> missing(OFFactory factory, int address, Attachment at, int seconds) {
    Key key = new Key(at.switchId(), address);
    // get before put: most connections find the rule, and get takes no lock
    if (at.equals(installed.get(key))) {
      return List.of();
    }
    @Nullable Attachment before = installed.put(key, at);
    if (at.equals(before)) {
      return List.of();
    }
    List<OFMessage> rules = HostRules.add(factory, AddressKey.toAddress(address), at, seconds);
    return before == null || before.port().equals(at.port())
        ? rules
        : ImmutableList.<OFMessage>builder()
            .add(HostRules.removeSamePort(factory, AddressKey.toAddress(address), before.port()))
            .addAll(rules)
            .build();
  }

  /**
   * The messages to send to the switch that a host has left; empty if it has no rules for the host.
   */
  public List<OFMessage> superfluous(OFFactory factory, int address, Attachment before) {
    return installed.remove(new Key(before.switchId(), address), before)
        ? HostRules.remove(factory, AddressKey.toAddress(address), before.port())
        : List.of();
  }

  /** A host rule of a switch has ended. */
  public void ended(DatapathId switchId, int address) {
    installed.remove(new Key(switchId, address));
  }

  /** A switch has lost all its rules. */
  public void reset(DatapathId switchId) {
    installed.keySet().removeIf(key -> key.switchId.equals(switchId));
    lasting.values().removeIf(at -> at.switchId().equals(switchId));
  }

  private record Key(DatapathId switchId, int address) {}
}
