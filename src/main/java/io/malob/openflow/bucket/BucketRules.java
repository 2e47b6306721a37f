package io.malob.openflow.bucket;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Server;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieField;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.IpFamily;
import io.malob.openflow.Onward;
import io.malob.openflow.RuleKey;
import io.malob.openflow.SwitchRules;
import io.malob.openflow.SwitchTables;
import io.malob.openflow.packet.Packet;
import java.util.ArrayList;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.protocol.oxm.OFOxm;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPAddressWithMask;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U16;
import org.projectfloodlight.openflow.types.U64;

/**
 * The rules of a proactive VIP at its clients' edges. They have no timeouts. Pure.
 *
 * <p>Table 0 sends all packets to the VIP's port to table 1, SYNs included. There, each bucket
 * either leads to a member or, while it moves to another member, to the controller. A switch with
 * one table has the buckets in table 0, and no rules that lead to them. Those of a tracked VIP get
 * only the first packets of connections ({@link TrackedRules}).
 */
public final class BucketRules {
  private static final ImmutableList<U16> ENDING_FLAGS =
      ImmutableList.of(U16.of(Packet.TCP_FIN), U16.of(Packet.TCP_RST));

  /** In the lowest bits of the cookies of the rules that count SYNs. */
  private static final int SYNS = 1;

  private BucketRules() {}

  /** Sends the VIP's traffic from a network of clients to the buckets. */
  public static OFFlowAdd toBuckets(
      OFFactory factory, BucketTraffic traffic, IPAddressWithMask<?> clients) {
    return toBuckets(
        factory, traffic, FlowLayout.PRIORITY_TO_BUCKETS, 0, from(factory, traffic, clients));
  }

  /** The same for SYNs alone, to count them. */
  public static OFFlowAdd synsToBuckets(
      OFFactory factory, BucketTraffic traffic, IPAddressWithMask<?> clients) {
    Match.Builder match =
        from(factory, traffic, clients)
            .setMasked(
                SwitchRules.tcpFlagsField(factory),
                U16.of(Packet.TCP_SYN),
                U16.of(Packet.TCP_SYN | Packet.TCP_ACK));
    return toBuckets(factory, traffic, FlowLayout.PRIORITY_SYNS_TO_BUCKETS, SYNS, match);
  }

  private static Match.Builder from(
      OFFactory factory, BucketTraffic traffic, IPAddressWithMask<?> clients) {
    Match.Builder match = requests(factory, traffic);
    if (!clients.getMask().isUnspecified()) {
      IpFamily.from(clients).accept(match);
    }
    return match;
  }

  private static OFFlowAdd toBuckets(
      OFFactory factory, BucketTraffic traffic, int priority, int code, Match.Builder match) {
    return new RuleKey(FlowLayout.CLASSIFY, priority, match.build())
        .add(factory, Cookie.of(CookieKind.PROACTIVE, traffic.vipNumber(), 0, code))
        .setInstructions(
            traffic.isTracked()
                ? TrackedRules.lookUp(factory, traffic)
                : List.of(factory.instructions().gotoTable(FlowLayout.REQUESTS)))
        .build();
  }

  /**
   * Leads a bucket to a member.
   *
   * @param next where its packets leave the switch
   */
  public static OFFlowAdd toMember(
      SwitchTables tables,
      BucketTraffic traffic,
      BucketKey key,
      int index,
      Server member,
      Onward next) {
    OFFactory factory = tables.factory();
    BucketCookie cookie = new BucketCookie(traffic.vipNumber(), member.number(), key, index, false);
    if (traffic.isTracked()) {
      return bucket(
          tables, traffic, cookie, TrackedRules.commit(factory, traffic, member, next.replyPath()));
    }
    List<OFAction> actions = new ArrayList<>();
    actions.add(
        factory
            .actions()
            .setField(IpFamily.newDestination(factory, AddressKey.toAddress(member.address()))));
    if (member.port() != 0 && member.port() != traffic.port()) {
      actions.add(factory.actions().setField(newDstPort(factory, traffic, member.port())));
    }
    return bucket(tables, traffic, cookie, tables.onward(actions, next, traffic.vlan()));
  }

  /**
   * Sends a bucket that moves to the controller.
   *
   * @param memberNumber the member that it has led to
   */
  public static OFFlowAdd moving(
      SwitchTables tables, BucketTraffic traffic, BucketKey key, int index, int memberNumber) {
    return bucket(
        tables,
        traffic,
        new BucketCookie(traffic.vipNumber(), memberNumber, key, index, true),
        List.of(SwitchRules.toController(tables.factory())));
  }

  private static OFFlowAdd bucket(
      SwitchTables tables,
      BucketTraffic traffic,
      BucketCookie cookie,
      List<OFInstruction> instructions) {
    Match match = bucketMatch(tables.factory(), traffic, cookie.key(), cookie.index()).build();
    return tables
        .request(FlowLayout.PRIORITY_BUCKET + cookie.key().bits(), match)
        .add(tables.factory(), cookie.cookie())
        .setInstructions(instructions)
        .build();
  }

  private static Match.Builder bucketMatch(
      OFFactory factory, BucketTraffic traffic, BucketKey key, int index) {
    Match.Builder match = requests(factory, traffic);
    int mask = key.count() - 1;
    if (key.source() == BucketSource.ADDRESS) {
      IpFamily.from(traffic.family().ending(index, mask)).accept(match);
    } else {
      match.setMasked(srcPort(traffic), TransportPort.of(index << 1), TransportPort.of(mask << 1));
    }
    if (traffic.isTracked()) {
      TrackedRules.openingOnly(factory, traffic, match);
    }
    return match;
  }

  /**
   * Copies the FIN and RST of a bucket's clients to the controller, on their way to table 1: the
   * connections of a bucket that moves have rules of their own, which are not needed any more then.
   *
   * @param seconds how long
   */
  public static List<OFFlowAdd> ends(
      OFFactory factory, BucketTraffic traffic, BucketKey key, int index, int seconds) {
    return ENDING_FLAGS.stream()
        .map(
            flag ->
                new RuleKey(
                        FlowLayout.CLASSIFY,
                        FlowLayout.PRIORITY_BUCKET_ENDS,
                        bucketMatch(factory, traffic, key, index)
                            .setMasked(SwitchRules.tcpFlagsField(factory), flag, flag)
                            .build())
                    .add(
                        factory,
                        Cookie.of(CookieKind.END, 0),
                        SwitchRules.toController(factory),
                        factory.instructions().gotoTable(FlowLayout.REQUESTS))
                    .setHardTimeout(seconds)
                    .build())
        .toList();
  }

  /**
   * Sends the requests of a member that is itself a client on this switch to the controller: a
   * bucket could lead it to itself.
   */
  public static OFFlowAdd memberAsClient(
      SwitchTables tables, BucketTraffic traffic, Server member) {
    return toController(
        tables,
        traffic,
        member.number(),
        requestsFrom(tables.factory(), traffic, AddressKey.toAddress(member.address())));
  }

  /**
   * Sends the requests that come in at a port to the controller: a switch does not send a packet
   * back to where it comes from, unless a rule of the connection says so.
   */
  public static OFFlowAdd fromPort(SwitchTables tables, BucketTraffic traffic, OFPort port) {
    Match match = requests(tables.factory(), traffic).setExact(MatchField.IN_PORT, port).build();
    return toController(tables, traffic, 0, match);
  }

  /** In one table: sends the requests of clients that the VIP does not allow to the controller. */
  public static OFFlowAdd fromOthers(
      SwitchTables tables, BucketTraffic traffic, IPAddressWithMask<?> clients) {
    return toController(tables, traffic, 0, from(tables.factory(), traffic, clients).build());
  }

  private static OFFlowAdd toController(
      SwitchTables tables, BucketTraffic traffic, int memberNumber, Match match) {
    U64 cookie =
        Cookie.of(CookieKind.PROACTIVE, traffic.vipNumber(), memberNumber, ReplyRules.NOT_COUNTED);
    return tables
        .request(FlowLayout.PRIORITY_MEMBER_AS_CLIENT, match)
        .add(tables.factory(), cookie, SwitchRules.toController(tables.factory()))
        .build();
  }

  /** Deletes all buckets of a VIP. */
  public static OFMessage removeAll(OFFactory factory, int vipNumber) {
    return CookieKind.BUCKET.all().with(CookieField.VIP, vipNumber).delete(factory);
  }

  /** Deletes the buckets of a VIP of which there are that many. */
  public static OFMessage removeAll(OFFactory factory, int vipNumber, BucketKey key) {
    return BucketCookie.ofSet(vipNumber, key).delete(factory);
  }

  /** Asks for the counters of a VIP's buckets. */
  public static OFFlowStatsRequest requestCounters(SwitchTables tables, int vipNumber) {
    return requestCounters(tables.factory(), tables.requests(), CookieKind.BUCKET, vipNumber);
  }

  /** Asks for the counters of the rules that lead to a VIP's buckets. */
  public static OFFlowStatsRequest requestSyns(OFFactory factory, int vipNumber) {
    return requestCounters(factory, FlowLayout.CLASSIFY, CookieKind.PROACTIVE, vipNumber);
  }

  /** Whether a rule counts SYNs. */
  public static boolean countsSyns(U64 cookie) {
    return Cookie.is(cookie, CookieKind.PROACTIVE)
        && Cookie.memberNumber(cookie) == 0
        && Cookie.generation(cookie) == SYNS;
  }

  static OFFlowStatsRequest requestCounters(
      OFFactory factory, TableId table, CookieKind kind, int vipNumber) {
    return kind.all().with(CookieField.VIP, vipNumber).request(factory, table);
  }

  static Match.Builder requests(OFFactory factory, BucketTraffic traffic) {
    return IpFamily.inVlan(IpFamily.matchTo(factory, traffic.address()), traffic.vlan())
        .setExact(MatchField.IP_PROTO, traffic.protocol())
        .setExact(dstPort(traffic), TransportPort.of(traffic.port()));
  }

  private static Match requestsFrom(OFFactory factory, BucketTraffic traffic, IPAddress<?> client) {
    Match.Builder match = requests(factory, traffic);
    IpFamily.from(client).accept(match);
    return match.build();
  }

  /** Whether a rule that was read is about this traffic. */
  public static boolean isOf(Match match, BucketTraffic traffic) {
    return traffic.address().equals(IpFamily.destination(match))
        && TransportPort.of(traffic.port()).equals(match.get(dstPort(traffic)));
  }

  /** Whether a rule about this traffic matches the packets of its VLAN only. */
  public static boolean isInVlanOf(Match match, BucketTraffic traffic) {
    return IpFamily.isInVlan(match, traffic.vlan());
  }

  static MatchField<TransportPort> srcPort(BucketTraffic traffic) {
    return traffic.isTcp() ? MatchField.TCP_SRC : MatchField.UDP_SRC;
  }

  static MatchField<TransportPort> dstPort(BucketTraffic traffic) {
    return traffic.isTcp() ? MatchField.TCP_DST : MatchField.UDP_DST;
  }

  static OFOxm<TransportPort> newDstPort(OFFactory factory, BucketTraffic traffic, int port) {
    return traffic.isTcp()
        ? factory.oxms().tcpDst(TransportPort.of(port))
        : factory.oxms().udpDst(TransportPort.of(port));
  }

  /**
   * A rule that no packet matches, to find out whether a switch accepts such masks. It is removed
   * again.
   */
  public static OFFlowAdd maskProbe(SwitchTables tables, IpFamily family, BucketSource source) {
    BucketTraffic none = new BucketTraffic(0, family.highest(), 0, IpProtocol.TCP, 0);
    return moving(tables, none, new BucketKey(source, BucketKey.MIN), 0, 0);
  }
}
