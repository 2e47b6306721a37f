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
 * The rules that drop, at a client's edge, what it sends to a port of a VIP that it may not use,
 * before anything of it comes to the controller. Pure.
 */
public final class DenialRules {
  private DenialRules() {}

  /**
   * Drops all packets like this one, from any port of the client, for some seconds. The end of the
   * rule is told.
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

  /** Takes all such rules away. */
  public static OFMessage removeAll(OFFactory factory) {
    return SwitchRules.deleteByCookie(factory, Cookie.of(Cookie.Kind.DENIAL, 0), Cookie.kindMask());
  }

  private static Match match(OFFactory factory, FiveTuple request) {
    Match.Builder match =
        IpFamily.matchBetween(
            factory,
            IpProtocol.of((short) request.protocol()),
            request.source(),
            request.destination());
    if (request.protocol() == IpProtocol.TCP.getIpProtocolNumber()) {
      match.setExact(MatchField.TCP_DST, TransportPort.of(request.dstPort()));
    } else if (request.protocol() == IpProtocol.UDP.getIpProtocolNumber()) {
      match.setExact(MatchField.UDP_DST, TransportPort.of(request.dstPort()));
    }
    return match.build();
  }
}
