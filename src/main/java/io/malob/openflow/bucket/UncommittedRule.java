package io.malob.openflow.bucket;

import io.malob.openflow.Cookie;
import io.malob.openflow.CookieField;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.IpFamily;
import io.malob.openflow.RuleKey;
import io.malob.openflow.SwitchRules;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.tracked.ConntrackMatch;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U64;

/**
 * The rule for connections of a tracked VIP that a switch could not add, because its table of
 * connections or the zone is full. There is no error: their first packet comes back to table 1 as
 * it was. It is told from others by its metadata. Pure.
 */
public final class UncommittedRule {
  /** In the lowest bits of the cookie. */
  private static final int CODE = 2;

  private UncommittedRule() {}

  /** Sends the first packets to the controller, which places their connections. */
  public static OFFlowAdd of(OFFactory factory, BucketTraffic traffic) {
    return new RuleKey(
            FlowLayout.REQUESTS,
            FlowLayout.PRIORITY_UNCOMMITTED,
            RequestMetadata.matchCommitted(
                    ConntrackMatch.beginning(BucketRules.requests(factory, traffic)),
                    traffic.vipNumber())
                .build())
        .add(
            factory,
            Cookie.of(CookieKind.PROACTIVE, traffic.vipNumber(), 0, CODE),
            SwitchRules.toController(factory))
        .build();
  }

  /** Whether a packet came by such a rule. */
  static boolean is(U64 cookie) {
    return Cookie.is(cookie, CookieKind.PROACTIVE)
        && Cookie.memberNumber(cookie) == 0
        && Cookie.generation(cookie) == CODE;
  }

  /** Restricts a match to first packets to the destination of one of them. */
  static void match(Match.Builder match, int vipNumber, Packet packet) {
    IpProtocol protocol = IpProtocol.of((short) packet.protocol());
    IPAddress<?> vip = packet.destination();
    IpFamily.of(vip).protocol(protocol).andThen(IpFamily.to(vip)).accept(match);
    RequestMetadata.matchCommitted(ConntrackMatch.beginning(match), vipNumber)
        .setExact(
            protocol.equals(IpProtocol.TCP) ? MatchField.TCP_DST : MatchField.UDP_DST,
            TransportPort.of(packet.dstPort()));
  }

  /** Asks for the number of these packets. */
  public static OFFlowStatsRequest requestCounter(OFFactory factory, int vipNumber) {
    return CookieKind.PROACTIVE
        .all()
        .with(CookieField.VIP, vipNumber)
        .with(CookieField.MEMBER, 0)
        .with(CookieField.GENERATION, CODE)
        .request(factory, FlowLayout.REQUESTS);
  }
}
