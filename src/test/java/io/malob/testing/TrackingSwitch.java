package io.malob.testing;

import io.malob.openflow.tracked.ConntrackAction;
import io.malob.openflow.tracked.ConntrackMatch;
import io.malob.openflow.tracked.Mark;
import io.malob.openflow.tracked.Nat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

/**
 * A fake Open vSwitch with rules that track all IP packets in table 0, place new connections to
 * VIPs in table 1, and show in table 2 what became of a packet. For tests of {@link FakeConntrack}.
 */
final class TrackingSwitch {
  static final OFFactory OF = OFFactories.getFactory(OFVersion.OF_13);
  static final MacAddress CLIENT_MAC = MacAddress.of("02:00:00:00:00:01");
  static final MacAddress MEMBER_MAC = MacAddress.of("02:00:00:00:00:02");
  static final IPv4Address CLIENT = IPv4Address.of("10.0.0.1");
  static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  static final IPv4Address OTHER_VIP = IPv4Address.of("10.0.0.101");
  static final List<IPv4Address> MEMBERS =
      List.of(IPv4Address.of("10.0.0.11"), IPv4Address.of("10.0.0.12"));
  static final int ZONE = 7;

  private static final TableId PLACES = TableId.of(1);
  private static final TableId SHOWS = TableId.of(2);

  private final AtomicLong nanoTime = new AtomicLong();
  private final FakeFlowTable table = new FakeFlowTable(SwitchProfile.OPEN_VSWITCH, nanoTime::get);

  /** With rules for both versions of IP, and without VIPs. */
  TrackingSwitch() {
    for (EthType type : List.of(EthType.IPv4, EthType.IPv6)) {
      add(
          0,
          10,
          ConntrackMatch.untracked(OF.buildMatch().setExact(MatchField.ETH_TYPE, type)).build(),
          ConntrackAction.inZone(OF, ZONE).translate(Nat.EXISTING).continueIn(PLACES));
    }
    OFAction show = OF.actions().output(OFPort.CONTROLLER, 0xffff);
    add(PLACES.getValue(), 1, OF.matchWildcardAll(), show);
    add(SHOWS.getValue(), 1, OF.matchWildcardAll(), show);
  }

  /** State and mark of a packet. */
  record Fields(int state, int mark) {}

  /** A packet behind connection tracking. */
  @SuppressWarnings("ArrayRecordComponent") // tests compare the parts
  record Seen(Fields fields, byte[] frame) {}

  FakeFlowTable table() {
    return table;
  }

  List<FakeConntrack.Connection> connections() {
    return table.conntrack().connections();
  }

  /** New connections to a VIP go to this member from now on, with its number from 1 as mark. */
  void place(IPv4Address vip, int member) {
    place(vip, MEMBERS.get(member), member + 1);
  }

  /** The same of any address. */
  void place(IPAddress<?> vip, IPAddress<?> member, int mark) {
    translate(vip, Nat.destination(member, 8080), mark);
  }

  /** New connections to an address are translated like this from now on, and get a mark. */
  void translate(IPAddress<?> vip, Nat nat, int mark) {
    Match.Builder match = OF.buildMatch();
    if (vip instanceof IPv6Address ipv6) {
      match.setExact(MatchField.ETH_TYPE, EthType.IPv6).setExact(MatchField.IPV6_DST, ipv6);
    } else {
      match
          .setExact(MatchField.ETH_TYPE, EthType.IPv4)
          .setExact(MatchField.IPV4_DST, (IPv4Address) vip);
    }
    add(
        PLACES.getValue(),
        20,
        ConntrackMatch.beginning(match).build(),
        ConntrackAction.inZone(OF, ZONE)
            .commit()
            .translate(nat)
            .setMark(new Mark(mark))
            .continueIn(SHOWS));
  }

  void add(int tableId, int priority, Match match, OFAction... actions) {
    table.apply(
        OF.buildFlowAdd()
            .setTableId(TableId.of(tableId))
            .setPriority(priority)
            .setMatch(match)
            .setBufferId(OFBufferId.NO_BUFFER)
            .setInstructions(List.of(OF.instructions().applyActions(List.of(actions))))
            .build());
  }

  /** Sends a frame in. */
  Seen send(byte[] frame) {
    List<FakeFlowTable.Output> outputs = table.process(1, frame);
    if (outputs.size() != 1) {
      throw new AssertionError(outputs.size() + " frames");
    }
    Tracked tracked = outputs.get(0).tracked();
    return new Seen(new Fields(tracked.state(), tracked.mark()), outputs.get(0).frame());
  }

  void pass(int seconds) {
    nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
  }
}
