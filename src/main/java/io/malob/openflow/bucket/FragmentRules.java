package io.malob.openflow.bucket;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Server;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.IpFamily;
import io.malob.openflow.RuleKey;
import io.malob.openflow.SwitchRules;
import io.malob.openflow.tracked.ConntrackMatch;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.OFMetadata;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U64;
import org.projectfloodlight.openflow.types.U8;

/**
 * The rules for fragments of the datagrams of tracked VIPs. Rules see ports 0 in all fragments, and
 * of later ones of IPv6 only that they are fragments. But to track a datagram, a switch puts it
 * together, and gives each of its fragments what it has found. So these rules send fragments by
 * their addresses alone, and all of a datagram alike. Pure.
 */
public final class FragmentRules {
  /** The protocol of later fragments of IPv6 packets. */
  private static final IpProtocol LATER = IpProtocol.of((short) 44);

  /** The ICMP type of fragments. */
  private static final int NO_TYPE = 0;

  private static final int NO_PORT = 0;

  private static final U64 COOKIE = Cookie.of(CookieKind.PROACTIVE, 0, 0, ReplyRules.NOT_COUNTED);

  private FragmentRules() {}

  /**
   * Looks up the fragments to a VIP's address.
   *
   * @param vlan of the clients; 0 if their frames are untagged
   */
  public static List<OFFlowAdd> toVip(OFFactory factory, IPAddress<?> vip, int vlan, int zone) {
    return ofDatagrams(factory, IpFamily.of(vip))
        .map(match -> to(IpFamily.inVlan(match, vlan), vip))
        .map(
            match ->
                rule(
                    factory,
                    new RuleKey(
                        FlowLayout.CLASSIFY, FlowLayout.PRIORITY_TRACKED_FRAGMENTS, match.build()),
                    TrackedRules.lookUp(factory, zone, FlowLayout.REQUESTS)))
        .toList();
  }

  /** Translates the fragments of replies where their path ends. */
  public static List<OFFlowAdd> toClients(OFFactory factory, IpFamily family, int zone) {
    return ofDatagrams(factory, family)
        .map(ConntrackMatch::untracked)
        .map(
            match ->
                rule(
                    factory,
                    new RuleKey(FlowLayout.HOSTS, FlowLayout.PRIORITY_TRACKED_REPLY, match.build()),
                    TrackedRules.lookUp(factory, zone, FlowLayout.HOSTS)))
        .toList();
  }

  /**
   * Opens the connections that begin with fragments, if the address has no other VIP to which these
   * could be: clients are told apart by the ends of their addresses.
   *
   * @param members of each value that these ends can have; a power of two
   * @param clients the members at the switch, which the controller keeps from themselves
   */
  public static List<OFFlowAdd> open(
      OFFactory factory, BucketTraffic traffic, List<Server> members, List<Server> clients) {
    Stream<OFFlowAdd> opening =
        IntStream.range(0, members.size())
            .boxed()
            .flatMap(
                index ->
                    first(factory, traffic)
                        .map(
                            match ->
                                open(factory, traffic, match, index, members.size() - 1, members)));
    Stream<OFFlowAdd> asking =
        clients.stream()
            .flatMap(
                client ->
                    first(factory, traffic)
                        .map(match -> ask(factory, match, AddressKey.toAddress(client.address()))));
    return Stream.concat(opening, asking).toList();
  }

  private static OFFlowAdd open(
      OFFactory factory,
      BucketTraffic traffic,
      Match.Builder match,
      int index,
      int mask,
      List<Server> members) {
    IpFamily.from(traffic.family().ending(index, mask)).accept(match);
    return rule(
        factory,
        new RuleKey(FlowLayout.REQUESTS, FlowLayout.PRIORITY_OPEN_BY_FRAGMENT, match.build()),
        TrackedRules.commit(factory, traffic, members.get(index), /* replyPath= */ 0));
  }

  private static OFFlowAdd ask(OFFactory factory, Match.Builder match, IPAddress<?> client) {
    IpFamily.from(client).accept(match);
    return rule(
        factory,
        new RuleKey(FlowLayout.REQUESTS, FlowLayout.PRIORITY_MEMBER_AS_CLIENT, match.build()),
        List.of(SwitchRules.toController(factory)));
  }

  /**
   * Matches the fragments of first datagrams to a VIP. The first fragment shows the port that was
   * found; without it, the switch does not have the whole datagram.
   */
  private static Stream<Match.Builder> first(OFFactory factory, BucketTraffic traffic) {
    Match.Builder first = withFoundPort(udp(factory, traffic.family()), traffic.port());
    Match.Builder later =
        traffic.family() == IpFamily.IPV4
            ? withFoundPort(udp(factory, traffic.family()), NO_PORT)
            : protocol(factory, traffic.family(), LATER);
    return Stream.of(first, later)
        .map(match -> to(IpFamily.inVlan(match, traffic.vlan()), traffic.address()))
        .map(ConntrackMatch::beginning)
        // not those that could not be committed
        .map(match -> match.setExact(MatchField.METADATA, OFMetadata.ofRaw(0)));
  }

  private static Match.Builder withFoundPort(Match.Builder match, int port) {
    return match
        .setExact(MatchField.CONN_TRACKING_NW_PROTO, U8.of(IpProtocol.UDP.getIpProtocolNumber()))
        .setExact(MatchField.CONN_TRACKING_TP_DST, TransportPort.of(port));
  }

  /**
   * At a member's edge: the fragments of what it sends and gets, as {@link TrackedReplies} has it
   * for other packets. Later fragments of IPv6 do not show their protocol, so the first ones of all
   * protocols go with them.
   */
  public static List<OFFlowAdd> ofMember(OFFactory factory, BucketTraffic traffic, Server member) {
    IPAddress<?> address = AddressKey.toAddress(member.address());
    IpFamily family = traffic.family();
    List<OFFlowAdd> rules = new ArrayList<>();
    Stream<Match.Builder> sent = ofDatagrams(factory, family);
    if (family == IpFamily.IPV6) {
      Match.Builder icmp = factory.buildMatch();
      family.icmp(NO_TYPE).accept(icmp);
      sent = Stream.concat(sent, Stream.of(tcp(factory, family), icmp));
    }
    sent.forEach(
        match -> {
          IpFamily.from(address).accept(IpFamily.inVlan(match, member.at().vlan()));
          rules.add(TrackedReplies.begin(factory, traffic, member, match));
        });
    for (int path = 1; path <= TrackedMark.MAX_PATHS; path++) {
      int replyPath = path;
      ofDatagrams(factory, family)
          .map(match -> to(match, address))
          .forEach(
              match ->
                  rules.add(TrackedReplies.remember(factory, traffic, member, replyPath, match)));
    }
    return rules;
  }

  /** Adds to the protocols of a VIP's packets that of later fragments. */
  static Stream<IpProtocol> protocols(BucketTraffic traffic) {
    return traffic.isTcp() || traffic.family() == IpFamily.IPV4
        ? Stream.of(traffic.protocol())
        : Stream.of(traffic.protocol(), LATER);
  }

  private static Stream<Match.Builder> ofDatagrams(OFFactory factory, IpFamily family) {
    return family == IpFamily.IPV4
        ? Stream.of(udp(factory, family))
        : Stream.of(udp(factory, family), protocol(factory, family, LATER));
  }

  private static Match.Builder udp(OFFactory factory, IpFamily family) {
    return withoutPorts(factory, family, IpProtocol.UDP);
  }

  private static Match.Builder tcp(OFFactory factory, IpFamily family) {
    return withoutPorts(factory, family, IpProtocol.TCP);
  }

  private static Match.Builder withoutPorts(
      OFFactory factory, IpFamily family, IpProtocol protocol) {
    return IpFamily.withPorts(protocol(factory, family, protocol), protocol, NO_PORT, NO_PORT);
  }

  private static Match.Builder protocol(OFFactory factory, IpFamily family, IpProtocol protocol) {
    Match.Builder match = factory.buildMatch();
    family.protocol(protocol).accept(match);
    return match;
  }

  private static Match.Builder to(Match.Builder match, IPAddress<?> address) {
    Consumer<Match.Builder> restrict = IpFamily.to(address);
    restrict.accept(match);
    return match;
  }

  private static OFFlowAdd rule(OFFactory factory, RuleKey key, List<OFInstruction> instructions) {
    return key.add(factory, COOKIE).setInstructions(instructions).build();
  }
}
