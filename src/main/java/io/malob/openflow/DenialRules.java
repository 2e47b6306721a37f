package io.malob.openflow;

import io.malob.algorithm.FiveTuple;
import io.malob.openflow.packet.EchoFrames;
import java.util.Set;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowModFlags;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.TransportPort;

/**
 * The rules that drop, at a client's edge, packets to a port of a VIP that the client may not use,
 * before they reach the controller. Pure.
 */
public final class DenialRules {
  private DenialRules() {}

  /**
   * Drops all packets like this one, from any port of the client, for some seconds. Of ICMP, these
   * are echo requests: the client may be a router whose errors are about connections of others. The
   * switch reports the end of the rule.
   *
   * @param request the packet, from the client to the VIP
   * @param vlan its VLAN; 0 if it is untagged
   */
  public static OFMessage add(
      OFFactory factory, FiveTuple request, int vlan, int vipNumber, int seconds) {
    return new RuleKey(
            FlowLayout.CLASSIFY, FlowLayout.PRIORITY_DENIAL, match(factory, request, vlan))
        .add(factory, Cookie.of(CookieKind.DENIAL, vipNumber, 0, 0))
        .setHardTimeout(seconds)
        .setFlags(Set.of(OFFlowModFlags.SEND_FLOW_REM))
        .build();
  }

  /** Deletes all such rules. */
  public static OFMessage removeAll(OFFactory factory) {
    return CookieKind.DENIAL.all().delete(factory);
  }

  private static Match match(OFFactory factory, FiveTuple request, int vlan) {
    IpProtocol protocol = ConnectionRules.protocolOf(request);
    Match.Builder match =
        IpFamily.inVlan(
            IpFamily.matchBetween(factory, protocol, request.source(), request.destination()),
            vlan);
    if (protocol.equals(IpProtocol.TCP) || protocol.equals(IpProtocol.UDP)) {
      match.setExact(IpFamily.dstPort(protocol), TransportPort.of(request.dstPort()));
    } else {
      int type = EchoFrames.requestTypeTo(request.dstAddress());
      IpFamily.of(request.destination()).icmp(type).accept(match);
    }
    return match.build();
  }
}
