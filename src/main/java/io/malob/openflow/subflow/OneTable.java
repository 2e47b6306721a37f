package io.malob.openflow.subflow;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.IpFamily;
import io.malob.openflow.label.Label;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPAddressWithMask;

/**
 * Joins the rules for sub-flows of a switch, which {@link Fan} makes for four tables, to those of
 * one table. There, a host's packet meets one rule only, so the rule that gives it a label also
 * does what the rules of that label would do. For {@link io.malob.openflow.RuleCompiler}. Pure.
 */
public final class OneTable {
  private final List<SubflowRule.Classify> ingress = new ArrayList<>();
  private final List<SubflowRule.Deliver> hosts = new ArrayList<>();
  private final Map<Label, List<SubflowRule.Divert>> branches = new HashMap<>();
  private final Map<Label, SubflowRule.Carry> labels = new HashMap<>();

  /** Sorts rules by what they are for. */
  private OneTable(Collection<SubflowRule> rules) {
    for (SubflowRule rule : rules) {
      // others lead to further tables
      if (rule instanceof SubflowRule.Classify classify) {
        ingress.add(classify);
      } else if (rule instanceof SubflowRule.Deliver deliver) {
        hosts.add(deliver);
      } else if (rule instanceof SubflowRule.Divert divert) {
        branches.computeIfAbsent(divert.label(), any -> new ArrayList<>()).add(divert);
      } else if (rule instanceof SubflowRule.Carry carry) {
        labels.put(carry.label(), carry);
      }
    }
  }

  /** The rules of an edge switch. */
  public static ImmutableSet<SubflowRule> ofEdge(Collection<SubflowRule> rules) {
    return new OneTable(rules).joined();
  }

  /** The rules of a switch that forwards labels and translates nothing. */
  public static ImmutableSet<SubflowRule> ofCore(Collection<SubflowRule> rules) {
    return rules.stream()
        .filter(SubflowRule.Carry.class::isInstance)
        .map(OneTable::moved)
        .collect(ImmutableSet.toImmutableSet());
  }

  private ImmutableSet<SubflowRule> joined() {
    ImmutableSet.Builder<SubflowRule> joined = ImmutableSet.builder();
    hosts.forEach(host -> joined.add(moved(host)));
    labels.values().forEach(label -> joined.add(moved(label)));
    for (SubflowRule.Classify from : ingress) {
      SubflowRule.@Nullable Carry label = labels.get(from.label());
      if (label != null) {
        joined.add(new Joined(from.place(), from, ImmutableList.of(from, label)));
      }
      branches.getOrDefault(from.label(), List.of()).stream()
          .filter(branch -> from.network().contains(branch.address()))
          .forEach(branch -> joined.add(diverted(from, branch)));
      int vlan = from.push() == 0 ? from.tag() : from.push();
      hosts.stream()
          .filter(host -> host.vlan() == vlan && from.network().contains(host.address()))
          .forEach(host -> joined.add(Local.of(from, host)));
    }
    return joined.build();
  }

  /** A rule of another table, for packets that have a label. */
  private static SubflowRule moved(SubflowRule rule) {
    int priority =
        rule instanceof SubflowRule.Deliver
            ? FlowLayout.PRIORITY_ONE_TABLE_DELIVER
            : FlowLayout.PRIORITY_LABELLED;
    return new Joined(
        new SubflowRule.Place(FlowLayout.CLASSIFY, priority, rule.step(), rule.kind()),
        rule,
        ImmutableList.of(rule));
  }

  /** Gives packets of hosts to one destination the label of another branch, and forwards them. */
  private static SubflowRule diverted(SubflowRule.Classify from, SubflowRule.Divert branch) {
    SubflowRule.Classify to =
        new SubflowRule.Classify(
            from.tag(), from.push(), from.source(), only(branch.address()), branch.branch());
    return new Joined(
        turn(FlowLayout.PRIORITY_ONE_TABLE_DIVERT, branch.kind()),
        to,
        ImmutableList.of(to, new SubflowRule.Carry(branch.branch(), Optional.of(branch.out()))));
  }

  private static SubflowRule.Place turn(int priority, CookieKind kind) {
    return new SubflowRule.Place(FlowLayout.CLASSIFY, priority, SubflowRule.Step.TURN, kind);
  }

  private static IPAddressWithMask<?> only(IPAddress<?> address) {
    return address.withMaskOfLength(Byte.SIZE * address.getLength());
  }

  /**
   * Rules of several tables in one.
   *
   * @param first matches the packets
   * @param all what is done with them, one after the other
   */
  record Joined(Place place, SubflowRule first, ImmutableList<SubflowRule> all)
      implements SubflowRule {
    @Override
    public Match match(OFFactory factory) {
      return first.match(factory);
    }

    @Override
    public List<OFAction> actions(OFFactory factory) {
      return all.stream().flatMap(rule -> rule.actions(factory).stream()).toList();
    }

    @Override
    public Optional<IPAddress<?>> delivered() {
      return first.delivered();
    }
  }

  /**
   * Delivers packets of hosts to a host of the same switch.
   *
   * @param tag the VLAN of incoming frames; 0 for none
   * @param push the VLAN that they get; 0 for none
   * @param sources the addresses of the hosts that send
   */
  record Local(int tag, int push, IPAddressWithMask<?> sources, Deliver to) implements SubflowRule {

    /**
     * Hosts that tag frames are told apart by the tag, so one rule is for all of a network. Others
     * may share the network with hosts outside the VLAN.
     */
    static Local of(Classify from, Deliver to) {
      if (from.push() == 0) {
        return new Local(from.tag(), 0, from.network(), to);
      }
      IPAddressWithMask<?> source = only(from.source());
      return to.pop()
          ? new Local(
              from.tag(),
              0,
              source,
              new Deliver(to.vlan(), false, to.address(), to.mac(), to.port()))
          : new Local(from.tag(), from.push(), source, to);
    }

    @Override
    public Place place() {
      return turn(FlowLayout.PRIORITY_ONE_TABLE_LOCAL, CookieKind.SUBFLOW_DESTINATION);
    }

    @Override
    public Match match(OFFactory factory) {
      Match.Builder match = Classify.ofHosts(factory, IpFamily.of(to.address()), tag);
      IpFamily.from(sources).andThen(IpFamily.to(to.address())).accept(match);
      return match.build();
    }

    @Override
    public List<OFAction> actions(OFFactory factory) {
      return ImmutableList.<OFAction>builder()
          .addAll(Classify.pushed(factory, push))
          .addAll(to.actions(factory))
          .build();
    }
  }
}
