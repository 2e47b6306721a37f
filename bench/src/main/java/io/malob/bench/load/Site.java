package io.malob.bench.load;

import io.malob.bench.load.Faults.Kind;
import io.malob.openflow.NextHopMac;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * One site: sends the first packets of its clients, and checks the answers to each. On the event
 * loop only.
 *
 * <p>Every message is checked whole. A connection is a number, from which its client and source
 * port follow; while it waits for its messages it has a slot.
 */
final class Site {
  private static final int REQUESTS = 1;
  private static final int LABELS = 2;
  private static final int HOSTS = 3;
  private static final long VIP_MAC = 0x0203_0000_0001L;

  private static final int MAX_TUPLES = 1 << 30;

  private static final int FREE = 0;
  private static final int WAITING = 1;
  private static final int HAS_REQUEST_RULE = 1 << 1;
  private static final int HAS_REPLY_RULE = 1 << 2;
  private static final int HAS_PACKET = 1 << 3;
  private static final int WRONG = 1 << 4;
  private static final int COMPLETE = WAITING | HAS_REQUEST_RULE | HAS_REPLY_RULE | HAS_PACKET;

  /** All of a cookie but the application and the kind of rule. */
  private static final long COOKIE_OF_CONNECTION = (1L << 48) - 1;

  private static final long UNKNOWN_COOKIE = -1;
  private static final int UNKNOWN_MEMBER = -1;

  private final Scenario scenario;
  private final int site;
  private final AddressFamily family;
  private final int vip;
  private final int firstClient;
  private final int firstMember;
  private final int tuples;
  private final Outbox clientEdge;
  private final PacketInTemplate firstPackets;
  private final FlowRemovedTemplate flowRemoved;
  private final LabelView labels;
  private final Removals removals = new Removals();
  private final long ruleLifeNanos;

  /** By the numbers that packets between edges carry for them. */
  private final Map<Long, Integer> clientsByNumber = new HashMap<>();

  private final Map<Long, Integer> membersByNumber = new HashMap<>();

  private final BitSet clientRules = new BitSet();
  private final BitSet memberRules = new BitSet();
  private final Faults faults;
  private final Outcome outcome;
  private final long[] placedOn;

  private boolean isOpen = true;
  private int nextTuple;
  private byte[] state = {};
  private int[] tuple = {};
  private int[] member = {};
  private int[] rule = {};
  private long[] cookie = {};
  private long[] sentNanos = {};

  /** Listener for the ends of placements. */
  interface Outcome {
    /** All messages came and were right. */
    void placed(int site, long nanos);

    /** The placement failed, and counts as a fault. */
    void failed(long nanos);
  }

  Site(
      Scenario scenario,
      int site,
      Outbox clientEdge,
      long ruleLifeNanos,
      Faults faults,
      Outcome outcome) {
    this.scenario = scenario;
    this.site = site;
    this.family = scenario.family();
    this.vip = scenario.vip(site);
    this.firstClient = scenario.client(site, 0);
    this.firstMember = scenario.member(site, 0);
    this.tuples = (int) Math.min(scenario.addresses() * (long) Scenario.SOURCE_PORTS, MAX_TUPLES);
    this.clientEdge = clientEdge;
    this.ruleLifeNanos = ruleLifeNanos;
    this.faults = faults;
    this.outcome = outcome;
    firstPackets = new PacketInTemplate(family, vip, VIP_MAC);
    flowRemoved = new FlowRemovedTemplate(family, vip, 1);
    labels = new LabelView(scenario.pathLength());
    placedOn = new long[scenario.members()];
    for (int i = 0; i < scenario.clients(); i++) {
      clientsByNumber.put(nextHop(scenario.clientMac(site, i)), i);
    }
    for (int i = 0; i < scenario.members(); i++) {
      membersByNumber.put(nextHop(scenario.memberMac(site, i)), i);
    }
  }

  private static long nextHop(long mac) {
    return NextHopMac.of(MacAddress.of(mac), 0).getLong() & FieldSet.NEXT_HOP;
  }

  /** Resets with room for that many pending connections; a power of two. */
  void prepare(int slots) {
    state = new byte[slots];
    tuple = new int[slots];
    member = new int[slots];
    rule = new int[slots];
    cookie = new long[slots];
    sentNanos = new long[slots];
    Arrays.fill(placedOn, 0);
  }

  /** Lets it send first packets, or not. */
  void setOpen(boolean open) {
    isOpen = open;
  }

  /**
   * Sends the first packet of one more connection; false if there is no room for it, or if the site
   * must not send any.
   */
  boolean send(long now) {
    if (!isOpen) {
      return false;
    }
    while (removals.size() + state.length > tuples) {
      removeFirst(); // a five-tuple is reused only after its rule was removed
      if (removals.size() == 0) {
        break;
      }
    }
    int number = nextTuple;
    nextTuple = number + 1 == tuples ? 0 : number + 1;
    int slot = number & (state.length - 1);
    if (state[slot] != FREE) {
      return false;
    }
    state[slot] = WAITING;
    tuple[slot] = number;
    member[slot] = UNKNOWN_MEMBER;
    cookie[slot] = UNKNOWN_COOKIE;
    sentNanos[slot] = now;
    int client = number % scenario.addresses();
    firstPackets.syn(
        clientEdge,
        scenario.clientPort(client),
        scenario.clientMac(site, client),
        firstClient + client,
        tcpPort(number),
        number);
    return true;
  }

  private int tcpPort(int number) {
    return Scenario.FIRST_SOURCE_PORT + number / scenario.addresses();
  }

  /** The slot of a connection that waits; negative if none does. */
  private int slotOf(int address, int port) {
    int client = address - firstClient;
    if (client < 0 || client >= scenario.addresses() || port < Scenario.FIRST_SOURCE_PORT) {
      return -1;
    }
    int number = (port - Scenario.FIRST_SOURCE_PORT) * scenario.addresses() + client;
    int slot = number & (state.length - 1);
    return state.length > 0 && state[slot] != FREE && tuple[slot] == number ? slot : -1;
  }

  /** Takes a rule that one of the site's switches is given. */
  void flowMod(int sw, MessageScanner message, long now) {
    int place = sw - scenario.clientEdge(site);
    if (message.command != OpenFlow.FLOW_ADD) {
      delete(place, message);
    } else if (message.match.isTcpTuple()) {
      connectionRule(place, message, now);
    } else if (message.table == LABELS && message.match.present == FieldSet.ETH_DST) {
      labels.add(place, message);
    } else if (message.table == HOSTS && message.match.present == FieldSet.ETH_SRC) {
      hostRule(place, message.match.nextHop);
    }
  }

  private void delete(int place, MessageScanner message) {
    if (message.table == LABELS && message.match.present == FieldSet.ETH_DST) {
      labels.remove(place, message.match.ethDst);
    } else if (message.table == OpenFlow.ALL_TABLES
        && (message.cookieMask & COOKIE_OF_CONNECTION) == 0
        && message.match.present == 0) {
      labels.clear(place);
      if (place == 0) {
        clientRules.clear();
      }
      if (place == scenario.pathLength() - 1) {
        memberRules.clear();
      }
    }
  }

  private void hostRule(int place, long number) {
    @Nullable Integer client = clientsByNumber.get(number);
    @Nullable Integer asMember = membersByNumber.get(number);
    if (place == 0 && client != null) {
      clientRules.set(client);
    }
    if (place == scenario.pathLength() - 1 && asMember != null) {
      memberRules.set(asMember);
    }
  }

  private void connectionRule(int place, MessageScanner message, long now) {
    FieldSet match = message.match;
    if (match.ipDst == vip && message.table == REQUESTS) {
      int slot = slotOf(match.ipSrc, match.tcpSrc);
      if (slot < 0) {
        unexpected("request rule", match.ipSrc, match.tcpSrc);
        return;
      }
      check(slot, Kind.WRONG_RULE, isRightRequestRule(place, message), "request rule");
      check(slot, Kind.WRONG_LABEL, isRightLabel(message, true), "request rule");
      rule[slot] = message.priority << 16 | message.idleSeconds;
      takeCookie(slot, message.cookie);
      take(slot, HAS_REQUEST_RULE, message.set.ipDst, now);
    } else if (match.tcpSrc == Scenario.MEMBER_TCP_PORT) {
      int slot = slotOf(match.ipDst, match.tcpDst);
      if (slot < 0) {
        unexpected("reply rule", match.ipDst, match.tcpDst);
        return;
      }
      check(slot, Kind.WRONG_RULE, isRightReplyRule(place, message), "reply rule");
      check(slot, Kind.WRONG_LABEL, isRightLabel(message, false), "reply rule");
      takeCookie(slot, message.cookie);
      take(slot, HAS_REPLY_RULE, match.ipSrc, now);
    }
  }

  private boolean isRightRequestRule(int place, MessageScanner message) {
    return place == 0
        && message.match.tcpDst == Scenario.VIP_TCP_PORT
        && (message.flags & OpenFlow.SEND_FLOW_REMOVED) != 0
        && message.idleSeconds > 0
        && sets(
            message.set, FieldSet.IP_DST | FieldSet.TCP_DST | FieldSet.ETH_SRC, FieldSet.ETH_DST)
        && message.set.tcpDst == Scenario.MEMBER_TCP_PORT
        && memberOf(message.set.ipDst) == membersByNumber.getOrDefault(message.set.nextHop, -2);
  }

  private int memberOf(int address) {
    return address - firstMember;
  }

  private boolean isRightReplyRule(int place, MessageScanner message) {
    return place == scenario.pathLength() - 1
        && message.table == 0
        && message.idleSeconds > 0
        && sets(
            message.set, FieldSet.IP_SRC | FieldSet.TCP_SRC | FieldSet.ETH_SRC, FieldSet.ETH_DST)
        && message.set.nextHop == nextHop(clientMac(message.match.ipDst))
        && ((message.match.present & FieldSet.ETH_DST) == 0
            || message.match.ethDst == clientMac(message.match.ipDst))
        && message.set.ipSrc == vip
        && message.set.tcpSrc == Scenario.VIP_TCP_PORT;
  }

  private long clientMac(int address) {
    return scenario.clientMac(site, address - firstClient);
  }

  private static boolean sets(FieldSet set, int required, int allowed) {
    return (set.present & required) == required && (set.present & ~(required | allowed)) == 0;
  }

  private boolean isRightLabel(MessageScanner message, boolean toMembers) {
    boolean hasLabel = (message.set.present & FieldSet.ETH_DST) != 0;
    if (scenario.pathLength() == 1) {
      return message.gotoTable == HOSTS && !hasLabel;
    }
    return message.gotoTable == LABELS
        && hasLabel
        && (toMembers
            ? labels.leadsToMembers(message.set.ethDst)
            : labels.leadsToClients(message.set.ethDst));
  }

  /** Takes a frame that one of the site's switches should send; false if it is not for a VIP. */
  boolean packetOut(int sw, MessageScanner message, byte[] bytes, long now) {
    int ip = message.frame + 14;
    int tcp = ip + family.headerBytes;
    if (message.frameBytes < 14 + family.headerBytes + 20
        || Bytes.uint8(bytes, ip + family.protocolAt) != OpenFlow.IP_PROTO_TCP) {
      return false;
    }
    int source = family.source(bytes, ip);
    int target = family.destination(bytes, ip);
    if (target == vip) {
      firstPacket(sw, message, bytes, slotOf(source, Bytes.uint16(bytes, tcp)), now);
      return true;
    }
    if (source == vip) {
      int slot = slotOf(target, Bytes.uint16(bytes, tcp + 2));
      if (slot >= 0) {
        end(slot, Kind.REFUSED, "sent a reset to the client");
      }
      return true;
    }
    return false;
  }

  private void firstPacket(int sw, MessageScanner message, byte[] bytes, int slot, long now) {
    int ip = message.frame + 14;
    int tcp = ip + family.headerBytes;
    if (slot < 0) {
      unexpected("first packet", family.source(bytes, ip), Bytes.uint16(bytes, tcp));
      return;
    }
    int on = message.set.ipDst - firstMember;
    boolean right =
        sw == scenario.memberEdge(site)
            && message.frameBytes == PacketInTemplate.synFrameBytes(family)
            && Bytes.int32(bytes, tcp + 4) == tuple[slot]
            && sets(
                message.set,
                FieldSet.IP_DST | FieldSet.TCP_DST | FieldSet.ETH_DST | FieldSet.ETH_SRC,
                0)
            && message.set.tcpDst == Scenario.MEMBER_TCP_PORT
            && message.set.ethDst == scenario.memberMac(site, on)
            && message.outPort == scenario.memberPort(Math.max(0, on));
    check(slot, Kind.WRONG_PACKET, right, "first packet");
    take(slot, HAS_PACKET, message.set.ipDst, now);
  }

  private void takeCookie(int slot, long ofRule) {
    long connection = ofRule & COOKIE_OF_CONNECTION;
    check(
        slot,
        Kind.WRONG_COOKIE,
        cookie[slot] == UNKNOWN_COOKIE || (cookie[slot] & COOKIE_OF_CONNECTION) == connection,
        "second rule");
    // the request rule has the sixteen bits that FLOW_REMOVED is to carry
    if (cookie[slot] == UNKNOWN_COOKIE || (state[slot] & HAS_REQUEST_RULE) == 0) {
      cookie[slot] = ofRule;
    }
  }

  private void take(int slot, int part, int memberAddress, long now) {
    int on = memberAddress - firstMember;
    boolean known = on >= 0 && on < placedOn.length;
    check(
        slot,
        Kind.WRONG_MEMBER,
        known && (member[slot] == UNKNOWN_MEMBER || member[slot] == on),
        "member " + on);
    check(slot, Kind.UNEXPECTED, (state[slot] & part) == 0, "second message of a kind");
    member[slot] = on;
    state[slot] |= (byte) part;
    if ((state[slot] & COMPLETE) == COMPLETE) {
      complete(slot, now);
    }
  }

  private void complete(int slot, long now) {
    int client = tuple[slot] % scenario.addresses() % scenario.clients();
    boolean known = member[slot] >= 0 && member[slot] < placedOn.length;
    check(
        slot,
        Kind.NO_HOST_RULE,
        known && clientRules.get(client) && memberRules.get(member[slot]),
        "placement");
    boolean right = (state[slot] & WRONG) == 0;
    state[slot] = FREE;
    removals.add(
        now + ruleLifeNanos, tuple[slot], cookie[slot], rule[slot] >>> 16, rule[slot] & 0xffff);
    if (right) {
      placedOn[member[slot]]++;
      outcome.placed(site, now - sentNanos[slot]);
    } else {
      outcome.failed(now - sentNanos[slot]);
    }
  }

  private void check(int slot, Kind kind, boolean right, String what) {
    if (!right && (state[slot] & WRONG) == 0) {
      state[slot] |= WRONG;
      faults.add(kind, () -> what + " of " + describe(slot));
    }
  }

  private void unexpected(String what, int address, int port) {
    faults.add(Kind.UNEXPECTED, () -> what + " of " + scenario.text(address) + " port " + port);
  }

  private String describe(int slot) {
    return String.format(
        "%s port %d, state %s, cookie %x",
        scenario.text(firstClient + tuple[slot] % scenario.addresses()),
        tcpPort(tuple[slot]),
        Integer.toBinaryString(state[slot]),
        cookie[slot]);
  }

  private void end(int slot, Kind kind, String what) {
    faults.add(kind, () -> what + ": " + describe(slot));
    state[slot] = FREE;
    outcome.failed(System.nanoTime() - sentNanos[slot]);
  }

  /** Gives up the connections whose first packets were sent before that time. */
  void giveUpSentBefore(long nanos) {
    for (int slot = 0; slot < state.length; slot++) {
      if (state[slot] != FREE && sentNanos[slot] - nanos < 0) {
        end(slot, Kind.LOST, "not complete in time");
      }
    }
  }

  /** Reports the request rules that would have timed out by now. */
  void removeIdleRules(long now) {
    while (removals.isDue(now)) {
      removeFirst();
    }
  }

  private void removeFirst() {
    if (removals.size() > 0) {
      int number = removals.tuple();
      flowRemoved.append(
          clientEdge,
          removals.cookie(),
          removals.priority(),
          removals.idleSeconds(),
          firstClient + number % scenario.addresses(),
          tcpPort(number));
      removals.pop();
    }
  }

  /** Checks that round robin gave every member the same number, within one. */
  void checkEven() {
    long min = Arrays.stream(placedOn).min().orElse(0);
    long max = Arrays.stream(placedOn).max().orElse(0);
    if (max - min > 1) {
      faults.add(Kind.UNEVEN, () -> "members got " + min + " to " + max + " connections each");
    }
  }
}
