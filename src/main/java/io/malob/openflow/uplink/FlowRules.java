package io.malob.openflow.uplink;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.CookieField;
import io.malob.openflow.CookieKind;
import io.malob.openflow.IpFamily;
import io.malob.openflow.PacketOuts;
import io.malob.openflow.RuleKey;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowModFlags;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.protocol.oxm.OFOxm;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The two rules that carry one flow: out, from the inside to its uplink, with the uplink's
 * addresses; and back. Ports stay as they are. Pure.
 */
public final class FlowRules {
  private static final int MAX_BYTES = 0xffff;

  private FlowRules() {}

  /** A resolver's query is over when it is answered. */
  private static final int DNS_PORT = 53;

  /** The host sends again what it has sent from a socket of its own. */
  private static final int FOREIGN_SECONDS = 30;

  /**
   * The idle timeout of a rule, in seconds: at least as long as a NAT has to keep it (RFC 5382,
   * REQ-5; RFC 4787, REQ-5; RFC 5508, REQ-2), and a little longer than the keep-alives of TCP.
   */
  public static int idleSeconds(FlowKey key) {
    return switch (key.protocol()) {
      case FlowKey.TCP -> 7_500;
      case FlowKey.UDP -> key.peerPort() == DNS_PORT ? 30 : 120;
      default -> 60;
    };
  }

  /**
   * Sends a flow over an uplink from now on. The switch reports the end of the rules, with their
   * counters. The reply rule expires last: a silent sender still receives.
   *
   * @param generation distinguishes this flow from others with the same key
   */
  public static List<OFMessage> carry(
      OFFactory factory, InsideEnd inside, UplinkEnd uplink, FlowKey key, long generation) {
    // the reply rule first: answers must find it
    return ImmutableList.of(
        rule(
            factory,
            back(factory, uplink, key),
            CookieKind.UPLINK_BACK,
            uplink,
            generation,
            idleSeconds(key) + 5,
            backActions(factory, inside, key)),
        rule(
            factory,
            out(factory, inside, key),
            CookieKind.UPLINK_OUT,
            uplink,
            generation,
            idleSeconds(key),
            outActions(factory, uplink, key)));
  }

  private static OFMessage rule(
      OFFactory factory,
      Match match,
      CookieKind kind,
      UplinkEnd uplink,
      long generation,
      int idleSeconds,
      List<OFAction> actions) {
    return new RuleKey(UplinkLayout.FLOWS, UplinkLayout.PRIORITY_FLOW, match)
        .add(
            factory,
            UplinkCookie.of(kind, uplink.number(), generation),
            factory.instructions().applyActions(actions))
        .setIdleTimeout(idleSeconds)
        .setFlags(Set.of(OFFlowModFlags.SEND_FLOW_REM))
        .build();
  }

  /**
   * Drops packets from an uplink for the host itself, and expires with them; a flow's rule replaces
   * it.
   */
  public static OFMessage foreign(OFFactory factory, UplinkEnd uplink, FlowKey key) {
    return new RuleKey(UplinkLayout.FLOWS, UplinkLayout.PRIORITY_FLOW, back(factory, uplink, key))
        .add(factory, UplinkCookie.of(CookieKind.UPLINK_FOREIGN, uplink.number(), 0))
        .setIdleTimeout(FOREIGN_SECONDS)
        .build();
  }

  /** Deletes both rules of a flow, but none of another flow with the same key. */
  public static OFMessage remove(OFFactory factory, int uplink, long generation) {
    return UplinkCookie.ofFlow(uplink, generation).delete(factory);
  }

  /** Deletes the rules of all flows over an uplink, and the drop rules for the host itself. */
  public static List<OFMessage> removeAll(OFFactory factory, int uplink) {
    return Stream.of(CookieKind.UPLINK_OUT, CookieKind.UPLINK_BACK, CookieKind.UPLINK_FOREIGN)
        .<OFMessage>map(kind -> kind.all().with(CookieField.UPLINK, uplink).delete(factory))
        .toList();
  }

  /** Sends a packet of a flow, as the host made it, over the flow's uplink. */
  public static OFMessage sendOut(OFFactory factory, UplinkEnd uplink, FlowKey key, byte[] frame) {
    return PacketOuts.of(factory, frame, outActions(factory, uplink, key));
  }

  /** Delivers a packet of a flow, as the peer made it, to the host. */
  public static OFMessage sendBack(OFFactory factory, InsideEnd inside, FlowKey key, byte[] frame) {
    return PacketOuts.of(factory, frame, backActions(factory, inside, key));
  }

  private static Match out(OFFactory factory, InsideEnd inside, FlowKey key) {
    IPAddress<?> host = inside.address(key.version()).orElseThrow();
    return match(factory, inside.port(), key, host, key.hostPort(), key.peer(), key.peerPort());
  }

  private static Match back(OFFactory factory, UplinkEnd uplink, FlowKey key) {
    IPAddress<?> host = uplink.address(key.version()).orElseThrow();
    return match(factory, uplink.port(), key, key.peer(), key.peerPort(), host, key.hostPort());
  }

  private static Match match(
      OFFactory factory,
      OFPort inPort,
      FlowKey key,
      IPAddress<?> src,
      int srcPort,
      IPAddress<?> dst,
      int dstPort) {
    IpProtocol protocol = IpProtocol.of((short) key.protocol());
    Match.Builder match = IpFamily.matchBetween(factory, protocol, src, dst);
    match.setExact(MatchField.IN_PORT, inPort);
    return IpFamily.withPorts(match, protocol, srcPort, dstPort).build();
  }

  private static List<OFAction> outActions(OFFactory factory, UplinkEnd uplink, FlowKey key) {
    return translated(
        factory,
        uplink.mac(),
        uplink.gatewayMac(key.version()).orElseThrow(),
        IpFamily.newSource(factory, uplink.address(key.version()).orElseThrow()),
        uplink.port());
  }

  private static List<OFAction> backActions(OFFactory factory, InsideEnd inside, FlowKey key) {
    return translated(
        factory,
        inside.gatewayMac(),
        inside.mac(),
        IpFamily.newDestination(factory, inside.address(key.version()).orElseThrow()),
        inside.port());
  }

  static List<OFAction> translated(
      OFFactory factory, MacAddress src, MacAddress dst, OFOxm<?> address, OFPort port) {
    return ImmutableList.of(
        factory.actions().setField(factory.oxms().ethSrc(src)),
        factory.actions().setField(factory.oxms().ethDst(dst)),
        factory.actions().setField(address),
        factory.actions().output(port, MAX_BYTES));
  }
}
