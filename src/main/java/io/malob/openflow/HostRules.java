package io.malob.openflow;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Attachment;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowModFlags;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.OFVlanVidMatch;

/**
 * The rules that deliver packets to the next hops of a switch, table {@link FlowLayout#HOSTS}.
 * Pure.
 */
public final class HostRules {
  private HostRules() {}

  /**
   * The rules of one next hop: by its number to its MAC and port, and the same out of the ingress
   * port, which needs a rule of its own. They have an idle timeout, and the switch reports their
   * end.
   */
  public static List<OFMessage> add(OFFactory factory, Attachment at, int idleSeconds) {
    return ImmutableList.of(
        rule(factory, anyPort(factory, at), at, at.port(), idleSeconds),
        rule(factory, samePort(factory, at), at, OFPort.IN_PORT, idleSeconds));
  }

  /** Deletes the rules of a next hop that was attached there. */
  public static List<OFMessage> remove(OFFactory factory, Attachment at) {
    return ImmutableList.of(anyPort(factory, at).delete(factory), removeSamePort(factory, at));
  }

  /** Deletes the rule for packets from the port of an attachment, which is no longer there. */
  public static OFMessage removeSamePort(OFFactory factory, Attachment at) {
    return samePort(factory, at).delete(factory);
  }

  /** The next hop whose rule has this match; {@link MacAddress#NONE} if it is another rule. */
  public static MacAddress nextHop(Match match) {
    @Nullable MacAddress nextHop = match.get(MatchField.ETH_SRC);
    return nextHop == null ? MacAddress.NONE : NextHopMac.numberIn(nextHop);
  }

  private static RuleKey anyPort(OFFactory factory, Attachment at) {
    return new RuleKey(FlowLayout.HOSTS, FlowLayout.PRIORITY_ENTRY, to(factory, at).build());
  }

  private static RuleKey samePort(OFFactory factory, Attachment at) {
    Match match = to(factory, at).setExact(MatchField.IN_PORT, at.port()).build();
    return new RuleKey(FlowLayout.HOSTS, FlowLayout.PRIORITY_SAME_PORT, match);
  }

  private static Match.Builder to(OFFactory factory, Attachment at) {
    return NextHopMac.match(factory.buildMatch(), at);
  }

  private static OFMessage rule(
      OFFactory factory, RuleKey rule, Attachment at, OFPort out, int idleSeconds) {
    ImmutableList.Builder<OFAction> deliver = ImmutableList.builder();
    deliver.addAll(toReceiver(factory, at));
    deliver.add(factory.actions().output(out, Integer.MAX_VALUE));
    return rule.add(
            factory,
            Cookie.of(CookieKind.HOST, 0),
            factory.instructions().applyActions(deliver.build()))
        .setIdleTimeout(idleSeconds)
        .setFlags(Set.of(OFFlowModFlags.SEND_FLOW_REM))
        .build();
  }

  /** Makes a translated, untagged packet one for a next hop of the switch. */
  public static List<OFAction> toReceiver(OFFactory factory, Attachment at) {
    ImmutableList.Builder<OFAction> actions = ImmutableList.builder();
    actions.add(factory.actions().setField(factory.oxms().ethSrc(EdgeMac.of(at.switchId()))));
    actions.add(factory.actions().setField(factory.oxms().ethDst(at.mac())));
    if (at.vlan() != 0) {
      actions.add(factory.actions().pushVlan(EthType.VLAN_FRAME));
      actions.add(
          factory.actions().setField(factory.oxms().vlanVid(OFVlanVidMatch.ofVlan(at.vlan()))));
    }
    return actions.build();
  }
}
