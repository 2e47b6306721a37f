package io.malob.balancer.connection;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.view.VipMac;
import io.malob.openflow.ConnectionRules;
import io.malob.openflow.ConnectionRules.Translation;
import io.malob.openflow.Cookie;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.FoundRule;
import io.malob.openflow.PacketOuts;
import io.malob.openflow.SwitchMessages;
import io.malob.openflow.TableLayout;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import io.malob.state.catalog.Protocol;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/**
 * Installs the rules of connections on switches, and forwards the packets that reached the
 * controller instead of a rule. All messages for a switch are sent together, rules before packets.
 * Thread-safe.
 */
public final class ConnectionProgrammer {
  /**
   * How much longer the idle timeout of the reply rule is: it must not expire before the request
   * rule.
   */
  public static final int REPLY_GRACE_SECONDS = 5;

  /** Open vSwitch uses a new rule after half a second at the latest. */
  private static final long TAKES_EFFECT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * For how long the packets of a closed connection are redirected to the controller. Its ends
   * answer within a second.
   */
  private static final int CLOSED_SECONDS = 30;

  private final FlowProgrammer programmer;
  private final HostRuleCache hostRules;
  private final IdleTimeouts idleTimeouts;
  private final FtpSessions ftpSessions;
  private final LatestConnections latest;
  private final ConnectionRecords records;
  private final Buckets buckets;
  private final LongSupplier nanoTime;

  public ConnectionProgrammer(
      FlowProgrammer programmer,
      HostRuleCache hostRules,
      IdleTimeouts idleTimeouts,
      FtpSessions ftpSessions,
      LatestConnections latest,
      ConnectionRecords records,
      Buckets buckets,
      LongSupplier nanoTime) {
    this.programmer = programmer;
    this.hostRules = hostRules;
    this.idleTimeouts = idleTimeouts;
    this.ftpSessions = ftpSessions;
    this.latest = latest;
    this.records = records;
    this.buckets = buckets;
    this.nanoTime = nanoTime;
  }

  /** The idle timeouts of connections' rules in seconds, by protocol. */
  public record IdleTimeouts(int tcp, int udp, int icmp) {
    int of(FiveTuple tuple) {
      int protocol = tuple.protocol();
      if (protocol == Protocol.TCP.ipNumber()) {
        return tcp;
      }
      return protocol == Protocol.UDP.ipNumber() ? udp : icmp;
    }
  }

  /** The idle timeout of a connection's request rule in seconds. */
  public int idleSeconds(FiveTuple request, boolean isBrief) {
    int usual = idleTimeouts.of(request);
    return isBrief ? Math.min(HalfOpenLimit.BRIEF_SECONDS, usual) : usual;
  }

  /** The idle timeout of a connection's request rule in seconds, where its bucket counts, too. */
  public int idleSeconds(Connection connection) {
    return buckets.idleSeconds(
        connection.vipNumber(),
        connection.client().switchId(),
        connection.request(),
        connection.server().number(),
        idleSeconds(connection.request(), connection.isBrief()));
  }

  /** Installs the rules of a connection and forwards a packet of either end. */
  public void carry(Connection connection, Route route, Packet packet) {
    boolean isRequest = packet.dstAddress() == connection.request().dstAddress();
    if (connection.program(nanoTime.getAsLong(), TAKES_EFFECT_NANOS)) {
      carry(connection, route, packet.frame(), isRequest);
      @Nullable Route now = connection.route();
      if (now != null && !now.equals(route)) {
        restore(connection, now); // rerouted meanwhile, maybe before the older rules were sent
      }
    } else {
      deliver(connection.translation(route, isRequest), packet.frame());
    }
  }

  /** Forwards a packet of a connection's client that gets no rules. */
  public void deliverWithoutRules(Connection connection, Packet packet) {
    Attachment member = connection.server().at();
    deliver(
        new Translation(
            connection.request(), connection.requestAtMember(), null, null, member, member.port()),
        packet.frame());
  }

  /** Forwards a packet whose rules have been sent but may not be in effect yet. */
  private void deliver(Translation translation, byte[] frame) {
    programmer.send(
        translation.receiver().switchId(),
        factory -> List.of(ConnectionRules.deliver(factory, translation, frame)));
  }

  private void carry(Connection connection, Route route, byte[] frame, boolean isRequest) {
    latest.add(connection);
    Translation request = connection.requestTranslation(route);
    Translation reply = connection.replyTranslation(route);
    DatapathId clientSwitch = connection.client().switchId();
    DatapathId memberSwitch = connection.server().at().switchId();
    // the member's side first: the reply rule must be there before the first reply
    if (clientSwitch.equals(memberSwitch)) {
      programmer.send(
          clientSwitch,
          factory -> {
            ImmutableList.Builder<OFMessage> messages = ImmutableList.builder();
            addMemberSide(messages, factory, connection, reply);
            addClientSide(messages, factory, connection, request);
            messages.add(ConnectionRules.deliver(factory, isRequest ? request : reply, frame));
            return messages.build();
          });
      return;
    }
    programmer.send(
        memberSwitch,
        factory -> {
          ImmutableList.Builder<OFMessage> messages = ImmutableList.builder();
          addMemberSide(messages, factory, connection, reply);
          if (isRequest) {
            messages.add(ConnectionRules.deliver(factory, request, frame));
          }
          return messages.build();
        });
    programmer.send(
        clientSwitch,
        factory -> {
          ImmutableList.Builder<OFMessage> messages = ImmutableList.builder();
          addClientSide(messages, factory, connection, request);
          if (!isRequest) {
            messages.add(ConnectionRules.deliver(factory, reply, frame));
          }
          return messages.build();
        });
  }

  private void addMemberSide(
      ImmutableList.Builder<OFMessage> messages,
      OFFactory factory,
      Connection connection,
      Translation reply) {
    messages.addAll(
        hostRules(factory, connection, connection.server().address(), connection.server().at()));
    messages.add(
        ConnectionRules.reply(
            factory,
            reply,
            connection.vipNumber(),
            connection.server().number(),
            connection.generation(),
            idleSeconds(connection) + REPLY_GRACE_SECONDS,
            connection.endsWithBothRules() || connection.isSampled() || records.areKept()));
    if (connection.isToFtp() && ftpSessions.isOpen(connection)) {
      messages.add(ftpDataRule(factory, connection));
    }
  }

  private void addClientSide(
      ImmutableList.Builder<OFMessage> messages,
      OFFactory factory,
      Connection connection,
      Translation request) {
    int address = connection.request().srcAddress();
    messages.addAll(
        connection.isBrief()
            ? hostRules.missingOfDoubtful(factory, address, connection.client())
            : hostRules(factory, connection, address, connection.client()));
    messages.add(
        ConnectionRules.request(
            factory,
            request,
            connection.vipNumber(),
            connection.server().number(),
            connection.generation(),
            idleSeconds(connection)));
    if (needsSynRule(connection)) {
      messages.add(synRule(factory, connection));
    }
  }

  /** The rules of one of its ends. */
  private List<OFMessage> hostRules(
      OFFactory factory, Connection connection, int address, Attachment at) {
    Attachment client = connection.client();
    Attachment member = connection.server().at();
    boolean isAtOnePort =
        client.port().equals(member.port()) && client.switchId().equals(member.switchId());
    return isAtOnePort
        ? hostRules.renewed(factory, address, at)
        : hostRules.missing(factory, address, at);
  }

  private boolean needsSynRule(Connection connection) {
    return buckets.watchesSyns(
        connection.vipNumber(),
        connection.client().switchId(),
        connection.request(),
        connection.server().number());
  }

  private OFMessage synRule(OFFactory factory, Connection connection) {
    return ConnectionRules.pinnedSyn(
        factory,
        connection.request(),
        connection.vipNumber(),
        connection.server().number(),
        connection.generation(),
        idleSeconds(connection));
  }

  /** Renews the rule that tells the controller of SYNs, if the connection needs it. */
  public void watchSyns(Connection connection) {
    if (needsSynRule(connection)) {
      programmer.send(
          connection.client().switchId(), factory -> List.of(synRule(factory, connection)));
    }
  }

  /** Lets the member of an FTP control connection open data connections to its client. */
  public void expectData(Connection control) {
    sendToMemberSide(control, factory -> ftpDataRule(factory, control));
  }

  /** Takes back what {@link #expectData} allowed for this control connection. */
  public void expectNoData(Connection control) {
    sendToMemberSide(control, factory -> removeFtpData(factory, control));
  }

  private static OFMessage removeFtpData(OFFactory factory, Connection control) {
    U64 cookie =
        Cookie.of(
            Cookie.Kind.FTP_DATA,
            control.vipNumber(),
            control.server().number(),
            control.generation());
    return ConnectionRules.removeFtpData(factory, control.reply(), FtpSessions.DATA_PORT, cookie);
  }

  private static OFMessage ftpDataRule(OFFactory factory, Connection control) {
    return ConnectionRules.ftpData(
        factory,
        control.reply(),
        FtpSessions.DATA_PORT,
        control.vipNumber(),
        control.server().number(),
        control.generation());
  }

  private void sendToMemberSide(Connection connection, Function<OFFactory, OFMessage> message) {
    programmer.send(
        connection.server().at().switchId(), factory -> List.of(message.apply(factory)));
  }

  /** Installs the rules of an open connection, over any that its switches have. */
  public void restore(Connection connection, Route route) {
    connection.countersBeginAnew();
    if (!connection.program(nanoTime.getAsLong(), 0)) {
      return; // its rules would outlive it
    }
    latest.add(connection);
    programmer.send(
        connection.server().at().switchId(),
        factory -> {
          ImmutableList.Builder<OFMessage> messages = ImmutableList.builder();
          addMemberSide(messages, factory, connection, connection.replyTranslation(route));
          return messages.build();
        });
    programmer.send(
        connection.client().switchId(),
        factory -> {
          ImmutableList.Builder<OFMessage> messages = ImmutableList.builder();
          addClientSide(messages, factory, connection, connection.requestTranslation(route));
          return messages.build();
        });
  }

  /**
   * Changes the label in the rule of one direction, for another path.
   *
   * @param done called once, on any thread: whether the switch has confirmed the change
   */
  public void relabel(Connection connection, Route route, boolean isReply, Consumer<Boolean> done) {
    relabelling(connection, route, isReply)
        .ifPresentOrElse(
            message ->
                programmer.sendInOrder(
                    List.of(
                        new SwitchMessages(connection.edge(!isReply), ImmutableList.of(message))),
                    done),
            () -> done.accept(false));
  }

  /** The message that does so; empty if the switch is away. */
  public Optional<OFMessage> relabelling(Connection connection, Route route, boolean isReply) {
    return programmer
        .factory(connection.edge(!isReply))
        .map(
            factory ->
                isReply
                    ? ConnectionRules.relabelReply(
                        factory,
                        connection.replyTranslation(route),
                        connection.vipNumber(),
                        connection.server().number(),
                        connection.generation())
                    : ConnectionRules.relabelRequest(
                        factory,
                        connection.requestTranslation(route),
                        connection.vipNumber(),
                        connection.server().number(),
                        connection.generation()));
  }

  /**
   * Whether a rule that was found leads the packets of one direction of a connection as it should.
   */
  public boolean leads(
      FoundRule.Direction rule, Connection connection, Route route, boolean isRequest) {
    Translation translation = connection.translation(route, isRequest);
    Optional<OFPort> out =
        namesPort(connection, translation, isRequest)
            ? Optional.of(translation.out())
            : Optional.empty();
    return rule.label().equals(Optional.ofNullable(translation.label())) && rule.out().equals(out);
  }

  /** Whether the rule of one direction must be changed when its path leaves by another port. */
  public boolean namesPort(Connection connection, Route route, boolean isRequest) {
    return namesPort(connection, connection.translation(route, isRequest), isRequest);
  }

  private boolean namesPort(Connection connection, Translation translation, boolean isRequest) {
    @Nullable TableLayout layout = programmer.compiler().layout(connection.edge(isRequest));
    return layout != null && translation.namesPort(layout);
  }

  /** Removes a connection's rules from the switch that its client has left. */
  public void clearClientSide(Connection connection, Attachment before) {
    FiveTuple request = connection.request();
    programmer.send(
        before.switchId(),
        factory ->
            ImmutableList.<OFMessage>builder()
                .add(ConnectionRules.removeRequest(factory, request))
                .addAll(hostRules.superfluous(factory, request.srcAddress(), before))
                .build());
  }

  /** Removes a connection's rules from the switch that its member has left. */
  public void clearMemberSide(Connection connection, Attachment before) {
    programmer.send(
        before.switchId(),
        factory -> {
          ImmutableList.Builder<OFMessage> messages = ImmutableList.builder();
          messages.add(ConnectionRules.removeReply(factory, connection.reply()));
          if (connection.isToFtp() && ftpSessions.isOpen(connection)) {
            messages.add(removeFtpData(factory, connection));
          }
          return messages
              .addAll(hostRules.superfluous(factory, connection.server().address(), before))
              .build();
        });
  }

  /** The rules of a connection have ended, or are about to be removed. */
  public void ended(Connection connection) {
    latest.remove(connection);
  }

  /** Removes the rules of a connection from its switches. */
  public void remove(Connection connection) {
    programmer.send(
        connection.client().switchId(),
        factory -> List.of(ConnectionRules.removeRequest(factory, connection.request())));
    sendToMemberSide(
        connection, factory -> ConnectionRules.removeReply(factory, connection.reply()));
  }

  /**
   * Redirects what the ends of a connection still send to the controller.
   *
   * @param vipIsGone whether the VIP's own rules, which redirect the client's packets, are gone
   */
  public void redirectToController(Connection connection, boolean vipIsGone) {
    FiveTuple request = connection.request();
    programmer.send(
        connection.client().switchId(),
        factory -> {
          OFMessage removal = ConnectionRules.removeRequest(factory, request);
          return vipIsGone
              ? List.of(removal, ConnectionRules.closed(factory, request, CLOSED_SECONDS))
              : List.of(removal);
        });
    sendToMemberSide(
        connection, member -> ConnectionRules.closed(member, connection.reply(), CLOSED_SECONDS));
  }

  /**
   * Passes on a member's packet that came by the rule of a closed connection, and removes that
   * rule: a new connection has its five-tuple, and the rules of a proactive VIP carry it.
   */
  public void resumeReplies(DatapathId memberSwitch, OFPort inPort, Packet packet) {
    programmer.send(
        memberSwitch,
        factory ->
            List.of(
                ConnectionRules.removeReply(factory, packet.fiveTuple()),
                PacketOuts.throughTables(factory, inPort, packet.frame())));
  }

  /**
   * Sends the client of a connection a SYN, so that its challenge ACK (RFC 5961, section 4) tells
   * which sequence number it expects.
   */
  public void challengeClient(Connection connection) {
    FiveTuple request = connection.request();
    challengeAck(VipMac.of(request.dstAddress()), connection.client(), request.reversed());
  }

  /** The same for the member. */
  public void challengeMember(Connection connection) {
    challengeAck(connection.client().mac(), connection.server().at(), connection.requestAtMember());
  }

  private void challengeAck(MacAddress sender, Attachment receiver, FiveTuple tuple) {
    programmer.sendFrame(
        receiver.switchId(),
        List.of(receiver.port()),
        Replies.tcpSyn(sender, receiver.mac(), tuple));
  }

  /**
   * Delivers a translated packet that came to the controller because a switch had no rule for its
   * label or host. The packet is sent out at its receiver's edge switch, after the missing host
   * rule.
   */
  public void deliverTranslated(Packet packet, Attachment receiver) {
    // the addresses of a packet to an IPv6 client may have had no keys when it was read
    FiveTuple tuple =
        FiveTuple.of(
            packet.protocol(),
            packet.source(),
            packet.srcPort(),
            packet.destination(),
            packet.dstPort());
    hostRules.ended(receiver.switchId(), tuple.dstAddress());
    programmer.send(
        receiver.switchId(),
        factory ->
            ImmutableList.<OFMessage>builder()
                .addAll(hostRules.missing(factory, tuple.dstAddress(), receiver))
                .add(
                    ConnectionRules.deliver(
                        factory,
                        new Translation(tuple, tuple, null, null, receiver, receiver.port()),
                        packet.frame()))
                .build());
  }
}
