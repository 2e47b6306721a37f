package io.malob.balancer;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.Conversation.Service;
import io.malob.balancer.api.RejectReason;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Protocol;
import io.malob.testing.EventQueue;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * What clients and members send, and the judge of where it comes out. Every packet carries its own
 * number, so that it is known again wherever and however it comes out.
 */
final class Traffic {
  private static final int FIN = Packet.TCP_FIN | Packet.TCP_ACK;
  private static final int SYN_ACK = Packet.TCP_SYN | Packet.TCP_ACK;
  private static final int ECHO = 8;
  private static final int ECHO_REPLY = 0;
  private static final int UNREACHABLE = 3;
  private static final int MARK_AT = 38;
  private static final int UDP_MARK_AT = 42;
  private static final int QUOTED_AT = 42;

  /** A ping may go to another member after a pause. */
  private static final long FORGOTTEN_NANOS = TimeUnit.SECONDS.toNanos(4);

  /** A client that has had no answer for so long opens a new connection. */
  private static final long GIVES_UP_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** What a client has sent has come through, or never will. */
  private static final long UNDER_WAY_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(8);

  private final BalancerNetwork net;
  private final EventQueue events;
  private final Random random;
  private final Journal journal;
  private final Map<MacAddress, Host> hosts = new HashMap<>();
  private final Map<String, Set<Host>> members = new HashMap<>();
  private final List<Conversation> conversations = new ArrayList<>();
  private final List<Sent> sent = new ArrayList<>();
  private final BitSet delivered = new BitSet();
  private long quietSinceNanos;
  private int troubles;
  private int switchesAway;

  /**
   * One packet, as its sender knows it.
   *
   * @param late whether its conversation may have been forgotten by then
   */
  private record Sent(Conversation conversation, boolean request, String what, boolean late) {}

  Traffic(BalancerNetwork net, EventQueue events, Random random, Journal journal) {
    this.net = net;
    this.events = events;
    this.random = random;
    this.journal = journal;
  }

  void add(Host host) {
    hosts.put(host.mac(), host);
  }

  List<Host> hosts() {
    return hosts.values().stream().sorted((a, b) -> a.ip().compareTo(b.ip())).toList();
  }

  /** A host may get requests for a VIP from now on. */
  void mayServe(String vip, Host host) {
    members.computeIfAbsent(vip, any -> new HashSet<>()).add(host);
  }

  /** Packets may get lost from now on. */
  void troubleBegins() {
    troubles++;
  }

  /** One trouble is over. */
  void troubleEnds() {
    troubles--;
    quietSinceNanos = events.now();
  }

  /**
   * A switch goes, but not its rules: what has none yet may get none, and from now on a connection
   * that has been idle may find no way back to its member.
   */
  void switchGoes() {
    switchesAway++;
    excuse(
        each -> !each.established || events.now() - each.beganNanos < UNDER_WAY_NANOS,
        "what has just begun may be cut off");
  }

  /** One switch is back, and all its links are known. */
  void switchIsBack() {
    switchesAway--;
  }

  /** Whether the rules of a connection may have timed out. */
  private boolean hasBeenIdle(Conversation of) {
    long idleSeconds =
        switch (of.protocol()) {
          case TCP -> 15;
          case UDP -> 10;
          case ICMP -> 5;
        };
    return events.now() - of.lastNanos >= TimeUnit.SECONDS.toNanos(idleSeconds - 1);
  }

  boolean isTroubled() {
    return troubles > 0;
  }

  List<Conversation> open() {
    return conversations.stream().filter(each -> each.open).toList();
  }

  /** Conversations that something may move or reset; packets of those that are over may be late. */
  void excuse(Predicate<Conversation> which, String why) {
    conversations.stream()
        .filter(each -> !each.excused && which.test(each))
        .forEach(each -> each.excused = true);
    journal.note(why);
  }

  /** A client opens a connection. */
  Conversation open(Service service, Host client, int clientPort, int vipPort, boolean excused) {
    Conversation opened =
        new Conversation(
            conversations.size(),
            service,
            client,
            clientPort,
            vipPort,
            refusedForClashes(),
            excused);
    for (Conversation other : conversations) {
      if (other.open && other.isSameAs(opened)) {
        throw new IllegalStateException("still open: " + other);
      }
      if (other.mayClashWith(opened)) {
        // it may have to give way where it sleeps
        other.excused = true;
      }
    }
    conversations.add(opened);
    request(opened, Packet.TCP_SYN, "first");
    return opened;
  }

  boolean isTaken(Service service, Host client, int clientPort, int vipPort) {
    Conversation wanted = new Conversation(0, service, client, clientPort, vipPort, 0, false);
    return conversations.stream().anyMatch(other -> other.open && other.isSameAs(wanted));
  }

  /** Whether a connection may have been refused because no member could tell it from another. */
  boolean mayHaveClashed(Conversation conversation) {
    return refusedForClashes() > conversation.refusedBefore;
  }

  private long refusedForClashes() {
    return net.refused(RejectReason.NO_DISTINCT_MEMBER);
  }

  /** A client goes on; one that has had no answer begins again, or gives up. */
  void talk(Conversation conversation) {
    boolean late = events.now() - conversation.lastNanos > GIVES_UP_NANOS;
    if (late && !conversation.established && conversation.protocol() == Protocol.TCP) {
      conversation.open = false;
      return;
    }
    boolean begun = conversation.established || conversation.protocol() != Protocol.TCP;
    request(conversation, begun ? Packet.TCP_ACK : Packet.TCP_SYN, begun ? "next" : "again");
  }

  /** A client ends its connection, where its protocol has an end. */
  void end(Conversation conversation) {
    conversation.open = false;
    if (conversation.protocol() == Protocol.TCP) {
      conversation.ended = true;
      request(conversation, random.nextBoolean() ? FIN : Packet.TCP_RST, "end");
    }
  }

  private void request(Conversation of, int flags, String what) {
    int mark = mark(of, true, what);
    Host from = of.client;
    IPv4Address vip = IPv4Address.of(of.service.address());
    MacAddress to = EdgeMac.of(from.switchId());
    if (of.protocol() == Protocol.ICMP && events.now() - of.lastNanos > FORGOTTEN_NANOS) {
      of.member = null;
    }
    if (hasBeenIdle(of)) {
      of.beganNanos = events.now();
      of.excused |= switchesAway > 0;
    }
    of.lastNanos = events.now();
    send(
        from,
        switch (of.protocol()) {
          case TCP ->
              Frames.tcp(from.mac(), to, from.ip(), of.clientPort, vip, of.vipPort, flags, mark);
          case UDP ->
              Frames.udp(from.mac(), to, from.ip(), of.clientPort, vip, of.vipPort, bytes(mark));
          case ICMP -> Frames.echo(ECHO, from.mac(), to, from.ip(), vip, mark);
        });
  }

  /** A member answers, or speaks first. */
  void reply(Conversation to, int flags, String what) {
    Host from = to.member;
    if (from == null) {
      return;
    }
    int mark = mark(to, false, what);
    Host client = to.client;
    send(
        from,
        switch (to.protocol()) {
          case TCP ->
              Frames.tcp(
                  from.mac(),
                  client.mac(),
                  from.ip(),
                  to.memberPort,
                  client.ip(),
                  to.clientPort,
                  flags,
                  mark);
          case UDP ->
              Frames.udp(
                  from.mac(),
                  client.mac(),
                  from.ip(),
                  to.memberPort,
                  client.ip(),
                  to.clientPort,
                  bytes(mark));
          case ICMP ->
              Frames.echo(ECHO_REPLY, from.mac(), client.mac(), from.ip(), client.ip(), mark);
        });
  }

  private int mark(Conversation of, boolean request, String what) {
    sent.add(new Sent(of, request, what, mayBeForgotten(of)));
    int mark = sent.size();
    journal.note("%s packet %d (%s) of %s", request ? "request" : "reply", mark, what, of);
    if (request) {
      long now = events.now();
      events.after(PATIENCE_NANOS, () -> mustHaveArrived(mark, now));
    }
    return mark;
  }

  private static byte[] bytes(int mark) {
    return ByteBuffer.allocate(4).putInt(mark).array();
  }

  private void mustHaveArrived(int mark, long sentNanos) {
    Sent packet = sent.get(mark - 1);
    boolean quiet = troubles == 0 && quietSinceNanos < sentNanos;
    Conversation of = packet.conversation;
    if (quiet && !of.excused && !mayHaveClashed(of) && !of.ended && !delivered.get(mark)) {
      journal.wrong("request packet %d (%s) never came out: %s", mark, packet.what, of);
    }
  }

  private void send(Host from, byte[] frame) {
    net.send(from, frame).forEach(this::cameOut);
  }

  /** Judges what came out, and what was left to other applications. */
  void judge() {
    List<Delivery> out = List.copyOf(net.delivered);
    net.delivered.clear();
    out.forEach(this::cameOut);
    List<Packet> others = List.copyOf(net.passedOn);
    net.passedOn.clear();
    others.forEach(this::leftToOthers);
  }

  private void leftToOthers(Packet packet) {
    if (packet.kind() == Packet.Kind.ARP) {
      return; // for a VIP that is away
    }
    Sent was = sent(packet);
    Conversation of = was.conversation;
    // one that was on its way while its conversation began anew is late still
    if (of.open && !of.excused && !was.late && !mayBeForgotten(of)) {
      journal.wrong("%s was left to other applications, of %s", packet, of);
    }
  }

  private boolean mayBeForgotten(Conversation of) {
    return of.protocol() == Protocol.ICMP
        && (of.member == null || events.now() - of.lastNanos > FORGOTTEN_NANOS);
  }

  private Sent sent(Packet packet) {
    ByteBuffer frame = ByteBuffer.wrap(packet.frame());
    int mark = frame.getInt(packet.kind() == Packet.Kind.UDP ? UDP_MARK_AT : MARK_AT);
    return sent.get(mark - 1);
  }

  private void cameOut(Delivery delivery) {
    Packet packet = Packet.parse(delivery.frame());
    List<Host> there =
        hosts.values().stream()
            .filter(host -> isAt(host, delivery.switchId(), delivery.port().getPortNumber()))
            .toList();
    if (there.isEmpty()) {
      return; // a broken link
    }
    if (packet.kind() == Packet.Kind.ARP) {
      there.forEach(host -> answerArp(host, packet));
      return;
    }
    Host host = hosts.get(packet.dstMac());
    if (host == null || !there.contains(host) || host.ip().getInt() != packet.dstAddress()) {
      journal.wrong("%s for %s came out at %s", packet, packet.dstMac(), delivery.at());
    } else if (packet.isTcpSyn() && sentMark(packet) == 0) {
      challenged(host, packet);
    } else if (packet.hasTcpFlags(Packet.TCP_RST)
        && ByteBuffer.wrap(packet.frame()).getInt(MARK_AT) == 0) {
      refused(host, packet.srcAddress(), packet.dstPort(), packet.srcPort(), Protocol.TCP);
    } else if (packet.kind() == Packet.Kind.ICMP && packet.icmpType() == UNREACHABLE) {
      Packet quoted = quoted(packet);
      refused(host, quoted.dstAddress(), quoted.srcPort(), quoted.dstPort(), Protocol.UDP);
    } else {
      arrived(host, packet);
    }
  }

  private static Packet quoted(Packet unreachable) {
    byte[] bytes = unreachable.frame().clone();
    System.arraycopy(bytes, QUOTED_AT, bytes, 14, bytes.length - QUOTED_AT);
    return Packet.parse(bytes);
  }

  private static boolean isAt(Host host, DatapathId switchId, int port) {
    return host.switchId().equals(switchId) && host.port() == port;
  }

  private void answerArp(Host host, Packet arp) {
    if (arp.arpOperation() == Packet.ARP_REQUEST && arp.dstAddress() == host.ip().getInt()) {
      IPv4Address asker = IPv4Address.of(arp.srcAddress());
      events.after(
          1_000_000,
          () -> {
            net.learnLater(host);
            send(host, Frames.arpReply(host.mac(), arp.arpSenderMac(), host.ip(), asker));
          });
    }
  }

  /** The balancer provokes an answer from the ends of a connection that it closes (RFC 5961). */
  private void challenged(Host host, Packet syn) {
    for (Conversation of : open()) {
      boolean sameClientPort =
          of.protocol() == Protocol.TCP
              && of.clientPort == (host.equals(of.client) ? syn.dstPort() : syn.srcPort());
      if (sameClientPort && host.equals(of.client)) {
        request(of, Packet.TCP_ACK, "challenged");
        return;
      }
      if (sameClientPort && host.equals(of.member)) {
        reply(of, Packet.TCP_ACK, "challenged");
        return;
      }
    }
  }

  private void refused(Host client, int vip, int clientPort, int vipPort, Protocol protocol) {
    Optional<Conversation> found =
        open().stream()
            .filter(each -> each.protocol() == protocol && each.client.equals(client))
            .filter(each -> each.clientPort == clientPort && each.vipPort == vipPort)
            .filter(each -> IPv4Address.of(each.service.address()).getInt() == vip)
            .findAny();
    if (found.isEmpty()) {
      return; // a late packet of an earlier one
    }
    Conversation of = found.get();
    journal.note("refused: %s", of);
    if (!of.excused && !mayHaveClashed(of)) {
      journal.wrong("%s was refused: %s", of, net.module.rejects());
    }
    of.open = false;
  }

  private void arrived(Host host, Packet packet) {
    Sent was = sent(packet);
    int mark = sentMark(packet);
    journal.note("packet %d came out at %s", mark, host.ip());
    if (delivered.get(mark)) {
      journal.wrong("packet %d came out twice, of %s", mark, was.conversation);
    }
    delivered.set(mark);
    if (was.request) {
      requestArrived(was, host, packet);
    } else {
      replyArrived(was.conversation, host, packet);
    }
  }

  private static int sentMark(Packet packet) {
    ByteBuffer frame = ByteBuffer.wrap(packet.frame());
    return frame.getInt(packet.kind() == Packet.Kind.UDP ? UDP_MARK_AT : MARK_AT);
  }

  private void requestArrived(Sent was, Host host, Packet packet) {
    Conversation of = was.conversation;
    int port = of.service.memberPort() == 0 ? of.vipPort : of.service.memberPort();
    boolean ports =
        of.protocol() == Protocol.ICMP
            || (packet.srcPort() == of.clientPort && packet.dstPort() == port);
    if (!ports
        || packet.srcAddress() != of.client.ip().getInt()
        || !packet.srcMac().equals(EdgeMac.of(host.switchId()))
        || host.equals(of.client)
        || !members.getOrDefault(of.service.id(), Set.of()).contains(host)) {
      journal.wrong("%s came out at %s, of %s", packet, host, of);
    }
    if (of.member != null && !host.equals(of.member)) {
      boolean isEstablished = of.established && of.protocol() == Protocol.TCP;
      if (of.excused && isEstablished && packet.isTcpSyn()) {
        return; // it was on its way while its connection was closed; its client has another by now
      } else if (!of.excused || isEstablished) {
        journal.wrong("%s came out at %s, too", of, host);
      }
    }
    of.member = host;
    of.memberPort = port;
    if (random.nextInt(5) > 0) {
      boolean first = was.what.equals("first") || was.what.equals("again");
      events.after(
          random.nextInt(2_000_000), () -> reply(of, first ? SYN_ACK : Packet.TCP_ACK, "answer"));
    }
  }

  private void replyArrived(Conversation of, Host host, Packet packet) {
    IPv4Address vip = IPv4Address.of(of.service.address());
    boolean ports =
        of.protocol() == Protocol.ICMP
            || (packet.srcPort() == of.vipPort && packet.dstPort() == of.clientPort);
    if (!ports
        || packet.srcAddress() != vip.getInt()
        || !packet.srcMac().equals(EdgeMac.of(host.switchId()))
        || !host.equals(of.client)) {
      journal.wrong("%s came out at %s, of %s", packet, host, of);
    }
    of.established = true;
  }
}
