package io.malob.openflow;

import io.malob.algorithm.FiveTuple;
import java.util.Set;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowModFlags;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.TransportPort;

/**
 * The rules that drop, at a client's edge, packets to a port of a VIP that the client may not use,
 * before they reach the controller. Pure.
 */
public final class DenialRules {
  private DenialRules() {}

  /**
   * Drops all packets like this one, from any port of the client, for some seconds. The switch
   * reports the end of the rule.
   *
   * @param request the packet, from the client to the VIP
   */
  public static OFMessage add(OFFactory factory, FiveTuple request, int vipNumber, int seconds) {
    return factory
        .buildFlowAdd()
        .setTableId(FlowLayout.CLASSIFY)
        .setPriority(FlowLayout.PRIORITY_DENIAL)
        .setCookie(Cookie.of(Cookie.Kind.DENIAL, vipNumber, 0, 0))
        .setHardTimeout(seconds)
        .setFlags(Set.of(OFFlowModFlags.SEND_FLOW_REM))
        .setMatch(match(factory, request))
        .build();
  }

  /** Deletes all such rules. */
  public static OFMessage removeAll(OFFactory factory) {
    return SwitchRules.deleteByCookie(factory, Cookie.of(Cookie.Kind.DENIAL, 0), Cookie.kindMask());
  }

  private static Match match(OFFactory factory, FiveTuple request) {
    Match.Builder match =
        IpFamily.matchBetween(
            factory, ConnectionRules.protocolOf(request), request.source(), request.destination());
    if (request.protocol() == IpProtocol.TCP.getIpProtocolNumber()) {
      match.setExact(MatchField.TCP_DST, TransportPort.of(request.dstPort()));
    } else if (request.protocol() == IpProtocol.UDP.getIpProtocolNumber()) {
      match.setExact(MatchField.UDP_DST, TransportPort.of(request.dstPort()));
    }
    return match.build();
  }
}
