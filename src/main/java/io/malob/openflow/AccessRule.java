package io.malob.openflow;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TransportPort;

/**
 * A rule of a core switch, which sends packets between a host behind it and the switch that
 * translates for the host. It matches exact values and rewrites nothing. Immutable.
 *
 * @param which the packets
 * @param out the port that they leave by
 */
public record AccessRule(Packets which, OFPort out) implements Rule {

  /** Packets that a rule matches. */
  public sealed interface Packets {}

  /** Packets to a VIP address. */
  public record ToVip(IPAddress<?> address) implements Packets {}

  /**
   * Replies of a member.
   *
   * @param inPort where they come in
   * @param protocol null for all
   * @param port the source port; null for all
   */
  public record Replies(
      OFPort inPort, IPAddress<?> member, @Nullable IpProtocol protocol, @Nullable Integer port)
      implements Packets {}

  /**
   * ICMP errors that come in from a member or from a router behind it.
   *
   * @param type their ICMP type
   */
  public record Errors(OFPort inPort, IpFamily family, int type) implements Packets {}

  /** Packets to a host. */
  public record ToHost(MacAddress mac) implements Packets {}

  @Override
  public Object key() {
    return which;
  }

  @Override
  public List<OFMessage> add(OFFactory factory) {
    return List.of(
        rule(factory)
            .add(
                factory,
                Cookie.of(CookieKind.ACCESS, 0),
                factory.instructions().applyActions(List.of(SwitchRules.output(factory, out))))
            .build());
  }

  @Override
  public List<OFMessage> remove(OFFactory factory) {
    return List.of(rule(factory).delete(factory));
  }

  /** The host of a rule for packets to a host; empty for other rules. */
  public static Optional<MacAddress> hostOf(OFFlowStatsEntry entry) {
    return entry.getPriority() == FlowLayout.PRIORITY_TO_HOST
        ? Optional.ofNullable(entry.getMatch().get(MatchField.ETH_DST))
        : Optional.empty();
  }

  private RuleKey rule(OFFactory factory) {
    return new RuleKey(FlowLayout.CLASSIFY, priority(), match(factory));
  }

  private int priority() {
    if (which instanceof ToVip) {
      return FlowLayout.PRIORITY_VIP;
    }
    return which instanceof ToHost ? FlowLayout.PRIORITY_TO_HOST : FlowLayout.PRIORITY_REPLY;
  }

  private Match match(OFFactory factory) {
    if (which instanceof ToVip vip) {
      return IpFamily.matchTo(factory, vip.address).build();
    }
    if (which instanceof Errors errors) {
      Match.Builder match = factory.buildMatch().setExact(MatchField.IN_PORT, errors.inPort);
      errors.family.icmp(errors.type).accept(match);
      return match.build();
    }
    return which instanceof ToHost host
        ? factory.buildMatch().setExact(MatchField.ETH_DST, host.mac).build()
        : replies(factory, (Replies) which);
  }

  private static Match replies(OFFactory factory, Replies replies) {
    IpFamily family = IpFamily.of(replies.member);
    Match.Builder match = factory.buildMatch().setExact(MatchField.IN_PORT, replies.inPort);
    @Nullable IpProtocol protocol = replies.protocol;
    if (protocol == null) {
      family.any().accept(match);
    } else if (protocol.equals(IpProtocol.ICMP)) {
      family.icmp(family.icmpEchoReply).accept(match);
    } else {
      family.protocol(protocol).accept(match);
    }
    @Nullable Integer port = replies.port;
    if (port != null) {
      IpProtocol ofPort = Objects.requireNonNullElse(protocol, IpProtocol.UDP);
      match.setExact(IpFamily.srcPort(ofPort), TransportPort.of(port));
    }
    IpFamily.from(replies.member).accept(match);
    return match.build();
  }
}
