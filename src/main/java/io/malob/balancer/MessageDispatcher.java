package io.malob.balancer;

import com.google.common.collect.Maps;
import com.google.common.util.concurrent.AtomicLongMap;
import io.malob.balancer.api.PacketInCounters;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.bucket.TranslatedReply;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionRuleSender;
import io.malob.balancer.health.FrameProbes;
import io.malob.balancer.view.MemberTraffic;
import io.malob.capability.ISwitchCapabilityService;
import io.malob.capability.SwitchFeature;
import io.malob.openflow.ConnectionRules;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.HostRules;
import io.malob.openflow.RefusedGroup;
import io.malob.openflow.RefusedRule;
import io.malob.openflow.RuleCounts;
import io.malob.openflow.SegmentRule;
import io.malob.openflow.bucket.OpeningRule;
import io.malob.openflow.bucket.SourceRules;
import io.malob.openflow.label.Label;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.tracked.ConntrackMatch;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.protocol.OFFlowRemovedReason;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/**
 * Dispatches the messages of switches to the balancer: packet-ins, removed rules and errors about
 * rules. Threads that read from switches call it concurrently; it never blocks.
 */
final class MessageDispatcher implements IOFMessageListener {
  /**
   * The name that other listeners refer to for their order; Floodlight's own balancer has the same
   * name.
   */
  static final String NAME = "loadbalancer";

  /** The message types that it handles. */
  static final List<OFType> TYPES = List.of(OFType.PACKET_IN, OFType.FLOW_REMOVED, OFType.ERROR);

  /** Listeners that must process a packet first. */
  private static final Set<String> BEFORE = Set.of("linkdiscovery", "topology", "devicemanager");

  private final BalancerContext context;
  private final Viewing viewing;
  private final Connecting connecting;
  private final Placing placing;
  private final FrameProbes healthProbes;
  private final ProactivePlacement proactive;

  /** The traffic of members by ended rules. */
  final MemberTraffic traffic = new MemberTraffic();

  /** The numbers of rules that switches have rejected, by switch and reason: these are few. */
  private final Map<DatapathId, AtomicLongMap<String>> rejectedRules = new ConcurrentHashMap<>();

  /** Null without a cluster. */
  private volatile @Nullable UnownedMessages unowned;

  MessageDispatcher(
      BalancerContext context,
      Viewing viewing,
      Connecting connecting,
      Placing placing,
      FrameProbes healthProbes,
      ProactivePlacement proactive) {
    this.context = context;
    this.viewing = viewing;
    this.connecting = connecting;
    this.placing = placing;
    this.healthProbes = healthProbes;
    this.proactive = proactive;
  }

  /** The rejected rules, without switches that accepted all rules. */
  Map<DatapathId, Map<String, Long>> rejectedRules() {
    return new TreeMap<>(
        Maps.transformValues(rejectedRules, counts -> new TreeMap<>(counts.asMap())));
  }

  /** Lets other controllers handle what concerns their connections. */
  void forwardBy(UnownedMessages others) {
    unowned = others;
  }

  /** Handles a message that another controller has forwarded, as if the switch had sent it here. */
  void forwarded(IOFSwitch sw, OFMessage message) {
    if (message instanceof OFPacketIn packetIn) {
      var unused = packetIn(sw.getId(), packetIn, null);
    } else if (message instanceof OFFlowRemoved flowRemoved) {
      flowRemoved(sw.getId(), flowRemoved, null);
    }
  }

  @Override
  public Command receive(IOFSwitch sw, OFMessage message, FloodlightContext unused) {
    if (message instanceof OFPacketIn packetIn) {
      boolean isOurs = packetIn(sw.getId(), packetIn, unowned);
      if (!isOurs) {
        context.packetIns.count(PacketInCounters.Outcome.OTHER);
      }
      return isOurs ? Command.STOP : Command.CONTINUE;
    }
    if (message instanceof OFFlowRemoved flowRemoved) {
      flowRemoved(sw.getId(), flowRemoved, unowned);
    } else if (message instanceof OFErrorMsg error) {
      RefusedRule.of(error).ifPresent(rule -> refused(sw.getId(), rule));
      RefusedGroup.of(error).ifPresent(group -> viewing.labels.refused(sw.getId(), group));
    }
    return Command.CONTINUE;
  }

  /** By which rule of a switch a packet has come, as far as that matters. */
  private enum Entry {
    /** As a copy of a packet that ends a connection; the switch has forwarded the packet itself. */
    END,
    /** By the rule of a connection that was closed. */
    CLOSED,
    /** As the first of a connection that the switch is to track. */
    OPENING,
    /** By the rule for packets for which no source port is left. */
    EXHAUSTED,
    /** By no rule, after it was translated. */
    TRANSLATED,
    /** As a reply of a connection that its client's switch does not track. */
    UNKNOWN_REPLY,
    /** By the rule of a VIP, or by no rule for its VIP. */
    VIP,
    OTHER;

    static Entry of(OFPacketIn packetIn) {
      if (Cookie.is(packetIn.getCookie(), CookieKind.SWITCH)) {
        TableId table = packetIn.getTableId();
        return table.equals(FlowLayout.HOSTS)
            ? TRANSLATED
            : table.equals(FlowLayout.REQUESTS) ? VIP : OTHER;
      }
      if (Cookie.is(packetIn.getCookie(), CookieKind.END)) {
        return END;
      }
      if (Cookie.is(packetIn.getCookie(), CookieKind.CLOSED)) {
        return CLOSED;
      }
      if (OpeningRule.is(packetIn.getCookie())) {
        return OPENING;
      }
      if (SourceRules.isExhausted(packetIn.getCookie())) {
        return EXHAUSTED;
      }
      if (Cookie.is(packetIn.getCookie(), CookieKind.PROACTIVE)
          && packetIn.getTableId().equals(FlowLayout.HOSTS)) {
        return UNKNOWN_REPLY;
      }
      return Cookie.is(packetIn.getCookie(), CookieKind.VIP) ? VIP : OTHER;
    }
  }

  /**
   * Handles a packet; false if it is not the balancer's concern.
   *
   * @param others takes packets of other controllers' connections; null if none is to be forwarded
   */
  private boolean packetIn(
      DatapathId switchId, OFPacketIn packetIn, @Nullable UnownedMessages others) {
    Entry entry = Entry.of(packetIn);
    Packet packet = Packet.parse(packetIn.getData());
    if (entry == Entry.END) {
      context.packetIns.count(PacketInCounters.Outcome.END);
      boolean isFinished =
          packet.hasTcpFlags(Packet.TCP_FIN) && !packet.hasTcpFlags(Packet.TCP_RST);
      connecting.teardown.ended(packet.fiveTuple(), isFinished);
      return true;
    }
    if (packet.etherType() == SegmentRule.ETHERTYPE) {
      return true; // an announcement: others would flood it
    }
    OFPort inPort = packetIn.getMatch().get(MatchField.IN_PORT);
    if (placing.neighbours.handle(switchId, inPort, packet)) {
      context.packetIns.count(PacketInCounters.Outcome.ARP);
      return true;
    }
    // translated packets are delivered at once, whoever owns their connections
    if (others != null
        && packet.isIp()
        && entry != Entry.TRANSLATED
        && !Label.isLabel(packet.dstMac())
        && others.takes(switchId, packetIn, packet)) {
      return true;
    }
    if (entry == Entry.CLOSED) {
      return placing.requests.handleAfterClosing(switchId, inPort, packet);
    }
    if (entry == Entry.OPENING) {
      placing.requests.handleOpening(switchId, inPort, packet);
      return true;
    }
    if (entry == Entry.EXHAUSTED) {
      placing.requests.rejectForPorts(switchId, inPort, packet);
      return true;
    }
    if (packet.isIp() && entry == Entry.TRANSLATED) {
      placing.requests.handleLost(packet);
      return true;
    }
    if (entry == Entry.UNKNOWN_REPLY) {
      placing.requests.handleUnknownReply(packet, Cookie.vipNumber(packetIn.getCookie()));
      return true;
    }
    if (placing.requests.isTranslatedReply(packetIn, packet)) {
      placing.requests.replyToClient(TranslatedReply.addressed(packetIn, packet));
      return true;
    }
    switch (packet.kind()) {
      case TCP, UDP, ICMP, OTHER_IP -> {
        if (healthProbes.take(switchId, inPort, packet)) {
          context.packetIns.count(PacketInCounters.Outcome.CHECK);
          return true;
        }
        // in the first table, only what was looked up in vain is marked as tracked
        boolean isOfNoTracked =
            packetIn.getTableId().equals(FlowLayout.CLASSIFY)
                && ConntrackMatch.isTracked(packetIn.getMatch());
        return placing.requests.handle(switchId, inPort, packet, isOfNoTracked)
            || placing.selfTraffic.handle(switchId, inPort, packet);
      }
      case MALFORMED -> {
        if (entry == Entry.VIP) {
          placing.requests.handleMalformed();
        }
        return entry == Entry.VIP;
      }
      default -> {
        return false;
      }
    }
  }

  /**
   * Cuts off the connection of a rejected rule, because without its rules its end would go
   * unnoticed. Its client's next packet is rejected or, if it is a SYN, placed anew. A label with a
   * rejected rule is not usable.
   */
  private void refused(DatapathId switchId, RefusedRule rule) {
    rejectedRules
        .computeIfAbsent(switchId, any -> AtomicLongMap.create())
        .incrementAndGet(rule.reason());
    if (Cookie.is(rule.cookie(), CookieKind.REQUEST)
        || Cookie.is(rule.cookie(), CookieKind.REPLY)) {
      @Nullable Connection connection = connecting.latest.find(switchId, rule.cookie());
      if (connection != null) {
        context.rejects.count(RejectReason.RULE_REFUSED);
        connecting.teardown.cutOff(connection);
      }
    } else if (Cookie.is(rule.cookie(), CookieKind.LABEL)) {
      viewing.labels.refused(Cookie.id(rule.cookie()));
    } else if (Cookie.is(rule.cookie(), CookieKind.BUCKET)
        || Cookie.is(rule.cookie(), CookieKind.PROACTIVE)) {
      proactive.refused(switchId, rule);
    } else if (ConnectionRules.isPinnedSyn(rule.cookie()) && rule.isOfMatch()) {
      context.features.refused(switchId, SwitchFeature.TCP_FLAGS);
    }
  }

  private void flowRemoved(
      DatapathId switchId, OFFlowRemoved message, @Nullable UnownedMessages others) {
    if (others != null
        && Cookie.is(message.getCookie(), CookieKind.REPLY)
        && others.takes(switchId, message)) {
      return;
    }
    boolean isOfConnection =
        Cookie.is(message.getCookie(), CookieKind.REQUEST)
            || Cookie.is(message.getCookie(), CookieKind.REPLY);
    Optional<RuleCounts> counts = isOfConnection ? RuleCounts.of(message) : Optional.empty();
    if (Cookie.is(message.getCookie(), CookieKind.HOST)) {
      connecting.hostRules.ended(switchId, HostRules.nextHop(message.getMatch()));
    } else if (Cookie.is(message.getCookie(), CookieKind.DENIAL)) {
      placing.aclDropRules.ended(message);
    } else if (ConnectionRules.isPinnedSyn(message.getCookie())) {
      if (message.getReason() == OFFlowRemovedReason.IDLE_TIMEOUT) {
        connecting.activator.watchRuleExpired(
            ConnectionRules.tupleOf(message.getMatch()), Cookie.generation(message.getCookie()));
      }
    } else if (Cookie.is(message.getCookie(), CookieKind.REQUEST)
        // the balancer itself deleted such a rule and has removed the connection already
        && message.getReason() != OFFlowRemovedReason.DELETE) {
      @Nullable Connection connection =
          connecting.teardown.timedOut(
              switchId,
              ConnectionRules.tupleOf(message.getMatch()),
              Cookie.generation(message.getCookie()),
              RuleCounts.packets(message));
      placing.samples.requestRuleEnded(message, connection);
      if (connection != null) {
        proactive.expired(connection, message.getIdleTimeout());
        counts.ifPresent(each -> context.records.records().ruleTimedOut(connection, true, each));
      }
    } else if (isOfConnection) {
      replyRuleEnded(switchId, message, counts);
      placing.samples.ruleEnded(message);
    }
    counts.ifPresent(each -> counted(message.getCookie(), each));
  }

  /** Only connections of UDP depend on it. */
  private void replyRuleEnded(
      DatapathId switchId, OFFlowRemoved message, Optional<RuleCounts> counts) {
    if (message.getReason() == OFFlowRemovedReason.DELETE
        || !IpProtocol.UDP.equals(message.getMatch().get(MatchField.IP_PROTO))) {
      return;
    }
    @Nullable Connection connection =
        connecting.teardown.replyTimedOut(
            switchId,
            ConnectionRules.tupleOf(message.getMatch()),
            Cookie.generation(message.getCookie()),
            RuleCounts.packets(message),
            message.getIdleTimeout());
    if (connection != null) {
      proactive.expired(
          connection, message.getIdleTimeout() - ConnectionRuleSender.REPLY_GRACE_SECONDS);
      counts.ifPresent(each -> context.records.records().ruleTimedOut(connection, false, each));
    }
  }

  private void counted(U64 cookie, RuleCounts counts) {
    traffic.ruleEnded(cookie, counts);
    context.records.records().ruleEnded(cookie, counts);
  }

  @Override
  public String getName() {
    return NAME;
  }

  @Override
  public boolean isCallbackOrderingPrereq(OFType type, String name) {
    return (type == OFType.PACKET_IN && BEFORE.contains(name))
        || (type == OFType.ERROR && name.equals(ISwitchCapabilityService.LISTENER));
  }

  @Override
  public boolean isCallbackOrderingPostreq(OFType type, String name) {
    return type == OFType.PACKET_IN && name.equals("forwarding");
  }
}
