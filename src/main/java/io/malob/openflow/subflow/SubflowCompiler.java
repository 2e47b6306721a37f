package io.malob.openflow.subflow;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSetMultimap;
import io.malob.openflow.TableLayout;
import io.malob.openflow.label.Label;
import io.malob.openflow.subflow.SubflowRule.Carry;
import io.malob.openflow.subflow.SubflowRule.Classify;
import io.malob.openflow.subflow.SubflowRule.Deliver;
import io.malob.openflow.subflow.SubflowRule.Divert;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPAddressWithMask;

/**
 * Compiles all rules for sub-flows of a switch with four tables, which {@link Fan} makes, into
 * those of a switch with fewer. In one table, a host's packet meets one rule only, so the rule that
 * gives it a label also does what the rules of that label would do. Pure.
 */
public final class SubflowCompiler {
  private SubflowCompiler() {}

  /**
   * The rules of all switches.
   *
   * @param layouts of switches; null while unknown, then four tables are assumed
   */
  public static ImmutableSetMultimap<DatapathId, SubflowRule> compile(
      Function<DatapathId, @Nullable TableLayout> layouts,
      ImmutableSetMultimap<DatapathId, SubflowRule> rules) {
    ImmutableSetMultimap.Builder<DatapathId, SubflowRule> compiled = ImmutableSetMultimap.builder();
    for (DatapathId switchId : rules.keySet()) {
      @Nullable TableLayout layout = layouts.apply(switchId);
      compiled.putAll(
          switchId,
          compile(layout == null ? TableLayout.FOUR_TABLES : layout, rules.get(switchId)));
    }
    return compiled.build();
  }

  /** The rules of a switch of that layout instead of these. */
  public static ImmutableSet<SubflowRule> compile(
      TableLayout layout, ImmutableSet<SubflowRule> rules) {
    return switch (layout) {
      case FOUR_TABLES -> rules;
      case ONE_TABLE, ONE_TABLE_WITH_GROUPS -> new OneTable(rules).compiled();
      case LABELS_ONLY ->
          rules.stream()
              .filter(Carry.class::isInstance)
              .map(OneTableRule.Moved::new)
              .collect(ImmutableSet.toImmutableSet());
    };
  }

  /** The rules of one switch by what they are for. */
  private static final class OneTable {
    private final List<Classify> ingress = new ArrayList<>();
    private final List<Deliver> hosts = new ArrayList<>();
    private final Map<Label, List<Divert>> branches = new HashMap<>();
    private final Map<Label, Carry> labels = new HashMap<>();

    OneTable(Collection<SubflowRule> rules) {
      for (SubflowRule rule : rules) {
        // others lead to further tables
        if (rule instanceof Classify classify) {
          ingress.add(classify);
        } else if (rule instanceof Deliver deliver) {
          hosts.add(deliver);
        } else if (rule instanceof Divert divert) {
          branches.computeIfAbsent(divert.label(), any -> new ArrayList<>()).add(divert);
        } else if (rule instanceof Carry carry) {
          labels.put(carry.label(), carry);
        }
      }
    }

    ImmutableSet<SubflowRule> compiled() {
      ImmutableSet.Builder<SubflowRule> compiled = ImmutableSet.builder();
      hosts.forEach(host -> compiled.add(new OneTableRule.Moved(host)));
      labels.values().forEach(label -> compiled.add(new OneTableRule.Moved(label)));
      for (Classify from : ingress) {
        @Nullable Carry label = labels.get(from.label());
        if (label != null) {
          compiled.add(new OneTableRule.Enter(from, label));
        }
        branches.getOrDefault(from.label(), List.of()).stream()
            .filter(branch -> from.network().contains(branch.address()))
            .forEach(branch -> compiled.add(new OneTableRule.EnterBranch(from, branch)));
        int vlan = from.push() == 0 ? from.tag() : from.push();
        hosts.stream()
            .filter(host -> host.vlan() == vlan && from.network().contains(host.address()))
            .forEach(host -> compiled.add(local(from, host)));
      }
      return compiled.build();
    }

    /**
     * Hosts that tag frames are told apart by the tag, so one rule is for all of a network. Others
     * may share the network with hosts outside the VLAN.
     */
    private static OneTableRule local(Classify from, Deliver to) {
      boolean isInVlan = from.push() == 0;
      IPAddress<?> source = from.source();
      IPAddressWithMask<?> sources =
          isInVlan ? from.network() : source.withMaskOfLength(Byte.SIZE * source.getLength());
      return to.pop() && !isInVlan
          ? new OneTableRule.Local(
              from.tag(),
              0,
              sources,
              new Deliver(to.vlan(), false, to.address(), to.mac(), to.port()))
          : new OneTableRule.Local(from.tag(), from.push(), sources, to);
    }
  }
}
