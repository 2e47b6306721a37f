package io.malob.balancer;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.FiveTuple;
import io.malob.balancer.admission.AclDropRules;
import io.malob.balancer.admission.ConnectionTeardown;
import io.malob.balancer.admission.RequestHandler;
import io.malob.balancer.admission.VipNeighbours;
import io.malob.balancer.api.PacketInCounters;
import io.malob.balancer.api.RejectCounters;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionProgrammer;
import io.malob.balancer.connection.ConnectionRecords;
import io.malob.balancer.connection.FlowSamples;
import io.malob.balancer.connection.HostRuleCache;
import io.malob.balancer.connection.LatestConnections;
import io.malob.balancer.health.FrameProbes;
import io.malob.balancer.recovery.SwitchPreparation;
import io.malob.balancer.view.MemberTraffic;
import io.malob.openflow.ConnectionRules;
import io.malob.openflow.Cookie;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.IpFamily;
import io.malob.openflow.RefusedGroup;
import io.malob.openflow.RefusedRule;
import io.malob.openflow.RuleCounts;
import io.malob.openflow.label.Label;
import io.malob.openflow.label.LabelTable;
import io.malob.openflow.packet.Packet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
final class SwitchMessages implements IOFMessageListener {
  /**
   * The name that other listeners refer to for their order; Floodlight's own balancer has the same
   * name.
   */
  static final String NAME = "loadbalancer";

  /** The message types that it handles. */
  static final List<OFType> TYPES = List.of(OFType.PACKET_IN, OFType.FLOW_REMOVED, OFType.ERROR);

  /** Listeners that must process a packet first. */
  private static final Set<String> BEFORE = Set.of("linkdiscovery", "topology", "devicemanager");

  private final RequestHandler requests;
  private final VipNeighbours neighbours;
  private final FrameProbes healthProbes;
  private final ConnectionTeardown teardown;
  private final AclDropRules aclDropRules;
  private final LabelTable labels;
  private final HostRuleCache hostRules;
  private final SwitchPreparation preparation;
  private final LatestConnections latest;
  private final FlowSamples samples;
  private final MemberTraffic traffic;
  private final ConnectionRecords records;
  private final RejectCounters rejects;
  private final RejectedRules rejectedRules;
  private final PacketInCounters packetIns;
  private final Proactive proactive;

  /** Null without a cluster. */
  private volatile @Nullable ForeignMessages foreign;

  /** What concerns proactive VIPs. */
  interface Proactive {
    /** A switch has rejected a message; false if it was not a probe of its masks. */
    boolean probeRefused(OFErrorMsg error);

    /** A switch has refused a rule. */
    void refused(DatapathId switchId, RefusedRule rule);

    /**
     * The rules of a connection have expired.
     *
     * @param idleSeconds their idle timeout
     */
    void expired(Connection connection, int idleSeconds);

    /** The rule for SYNs on the five-tuple of a connection has expired. */
    void synRuleExpired(FiveTuple request, int generation);
  }

  SwitchMessages(
      RequestHandler requests,
      VipNeighbours neighbours,
      FrameProbes healthProbes,
      ConnectionTeardown teardown,
      AclDropRules aclDropRules,
      LabelTable labels,
      HostRuleCache hostRules,
      SwitchPreparation preparation,
      LatestConnections latest,
      FlowSamples samples,
      MemberTraffic traffic,
      ConnectionRecords records,
      RejectCounters rejects,
      RejectedRules rejectedRules,
      PacketInCounters packetIns,
      Proactive proactive) {
    this.requests = requests;
    this.neighbours = neighbours;
    this.healthProbes = healthProbes;
    this.teardown = teardown;
    this.aclDropRules = aclDropRules;
    this.labels = labels;
    this.hostRules = hostRules;
    this.preparation = preparation;
    this.latest = latest;
    this.samples = samples;
    this.traffic = traffic;
    this.records = records;
    this.rejects = rejects;
    this.rejectedRules = rejectedRules;
    this.packetIns = packetIns;
    this.proactive = proactive;
  }

  /** Lets other controllers handle what concerns their connections. */
  void forwardBy(ForeignMessages others) {
    foreign = others;
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
  public Command receive(IOFSwitch sw, OFMessage message, FloodlightContext context) {
    if (message instanceof OFPacketIn packetIn) {
      boolean isOurs = packetIn(sw.getId(), packetIn, foreign);
      if (!isOurs) {
        packetIns.count(PacketInCounters.Outcome.OTHER);
      }
      return isOurs ? Command.STOP : Command.CONTINUE;
    }
    if (message instanceof OFFlowRemoved flowRemoved) {
      flowRemoved(sw.getId(), flowRemoved, foreign);
    } else if (message instanceof OFErrorMsg error
        && !preparation.refused(error.getXid())
        && !proactive.probeRefused(error)) {
      RefusedRule.of(error).ifPresent(rule -> refused(sw.getId(), rule));
      RefusedGroup.of(error).ifPresent(group -> labels.refused(sw.getId(), group));
    }
    return Command.CONTINUE;
  }

  /**
   * Handles a packet; false if it is none of the balancer's business.
   *
   * @param others takes packets of other controllers' connections; null if none is to be forwarded
   */
  private boolean packetIn(
      DatapathId switchId, OFPacketIn packetIn, @Nullable ForeignMessages others) {
    Packet packet = Packet.parse(packetIn.getData());
    if (Cookie.is(packetIn.getCookie(), Cookie.Kind.END)) {
      // this is a copy; the switch has forwarded the packet itself
      packetIns.count(PacketInCounters.Outcome.END);
      if (packet.hasTcpFlags(Packet.TCP_FIN) && !packet.hasTcpFlags(Packet.TCP_RST)) {
        teardown.finished(packet.fiveTuple());
      } else {
        teardown.ended(packet.fiveTuple());
      }
      return true;
    }
    OFPort inPort = packetIn.getMatch().get(MatchField.IN_PORT);
    if (neighbours.handle(switchId, inPort, packet)) {
      packetIns.count(PacketInCounters.Outcome.ARP);
      return true;
    }
    // translated packets are delivered at once, whoever owns their connections
    if (others != null
        && packet.isIp()
        && !isMissOf(FlowLayout.HOSTS, packetIn)
        && !Label.isLabel(packet.dstMac())
        && others.takes(switchId, packetIn, packet)) {
      return true;
    }
    if (Cookie.is(packetIn.getCookie(), Cookie.Kind.CLOSED)) {
      return requests.handleAfterClosing(switchId, inPort, packet);
    }
    if (packet.isIp() && isMissOf(FlowLayout.HOSTS, packetIn)) {
      requests.handleLost(switchId, inPort, packet);
      return true;
    }
    if (requests.isTranslatedReply(packetIn, packet)) {
      requests.replyToClient(packet);
      return true;
    }
    return switch (packet.kind()) {
      case TCP, UDP, ICMP, OTHER_IP ->
          answersCheck(switchId, inPort, packet) || requests.handle(switchId, inPort, packet);
      case MALFORMED -> malformed(packetIn);
      case ARP, OTHER -> false;
    };
  }

  private boolean answersCheck(DatapathId switchId, OFPort inPort, Packet packet) {
    boolean isAnswer = healthProbes.take(switchId, inPort, packet);
    if (isAnswer) {
      packetIns.count(PacketInCounters.Outcome.CHECK);
    }
    return isAnswer;
  }

  private boolean malformed(OFPacketIn packetIn) {
    boolean isForAVip =
        isMissOf(FlowLayout.REQUESTS, packetIn) || Cookie.is(packetIn.getCookie(), Cookie.Kind.VIP);
    if (isForAVip) {
      requests.handleMalformed();
    }
    return isForAVip;
  }

  private static boolean isMissOf(TableId table, OFPacketIn packetIn) {
    return packetIn.getTableId().equals(table)
        && Cookie.is(packetIn.getCookie(), Cookie.Kind.SWITCH);
  }

  /**
   * Cuts off the connection of a rejected rule, because without its rules its end would go
   * unnoticed. Its client's next packet is rejected or, if it is a SYN, placed anew. A label with a
   * rejected rule is not usable.
   */
  private void refused(DatapathId switchId, RefusedRule rule) {
    rejectedRules.count(switchId, rule.reason());
    if (Cookie.is(rule.cookie(), Cookie.Kind.REQUEST)
        || Cookie.is(rule.cookie(), Cookie.Kind.REPLY)) {
      @Nullable Connection connection = latest.find(switchId, rule.cookie());
      if (connection != null) {
        rejects.count(RejectReason.RULE_REFUSED);
        teardown.cutOff(connection);
      }
    } else if (Cookie.is(rule.cookie(), Cookie.Kind.LABEL)) {
      labels.refused(Cookie.id(rule.cookie()));
    } else if (Cookie.is(rule.cookie(), Cookie.Kind.BUCKET)
        || Cookie.is(rule.cookie(), Cookie.Kind.PROACTIVE)) {
      proactive.refused(switchId, rule);
    } else if (ConnectionRules.isPinnedSyn(rule.cookie()) && rule.isOfMatch()) {
      preparation.lacksTcpFlags(switchId);
    }
  }

  private void flowRemoved(
      DatapathId switchId, OFFlowRemoved message, @Nullable ForeignMessages others) {
    if (others != null
        && Cookie.is(message.getCookie(), Cookie.Kind.REPLY)
        && others.takes(switchId, message)) {
      return;
    }
    boolean isOfConnection =
        Cookie.is(message.getCookie(), Cookie.Kind.REQUEST)
            || Cookie.is(message.getCookie(), Cookie.Kind.REPLY);
    Optional<RuleCounts> counts = isOfConnection ? RuleCounts.of(message) : Optional.empty();
    if (Cookie.is(message.getCookie(), Cookie.Kind.HOST)) {
      hostRules.ended(switchId, AddressKey.find(IpFamily.destination(message.getMatch())));
    } else if (Cookie.is(message.getCookie(), Cookie.Kind.DENIAL)) {
      aclDropRules.ended(message);
    } else if (ConnectionRules.isPinnedSyn(message.getCookie())) {
      if (message.getReason() == OFFlowRemovedReason.IDLE_TIMEOUT) {
        proactive.synRuleExpired(
            ConnectionRules.tupleOf(message.getMatch()), Cookie.generation(message.getCookie()));
      }
    } else if (Cookie.is(message.getCookie(), Cookie.Kind.REQUEST)
        // the balancer itself deleted such a rule and has removed the connection already
        && message.getReason() != OFFlowRemovedReason.DELETE) {
      @Nullable Connection connection =
          teardown.timedOut(
              switchId,
              ConnectionRules.tupleOf(message.getMatch()),
              Cookie.generation(message.getCookie()),
              RuleCounts.packets(message));
      samples.requestRuleEnded(message, connection);
      if (connection != null) {
        proactive.expired(connection, message.getIdleTimeout());
        counts.ifPresent(each -> records.ruleTimedOut(connection, true, each));
      }
    } else if (isOfConnection) {
      replyRuleEnded(switchId, message, counts);
      samples.ruleEnded(message);
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
        teardown.replyTimedOut(
            switchId,
            ConnectionRules.tupleOf(message.getMatch()),
            Cookie.generation(message.getCookie()),
            RuleCounts.packets(message),
            message.getIdleTimeout());
    if (connection != null) {
      proactive.expired(
          connection, message.getIdleTimeout() - ConnectionProgrammer.REPLY_GRACE_SECONDS);
      counts.ifPresent(each -> records.ruleTimedOut(connection, false, each));
    }
  }

  private void counted(U64 cookie, RuleCounts counts) {
    traffic.ruleEnded(cookie, counts);
    records.ruleEnded(cookie, counts);
  }

  @Override
  public String getName() {
    return NAME;
  }

  @Override
  public boolean isCallbackOrderingPrereq(OFType type, String name) {
    return type == OFType.PACKET_IN && BEFORE.contains(name);
  }

  @Override
  public boolean isCallbackOrderingPostreq(OFType type, String name) {
    return type == OFType.PACKET_IN && name.equals("forwarding");
  }
}
