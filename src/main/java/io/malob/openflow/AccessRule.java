package io.malob.openflow;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
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
public record AccessRule(Packets which, OFPort out) {

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

  /** Packets to a host. */
  public record ToHost(MacAddress mac) implements Packets {}

  /** Adds the rule, or changes its port. */
  public OFMessage add(OFFactory factory) {
    return rule(factory.buildFlowAdd(), factory)
        .setCookie(Cookie.of(Cookie.Kind.ACCESS, 0))
        .setInstructions(
            List.of(
                factory
                    .instructions()
                    .applyActions(List.of(factory.actions().output(out, Integer.MAX_VALUE)))))
        .build();
  }

  /** Deletes the rule. */
  public OFMessage remove(OFFactory factory) {
    return rule(factory.buildFlowDeleteStrict(), factory).setOutPort(OFPort.ANY).build();
  }

  /** What a switch knows a rule by. */
  public record Key(int priority, Match match) {
    public static Key of(OFFlowStatsEntry entry) {
      return new Key(entry.getPriority(), entry.getMatch());
    }

    /** The host of a rule for packets to a host; empty for other rules. */
    public Optional<MacAddress> host() {
      return priority == FlowLayout.PRIORITY_TO_HOST
          ? Optional.ofNullable(match.get(MatchField.ETH_DST))
          : Optional.empty();
    }
  }

  public Key key(OFFactory factory) {
    return new Key(priority(), match(factory));
  }

  private OFFlowMod.Builder rule(OFFlowMod.Builder builder, OFFactory factory) {
    return builder.setTableId(FlowLayout.CLASSIFY).setPriority(priority()).setMatch(match(factory));
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
      match.setExact(
          IpProtocol.TCP.equals(protocol) ? MatchField.TCP_SRC : MatchField.UDP_SRC,
          TransportPort.of(port));
    }
    IpFamily.from(replies.member).accept(match);
    return match.build();
  }
}
