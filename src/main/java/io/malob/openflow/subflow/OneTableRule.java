package io.malob.openflow.subflow;

import io.malob.openflow.FlowLayout;
import io.malob.openflow.IpFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPAddressWithMask;
import org.projectfloodlight.openflow.types.TableId;

/** A rule of a switch with one table. {@link SubflowCompiler} makes them. Immutable. */
sealed interface OneTableRule extends SubflowRule {

  @Override
  default TableId table() {
    return FlowLayout.CLASSIFY;
  }

  @Override
  default Step step() {
    return Step.TURN;
  }

  /** A rule of another table, for packets that have a label. */
  record Moved(SubflowRule rule) implements OneTableRule {
    @Override
    public int priority() {
      return rule instanceof Deliver
          ? FlowLayout.PRIORITY_ONE_TABLE_DELIVER
          : FlowLayout.PRIORITY_LABELLED;
    }

    @Override
    public Step step() {
      return rule.step();
    }

    @Override
    public Kind kind() {
      return rule.kind();
    }

    @Override
    public Match match(OFFactory factory) {
      return rule.match(factory);
    }

    @Override
    public List<OFAction> actions(OFFactory factory) {
      return rule.actions(factory);
    }

    @Override
    public Optional<IPAddress<?>> delivered() {
      return rule.delivered();
    }
  }

  /**
   * Gives packets of hosts a label, and forwards them.
   *
   * @param label forwards it
   */
  record Enter(Classify from, Carry label) implements OneTableRule {
    @Override
    public int priority() {
      return from.priority();
    }

    @Override
    public Kind kind() {
      return Kind.INGRESS;
    }

    @Override
    public Match match(OFFactory factory) {
      return from.match(factory);
    }

    @Override
    public List<OFAction> actions(OFFactory factory) {
      return then(from.actions(factory), label.actions(factory));
    }
  }

  /** The same for one destination, on another branch. */
  record EnterBranch(Classify from, Divert branch) implements OneTableRule {
    @Override
    public int priority() {
      return FlowLayout.PRIORITY_ONE_TABLE_DIVERT;
    }

    @Override
    public Kind kind() {
      return Kind.DIVERSION;
    }

    @Override
    public Match match(OFFactory factory) {
      Match.Builder match = Classify.ofHosts(factory, IpFamily.of(from.source()), from.tag());
      IpFamily.from(from.source()).andThen(IpFamily.to(branch.address())).accept(match);
      return match.build();
    }

    @Override
    public List<OFAction> actions(OFFactory factory) {
      return then(Classify.pushed(factory, from.push()), branch.actions(factory));
    }
  }

  /**
   * Delivers packets of hosts to a host of the same switch.
   *
   * @param tag the VLAN of incoming frames; 0 for none
   * @param push the VLAN that they get; 0 for none
   * @param sources the addresses of the hosts that send
   */
  record Local(int tag, int push, IPAddressWithMask<?> sources, Deliver to)
      implements OneTableRule {
    @Override
    public int priority() {
      return FlowLayout.PRIORITY_ONE_TABLE_LOCAL;
    }

    @Override
    public Kind kind() {
      return Kind.DESTINATION;
    }

    @Override
    public Match match(OFFactory factory) {
      Match.Builder match = Classify.ofHosts(factory, IpFamily.of(to.address()), tag);
      IpFamily.from(sources).andThen(IpFamily.to(to.address())).accept(match);
      return match.build();
    }

    @Override
    public List<OFAction> actions(OFFactory factory) {
      return then(Classify.pushed(factory, push), to.actions(factory));
    }
  }

  private static List<OFAction> then(List<OFAction> first, List<OFAction> next) {
    List<OFAction> all = new ArrayList<>(first);
    all.addAll(next);
    return all;
  }
}
