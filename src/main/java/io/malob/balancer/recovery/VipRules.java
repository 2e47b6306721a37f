package io.malob.balancer.recovery;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.openflow.Rule;
import io.malob.openflow.SwitchRules;
import io.malob.openflow.VipPlace;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;

/**
 * The rules of VIP addresses, built once for all switches of an OpenFlow version: after a change of
 * masters, a thousand switches connect within a second, and each needs those of all VIPs. For one
 * thread at a time.
 */
final class VipRules {
  private final boolean tellEnds;
  private ImmutableMap<Object, VipRule> rules = ImmutableMap.of();

  /** The rules of one address. */
  static final class VipRule implements Rule {
    private final VipPlace vip;
    private final boolean tellEnds;
    private final Map<OFVersion, Built> built = new EnumMap<>(OFVersion.class);

    private record Built(ImmutableList<OFMessage> vip, ImmutableList<OFMessage> tcpFlags) {}

    private VipRule(VipPlace vip, boolean tellEnds) {
      this.vip = vip;
      this.tellEnds = tellEnds;
    }

    @Override
    public Object key() {
      return vip;
    }

    /** What {@link SwitchRules#addVip} builds. */
    @Override
    public ImmutableList<OFMessage> add(OFFactory factory) {
      return built(factory).vip;
    }

    @Override
    public List<OFMessage> remove(OFFactory factory) {
      return SwitchRules.removeVip(factory, vip);
    }

    private Built built(OFFactory factory) {
      return built.computeIfAbsent(
          factory.getVersion(),
          any ->
              new Built(
                  ImmutableList.copyOf(SwitchRules.addVip(factory, vip)),
                  ImmutableList.copyOf(SwitchRules.addTcpFlags(factory, vip, tellEnds))));
    }
  }

  /**
   * No rules yet.
   *
   * @param tellEnds whether switches are to report the ends of TCP connections
   */
  VipRules(boolean tellEnds) {
    this.tellEnds = tellEnds;
  }

  /** The rules of these VIPs, by them; those of all others are forgotten. */
  ImmutableMap<Object, VipRule> of(Set<VipPlace> vips) {
    if (!rules.keySet().equals(vips)) {
      ImmutableMap<Object, VipRule> before = rules;
      rules =
          vips.stream()
              .collect(
                  toImmutableMap(
                      vip -> vip,
                      vip ->
                          Objects.requireNonNullElseGet(
                              before.get(vip), () -> new VipRule(vip, tellEnds))));
    }
    return rules;
  }

  /** What {@link SwitchRules#addTcpFlags} builds for one of them, with new transaction ids. */
  List<OFMessage> addTcpFlags(OFFactory factory, VipPlace vip) {
    @Nullable VipRule rule = rules.get(vip);
    return rule == null
        ? List.of()
        : rule.built(factory).tcpFlags.stream()
            .<OFMessage>map(each -> each.createBuilder().setXid(factory.nextXid()).build())
            .toList();
  }
}
