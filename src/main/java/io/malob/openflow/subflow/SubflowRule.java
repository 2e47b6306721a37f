package io.malob.openflow.subflow;

import io.malob.openflow.CookieField;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.IpFamily;
import io.malob.openflow.RuleKey;
import io.malob.openflow.label.Label;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPAddressWithMask;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.OFVlanVidMatch;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/**
 * One rule for sub-flows at one switch, independent of the OpenFlow version. Two that are equal do
 * the same; of two with equal {@link #key()}s, a switch has the later one. Immutable.
 */
public sealed interface SubflowRule
    permits SubflowRule.Labelled,
        SubflowRule.Classify,
        SubflowRule.Deliver,
        SubflowRule.Divert,
        SubflowRule.Carry,
        OneTable.Joined,
        OneTable.Local {

  /** The order of installation: rules that send packets to other rules come after those. */
  enum Step {
    /** No packet reaches it yet. */
    AHEAD,
    /** Leads packets to rules of the other step. */
    TURN
  }

  /**
   * Where a rule is, and when it is installed.
   *
   * @param kind identifies it in dumps of a switch's tables
   */
  record Place(TableId table, int priority, Step step, CookieKind kind) {}

  Place place();

  default Step step() {
    return place().step;
  }

  Match match(OFFactory factory);

  /** What is applied to packets at once. */
  List<OFAction> actions(OFFactory factory);

  default List<OFInstruction> instructions(OFFactory factory) {
    return List.of(factory.instructions().applyActions(actions(factory)));
  }

  /** By this a rule is found on its switch. */
  default RuleKey key() {
    return rule(OFFactories.getFactory(OFVersion.OF_13));
  }

  private RuleKey rule(OFFactory factory) {
    return new RuleKey(place().table, place().priority, match(factory));
  }

  /**
   * Adds it, or replaces the rule with the same key.
   *
   * @param epoch of the switch's rules, from 0 to 65535
   */
  default OFMessage add(OFFactory factory, int epoch) {
    U64 cookie = kind().cookie(CookieField.EPOCH.at(epoch));
    return rule(factory).add(factory, cookie).setInstructions(instructions(factory)).build();
  }

  /** Deletes it, or the rule with the same key. */
  default OFMessage delete(OFFactory factory) {
    return rule(factory).delete(factory);
  }

  default CookieKind kind() {
    return place().kind;
  }

  /** The address that it delivers packets with a label to; empty if it does not. */
  default Optional<IPAddress<?>> delivered() {
    return Optional.empty();
  }

  /** Lets packets with a label of sub-flows bypass all other rules of the first table. */
  record Labelled() implements SubflowRule {
    @Override
    public Place place() {
      return new Place(
          FlowLayout.CLASSIFY,
          FlowLayout.PRIORITY_LABELLED,
          Step.AHEAD,
          CookieKind.SUBFLOW_LABELLED);
    }

    @Override
    public Match match(OFFactory factory) {
      return SubflowRule.labelled(factory.buildMatch()).build();
    }

    @Override
    public List<OFAction> actions(OFFactory factory) {
      return List.of();
    }

    @Override
    public List<OFInstruction> instructions(OFFactory factory) {
      return List.of(factory.instructions().gotoTable(FlowLayout.LABELS));
    }
  }

  /**
   * At the ingress switch: packets from an address of a host within its subnet get the label of its
   * identity.
   *
   * @param tag the VLAN of incoming frames; 0 for none
   * @param push the VLAN that they get; 0 for none
   * @param network where the destination must be; others are reached as ever
   */
  record Classify(int tag, int push, IPAddress<?> source, IPAddressWithMask<?> network, Label label)
      implements SubflowRule {
    /** Broadcasts within the network are not for one host. */
    private static final MacAddress GROUP_BIT = MacAddress.of("01:00:00:00:00:00");

    @Override
    public Place place() {
      return new Place(
          FlowLayout.CLASSIFY, FlowLayout.PRIORITY_SUBFLOW, Step.TURN, CookieKind.SUBFLOW_INGRESS);
    }

    @Override
    public Match match(OFFactory factory) {
      Match.Builder match = ofHosts(factory, IpFamily.of(source), tag);
      IpFamily.from(source).andThen(IpFamily.to(network)).accept(match);
      return match.build();
    }

    /** Packets of this family to one host, in frames with this tag. */
    static Match.Builder ofHosts(OFFactory factory, IpFamily family, int tag) {
      Match.Builder match =
          factory.buildMatch().setMasked(MatchField.ETH_DST, MacAddress.NONE, GROUP_BIT);
      family.any().accept(match);
      return match.setExact(MatchField.VLAN_VID, vlanId(tag));
    }

    /** Gives frames the tag of this VLAN; nothing for 0. */
    static List<OFAction> pushed(OFFactory factory, int vlan) {
      return vlan == 0
          ? List.of()
          : List.of(
              factory.actions().pushVlan(EthType.VLAN_FRAME),
              factory.actions().setField(factory.oxms().vlanVid(vlanId(vlan))));
    }

    @Override
    public List<OFAction> actions(OFFactory factory) {
      List<OFAction> actions = new ArrayList<>(pushed(factory, push));
      actions.add(factory.actions().setField(factory.oxms().ethDst(label.mac())));
      return actions;
    }

    @Override
    public List<OFInstruction> instructions(OFFactory factory) {
      return List.of(
          factory.instructions().applyActions(actions(factory)),
          factory.instructions().gotoTable(FlowLayout.LABELS));
    }
  }

  /**
   * At the switch of a host: delivers packets to one of its addresses, with any label.
   *
   * @param vlan that packets for it have; 0 for none
   * @param pop whether the tag is taken off
   */
  record Deliver(int vlan, boolean pop, IPAddress<?> address, MacAddress mac, OFPort port)
      implements SubflowRule {
    @Override
    public Place place() {
      return new Place(
          FlowLayout.LABELS,
          FlowLayout.PRIORITY_DELIVER,
          Step.AHEAD,
          CookieKind.SUBFLOW_DESTINATION);
    }

    @Override
    public Match match(OFFactory factory) {
      Match.Builder match = SubflowRule.labelled(factory.buildMatch());
      IpFamily.of(address).any().accept(match);
      match.setExact(MatchField.VLAN_VID, vlanId(vlan));
      IpFamily.to(address).accept(match);
      return match.build();
    }

    @Override
    public List<OFAction> actions(OFFactory factory) {
      List<OFAction> actions = new ArrayList<>();
      if (pop) {
        actions.add(factory.actions().popVlan());
      }
      actions.add(factory.actions().setField(factory.oxms().ethDst(mac)));
      actions.add(factory.actions().output(port, Integer.MAX_VALUE));
      return actions;
    }

    @Override
    public Optional<IPAddress<?>> delivered() {
      return Optional.of(address);
    }
  }

  /**
   * At the ingress switch: packets to an address that the first branch of a route does not reach
   * use another branch.
   *
   * @param label of the first branch
   * @param branch the label of the other one
   * @param out its first port
   */
  record Divert(Label label, IPAddress<?> address, Label branch, OFPort out)
      implements SubflowRule {
    @Override
    public Place place() {
      return new Place(
          FlowLayout.LABELS, FlowLayout.PRIORITY_DIVERT, Step.TURN, CookieKind.SUBFLOW_DIVERSION);
    }

    @Override
    public Match match(OFFactory factory) {
      Match.Builder match = factory.buildMatch().setExact(MatchField.ETH_DST, label.mac());
      IpFamily.of(address).any().andThen(IpFamily.to(address)).accept(match);
      return match.build();
    }

    @Override
    public List<OFAction> actions(OFFactory factory) {
      return List.of(
          factory.actions().setField(factory.oxms().ethDst(branch.mac())),
          factory.actions().output(out, Integer.MAX_VALUE));
    }
  }

  /**
   * Forwards a label.
   *
   * @param out the output port; empty at the end of the path, where undelivered packets go to the
   *     controller
   */
  record Carry(Label label, Optional<OFPort> out) implements SubflowRule {
    private static final int WHOLE_PACKET = 0xffff;

    @Override
    public Place place() {
      return new Place(
          FlowLayout.LABELS,
          FlowLayout.PRIORITY_ENTRY,
          Step.AHEAD,
          out.isPresent() ? CookieKind.SUBFLOW_LABEL : CookieKind.SUBFLOW_END);
    }

    @Override
    public Match match(OFFactory factory) {
      return factory.buildMatch().setExact(MatchField.ETH_DST, label.mac()).build();
    }

    @Override
    public List<OFAction> actions(OFFactory factory) {
      return List.of(
          out.<OFAction>map(port -> factory.actions().output(port, Integer.MAX_VALUE))
              .orElseGet(() -> factory.actions().output(OFPort.CONTROLLER, WHOLE_PACKET)));
    }
  }

  private static Match.Builder labelled(Match.Builder match) {
    return match.setMasked(MatchField.ETH_DST, Label.SUBFLOW_PREFIX, Label.SUBFLOW_PREFIX_MASK);
  }

  private static OFVlanVidMatch vlanId(int vlan) {
    return vlan == 0 ? OFVlanVidMatch.UNTAGGED : OFVlanVidMatch.ofVlan(vlan);
  }
}
