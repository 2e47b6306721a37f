package io.malob.openflow.bucket;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Server;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.IpFamily;
import io.malob.openflow.Onward;
import io.malob.openflow.RuleKey;
import io.malob.openflow.SwitchRules;
import io.malob.openflow.SwitchTables;
import io.malob.openflow.tracked.ConntrackMatch;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.U64;

/**
 * The rules for ICMP errors about packets of tracked VIPs: the switch that tracks a connection
 * knows the member whose packet an error quotes, and translates both. Pure.
 */
public final class TrackedErrorRules {
  private TrackedErrorRules() {}

  /**
   * Looks up the connections of the packets that errors to a VIP's address quote; the controller
   * gets those of none.
   *
   * @param vlan of the clients; 0 if their frames are untagged
   */
  public static List<OFFlowAdd> of(OFFactory factory, IPAddress<?> vip, int vlan, int zone) {
    U64 cookie = Cookie.of(CookieKind.PROACTIVE, 0, 0, ReplyRules.NOT_COUNTED);
    return IpFamily.matchErrors(factory, vip).stream()
        .map(match -> IpFamily.inVlan(match, vlan).build())
        .flatMap(
            match ->
                Stream.of(
                    new RuleKey(FlowLayout.CLASSIFY, FlowLayout.PRIORITY_TRACKED_ERRORS, match)
                        .add(factory, cookie)
                        .setInstructions(TrackedRules.lookUp(factory, zone, FlowLayout.REQUESTS))
                        .build(),
                    new RuleKey(FlowLayout.REQUESTS, FlowLayout.PRIORITY_TRACKED, match)
                        .add(factory, cookie, SwitchRules.toController(factory))
                        .build()))
        .toList();
  }

  /** Leads those about packets of a member to it, or none if it is lost. */
  public static List<OFFlowAdd> toMember(
      SwitchTables tables, BucketTraffic traffic, TrackedMember tracked) {
    Server member = tracked.member();
    @Nullable Onward next = tracked.next();
    if (next == null) {
      return List.of();
    }
    return tracked.source() == null
        ? List.of(found(tables, traffic, member, tables.onward(List.of(), next, traffic.vlan())))
        : List.of(
            found(
                tables,
                traffic,
                member,
                SourceRules.translateErrors(tables.factory(), traffic.zone())),
            SourceRules.errorsToMember(tables, traffic, member, next));
  }

  private static OFFlowAdd found(
      SwitchTables tables, BucketTraffic traffic, Server member, List<OFInstruction> instructions) {
    OFFactory factory = tables.factory();
    Match.Builder match = factory.buildMatch();
    traffic
        .family()
        .protocol(traffic.family().icmpProtocol())
        .andThen(IpFamily.to(AddressKey.toAddress(member.address())))
        .accept(match);
    ConntrackMatch.state(match, ConntrackMatch.TRACKED | ConntrackMatch.RELATED, 0);
    return new RuleKey(
            FlowLayout.REQUESTS,
            FlowLayout.PRIORITY_TRACKED,
            TrackedMark.match(match, member.number()).build())
        .add(factory, TrackedRules.cookie(traffic, member))
        .setInstructions(instructions)
        .build();
  }
}
