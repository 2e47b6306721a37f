package io.malob.openflow.uplink;

import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.IpFamily;
import java.util.Optional;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

/**
 * One rule of a flow from a switch's statistics: the reverse of {@link FlowRules}. Pure.
 *
 * @param isOut whether it is the rule out, and not the rule back
 * @param uplink the number that its uplink had when it was made
 * @param inPort where its packets come in
 * @param bytes that it has carried
 * @param seconds for which it has been there
 */
public record FoundFlow(
    FlowKey key,
    boolean isOut,
    int uplink,
    long generation,
    OFPort inPort,
    IPAddress<?> hostAddress,
    long bytes,
    double seconds) {

  /** Requests the rules of flows, in both directions. */
  public static OFFlowStatsRequest request(OFFactory factory, CookieKind kind) {
    return kind.all().request(factory, TableId.ALL);
  }

  /** Parses a rule; empty if it is not that of a flow. */
  public static Optional<FoundFlow> of(OFFlowStatsEntry entry) {
    boolean isOut = Cookie.is(entry.getCookie(), CookieKind.UPLINK_OUT);
    if (!isOut && !Cookie.is(entry.getCookie(), CookieKind.UPLINK_BACK)) {
      return Optional.empty();
    }
    Match match = entry.getMatch();
    return Optional.of(
        new FoundFlow(
            keyOf(match, isOut),
            isOut,
            UplinkCookie.uplink(entry.getCookie()),
            UplinkCookie.generation(entry.getCookie()),
            match.get(MatchField.IN_PORT),
            isOut ? IpFamily.source(match) : IpFamily.destination(match),
            entry.getByteCount().getValue(),
            entry.getDurationSec() + entry.getDurationNsec() / 1e9));
  }

  /** The flow whose rule has that match. */
  public static FlowKey keyOf(Match match, boolean isOut) {
    int protocol = match.get(MatchField.IP_PROTO).getIpProtocolNumber();
    int src = IpFamily.sourcePort(match);
    int dst = IpFamily.destinationPort(match);
    return isOut
        ? FlowKey.of(IpFamily.destination(match), protocol, src, dst)
        : FlowKey.of(IpFamily.source(match), protocol, dst, src);
  }
}
