package io.malob.bench.load;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/**
 * Unwanted packets at the clients' switch of the first site, as a switch sends them: it drops
 * packets that its connection does not accept. Reports the rules of connections that they opened as
 * expired, without a packet, at their timeout. On the event loop only.
 */
public final class Storm {
  /** The VIP that is attacked, beside those of the sites. */
  public static final int VIP = 0xc613_0001; // 198.19.0.1

  /** The port of that VIP's members, which distinguishes their rules from the others'. */
  public static final int MEMBER_TCP_PORT = 9_090;

  /** The packets of a storm. */
  public enum Kind {
    /** TCP SYNs to the attacked VIP from random addresses and ports, as through a router. */
    SYN,
    /** TCP SYNs from random addresses to random ports of the first site's VIP. */
    PORTS,
    /** ARP requests for the first site's VIP from random MAC and IP addresses. */
    ARP,
    /** Packets from random MAC addresses to unused addresses. */
    HOSTS
  }

  /** Sources are 11.0.0.0 to 11.255.255.255, where there are no other hosts. */
  private static final int SOURCES = 0x0b00_0000;

  private static final int SOURCE_BITS = 0x00ff_ffff;
  private static final int SOURCE_PORT = 40_000;
  private static final long ROUTER_MAC = 0x0204_0000_0001L;
  private static final long FORGED_MACS = 0x0600_0000_0000L;
  private static final int REQUESTS = 1;
  private static final int CLASSIFY = 0;

  /** The cookie of the rules that lead SYNs and ARP for VIPs to the controller. */
  private static final long BY_VIP_RULE = 0x6521L << 48;

  private static final int TABLE = 15;
  private static final int COOKIE = 16;
  private static final int AT_A_TIME = 64;
  private static final long NANOS_PER_SECOND = 1_000_000_000;
  private static final int DST_PORT = 42 + 14 + 20 + 2;

  private final Outbox outbox;
  private final int siteVip;
  private final Random random = new Random(1);
  private final PacketInTemplate toVip = new PacketInTemplate(AddressFamily.IPV4, VIP, ROUTER_MAC);
  private final PacketInTemplate toSite;
  private final PacketInTemplate toNobody =
      new PacketInTemplate(AddressFamily.IPV4, 0xc633_6401, ROUTER_MAC);
  private final FlowRemovedTemplate flowRemoved =
      new FlowRemovedTemplate(AddressFamily.IPV4, VIP, 0);

  /**
   * By idle timeout in seconds: rules with the same timeout expire in the order of their addition.
   */
  private final Map<Integer, Removals> removals = new HashMap<>();

  private Kind kind = Kind.SYN;
  private int perSecond;
  private long startNanos;
  private long due;
  private long sent;
  private long blocked;
  private long blockedUntilNanos;

  Storm(Outbox outbox, int siteVip) {
    this.outbox = outbox;
    this.siteVip = siteVip;
    toSite = new PacketInTemplate(AddressFamily.IPV4, siteVip, ROUTER_MAC);
  }

  /**
   * What became of a storm.
   *
   * @param sent what came to the controller
   * @param blocked what the switch dropped because it was told to
   * @param dropped what it had to drop because the controller did not read fast enough
   */
  public record Sent(long sent, long blocked, long dropped) {}

  /**
   * Sends the given number per second from now on; 0 stops it. Returns the outcome of the earlier
   * ones.
   */
  Sent start(Kind newKind, int newPerSecond, long now) {
    Sent before = new Sent(sent, blocked, due - sent - blocked);
    kind = newKind;
    perSecond = newPerSecond;
    startNanos = now;
    due = 0;
    sent = 0;
    blocked = 0;
    blockedUntilNanos = now;
    return before;
  }

  /** Sends the due packets, as far as the connection accepts them. */
  void pump(long now) {
    long dueNow = (long) ((now - startNanos) / 1e9 * perSecond);
    long max = dueNow - due;
    due = dueNow;
    if (blockedUntilNanos - now > 0) {
      blocked += max;
      max = 0;
    }
    while (max > 0 && outbox.isWritable()) {
      for (int i = 0; i < AT_A_TIME && max > 0; i++, max--) {
        send();
        sent++;
      }
      outbox.flush();
    }
    removals.values().forEach(each -> removeIdle(each, now));
  }

  private void send() {
    int source = SOURCES | (random.nextInt() & SOURCE_BITS);
    switch (kind) {
      case SYN -> {
        toVip.syn(outbox, 1, ROUTER_MAC, source, SOURCE_PORT, 0);
        byVipRule();
      }
      case PORTS -> {
        toSite.syn(outbox, 1, ROUTER_MAC, source, SOURCE_PORT, 0);
        int port = 1_024 + random.nextInt(60_000);
        Bytes.put16(outbox.bytes(), outbox.lastStart() + DST_PORT, port);
        byVipRule();
      }
      case ARP -> {
        byte[] frame = PacketInTemplate.arp(1, forgedMac(), source, 0, siteVip);
        PacketInTemplate.other(outbox, 1, frame, 0, frame.length);
        byVipRule();
      }
      case HOSTS -> {
        toNobody.syn(outbox, 1, forgedMac(), source, SOURCE_PORT, 0);
        outbox.bytes()[outbox.lastStart() + TABLE] = CLASSIFY;
      }
    }
  }

  /** As by the rules that match SYNs to a VIP, and ARP for it. */
  private void byVipRule() {
    outbox.bytes()[outbox.lastStart() + TABLE] = CLASSIFY;
    Bytes.put64(outbox.bytes(), outbox.lastStart() + COOKIE, BY_VIP_RULE);
  }

  private long forgedMac() {
    return FORGED_MACS | Integer.toUnsignedLong(random.nextInt());
  }

  /** Takes a rule of the switch, if it is for a connection of the storm or against the storm. */
  void flowMod(MessageScanner message, long now) {
    FieldSet match = message.match;
    if (message.command == OpenFlow.FLOW_ADD
        && message.table == CLASSIFY
        && message.hardSeconds > 0
        && kind != Kind.PORTS) { // it names one of the ports
      blockedUntilNanos = now + message.hardSeconds * NANOS_PER_SECOND;
    }
    if (message.command == OpenFlow.FLOW_ADD
        && message.table == REQUESTS
        && match.isTcpTuple()
        && match.ipDst == VIP) {
      removals
          .computeIfAbsent(message.idleSeconds, any -> new Removals())
          .add(
              now + message.idleSeconds * NANOS_PER_SECOND,
              match.ipSrc,
              message.cookie,
              message.priority,
              message.idleSeconds);
    }
  }

  private void removeIdle(Removals rules, long now) {
    while (rules.isDue(now)) {
      flowRemoved.append(
          outbox,
          rules.cookie(),
          rules.priority(),
          rules.idleSeconds(),
          rules.tuple(),
          SOURCE_PORT);
      rules.pop();
    }
  }

  /** How many connections of the storm have rules. */
  int rules() {
    return removals.values().stream().mapToInt(Removals::size).sum();
  }
}
