package io.malob.balancer.recovery;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.SwitchRules;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The rules of VIP addresses, built once for all switches of an OpenFlow version: after a change of
 * masters, a thousand switches connect within a second, and each needs those of all VIPs.
 * Thread-safe.
 */
final class VipRules {
  private final boolean tellEnds;
  private final Map<Key, Rules> built = new ConcurrentHashMap<>();

  private record Key(OFVersion version, IPAddress<?> address) {}

  private record Rules(ImmutableList<OFMessage> vip, ImmutableList<OFMessage> tcpFlags) {}

  /**
   * Keeps no rules yet.
   *
   * @param tellEnds whether switches are to report the ends of TCP connections
   */
  VipRules(boolean tellEnds) {
    this.tellEnds = tellEnds;
  }

  /** What {@link SwitchRules#addVip} builds. */
  ImmutableList<OFMessage> add(OFFactory factory, IPAddress<?> address) {
    return rules(factory, address).vip();
  }

  /** What {@link SwitchRules#addTcpFlags} builds, with new transaction ids. */
  ImmutableList<OFMessage> addTcpFlags(OFFactory factory, IPAddress<?> address) {
    ImmutableList.Builder<OFMessage> rules = ImmutableList.builder();
    for (OFMessage rule : rules(factory, address).tcpFlags()) {
      rules.add(rule.createBuilder().setXid(factory.nextXid()).build());
    }
    return rules.build();
  }

  /** Forgets the rules of all other addresses. */
  void retain(Set<IPAddress<?>> addresses) {
    built.keySet().removeIf(key -> !addresses.contains(key.address()));
  }

  private Rules rules(OFFactory factory, IPAddress<?> address) {
    return built.computeIfAbsent(
        new Key(factory.getVersion(), address),
        key ->
            new Rules(
                ImmutableList.copyOf(SwitchRules.addVip(factory, address)),
                ImmutableList.copyOf(SwitchRules.addTcpFlags(factory, address, tellEnds))));
  }
}
