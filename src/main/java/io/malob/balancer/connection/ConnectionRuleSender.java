package io.malob.balancer.connection;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.balancer.connection.Connection.Route;
import io.malob.openflow.ConnectionRules;
import io.malob.openflow.ConnectionRules.Translation;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.FoundRule;
import io.malob.openflow.MessageBatch;
import io.malob.openflow.NextHopMac;
import io.malob.openflow.PacketOuts;
import io.malob.openflow.RuleSender;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import io.malob.state.catalog.Protocol;
import java.util.List;
import java.util.Objects;
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

/**
 * Installs the rules of connections on switches, and forwards the packets that reached the
 * controller instead of a rule. All messages for a switch are sent together, rules before packets.
 * Thread-safe.
 */
public record ConnectionRuleSender(
    RuleSender ruleSender,
    LatestConnections latest,
    ConnectionMessages messages,
    LongSupplier nanoTime) {
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

  /** Installs the rules of a connection and forwards a packet of either end. */
  public void carry(Connection connection, Route route, Packet packet) {
    if (connection.program(nanoTime.getAsLong(), TAKES_EFFECT_NANOS)) {
      install(connection, route, packet);
      @Nullable Route now = connection.route();
      if (now != null && !now.equals(route)) {
        restore(connection, now); // rerouted meanwhile, maybe before the older rules were sent
      }
    } else {
      boolean isRequest = connection.isFromClient(packet);
      deliver(messages.translation(connection, route, isRequest), packet.frame());
    }
  }

  /** Forwards a packet of a connection's client that gets no rules. */
  public void deliverWithoutRules(Connection connection, Packet packet) {
    Attachment member = connection.server().at();
    deliver(
        new Translation(
            connection.request(), connection.requestAtMember(), 0, null, member, member.port()),
        packet.frame());
  }

  /** Forwards a packet whose rules have been sent but may not be in effect yet. */
  private void deliver(Translation translation, byte[] frame) {
    ruleSender.send(
        translation.receiver().switchId(),
        factory -> List.of(ConnectionRules.deliver(factory, translation, frame)));
  }

  /**
   * Sends the rules of a connection.
   *
   * @param packet is forwarded after them; null for none
   */
  private void install(Connection connection, Route route, @Nullable Packet packet) {
    latest.add(connection);
    watchElsewhere(connection);
    Translation request = messages.translation(connection, route, true);
    Translation reply = messages.translation(connection, route, false);
    DatapathId clientSwitch = connection.edge(true);
    DatapathId memberSwitch = connection.edge(false);
    boolean isAtOne = clientSwitch.equals(memberSwitch);
    boolean isRequest = packet != null && connection.isFromClient(packet);
    // the member's side first: the reply rule must be there before the first reply
    ruleSender.send(
        memberSwitch,
        factory -> {
          ImmutableList.Builder<OFMessage> all = ImmutableList.builder();
          messages.addMemberSide(all, factory, connection, reply);
          if (isAtOne) {
            messages.addClientSide(all, factory, connection, request);
          }
          if (packet != null && (isAtOne || isRequest)) {
            all.add(ConnectionRules.deliver(factory, isRequest ? request : reply, packet.frame()));
          }
          return all.build();
        });
    if (isAtOne) {
      return;
    }
    ruleSender.send(
        clientSwitch,
        factory -> {
          ImmutableList.Builder<OFMessage> all = ImmutableList.builder();
          messages.addClientSide(all, factory, connection, request);
          if (packet != null && !isRequest) {
            all.add(ConnectionRules.deliver(factory, reply, packet.frame()));
          }
          return all.build();
        });
  }

  /** Renews the rules that send the controller packets of a connection, as far as it needs them. */
  public void watch(Connection connection) {
    watchElsewhere(connection);
    watchSyns(connection);
  }

  /** Where its client may come in, too, the controller is to see that it does. */
  private void watchElsewhere(Connection connection) {
    for (DatapathId each : messages.exposedElsewhere(connection)) {
      ruleSender.send(each, factory -> List.of(messages.elsewhereRule(factory, connection)));
    }
  }

  private void watchSyns(Connection connection) {
    if (messages.needsSynRule(connection)) {
      ruleSender.send(
          connection.client().switchId(),
          factory -> List.of(messages.synRule(factory, connection)));
    }
  }

  /** Lets the member of an FTP control connection open data connections to its client. */
  public void expectData(Connection control) {
    sendToMemberSide(control, factory -> ConnectionMessages.ftpDataRule(factory, control));
  }

  /** Takes back what {@link #expectData} allowed for this control connection. */
  public void expectNoData(Connection control) {
    sendToMemberSide(control, factory -> ConnectionMessages.removeFtpData(factory, control));
  }

  /** If it is a control connection of FTP: no more data connections are expected of it. */
  public void leaveSession(Connection connection) {
    if (connection.isToFtp() && messages.ftpSessions().closed(connection)) {
      expectNoData(connection);
      @Nullable Connection other =
          messages
              .ftpSessions()
              .atMember(connection.request().srcAddress(), connection.server().address());
      if (other != null) {
        expectData(other);
      }
    }
  }

  private void sendToMemberSide(Connection connection, Function<OFFactory, OFMessage> message) {
    ruleSender.send(
        connection.server().at().switchId(), factory -> List.of(message.apply(factory)));
  }

  /** Installs the rules of an open connection, over any that its switches have. */
  public void restore(Connection connection, Route route) {
    connection.countersBeginAnew();
    if (connection.program(nanoTime.getAsLong(), 0)) { // if not, its rules would outlive it
      install(connection, route, null);
    }
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
                ruleSender.sendInOrder(
                    List.of(new MessageBatch(connection.edge(!isReply), ImmutableList.of(message))),
                    done),
            () -> done.accept(false));
  }

  /** The message that does so; empty if the switch is away. */
  public Optional<OFMessage> relabelling(Connection connection, Route route, boolean isReply) {
    return ruleSender
        .factory(connection.edge(!isReply))
        .map(
            factory ->
                ConnectionRules.relabel(
                    factory,
                    messages.translation(connection, route, !isReply),
                    connection.cookie(isReply ? CookieKind.REPLY : CookieKind.REQUEST)));
  }

  /**
   * Whether a rule that was found leads the packets of one direction of a connection as it should.
   */
  public boolean leads(
      FoundRule.Direction rule, Connection connection, Route route, boolean isRequest) {
    Translation translation = messages.translation(connection, route, isRequest);
    Optional<OFPort> out =
        namesPort(connection, translation, isRequest)
            ? Optional.of(translation.out())
            : Optional.empty();
    return rule.label().equals(Optional.ofNullable(translation.label()))
        && rule.out().equals(out)
        && rule.vlan() == translation.vlan()
        && !rule.isOfAnyVlan()
        && Objects.equals(rule.dstMac(), translation.dstMac())
        && rule.nextHop().equals(NextHopMac.of(translation.receiver()));
  }

  /** Whether the rule of one direction must be changed when its path leaves by another port. */
  public boolean namesPort(Connection connection, Route route, boolean isRequest) {
    return namesPort(connection, messages.translation(connection, route, isRequest), isRequest);
  }

  private boolean namesPort(Connection connection, Translation translation, boolean isRequest) {
    return ruleSender.compiler().namesPort(connection.edge(isRequest), translation);
  }

  /** Removes a connection's rules from the switch that its client has left. */
  public void clearClientSide(Connection connection, Attachment before) {
    boolean isSameNextHop = connection.client().isSameHost(before);
    ruleSender.send(
        before.switchId(),
        factory ->
            ImmutableList.<OFMessage>builder()
                .add(ConnectionRules.removeRequest(factory, connection.request(), before.vlan()))
                // a router that its client does not use any more may have other clients
                .addAll(
                    isSameNextHop ? messages.hostRules().superfluous(factory, before) : List.of())
                .build());
  }

  /** Removes a connection's rule for replies that its member has sent to a MAC address. */
  public void clearReplies(Connection connection, MacAddress sentTo) {
    sendToMemberSide(
        connection,
        factory ->
            ConnectionRules.removeReply(
                factory, connection.reply(), connection.server().at().vlan(), sentTo));
  }

  /** Removes a connection's rules from the switch that its member has left. */
  public void clearMemberSide(Connection connection, Attachment before) {
    ruleSender.send(
        before.switchId(), factory -> messages.removeMemberSide(factory, connection, before));
  }

  /** The rules of a connection have ended, or are about to be removed. */
  public void ended(Connection connection) {
    latest.remove(connection);
  }

  /** Removes the rules of a connection from its switches. */
  public void remove(Connection connection) {
    Attachment client = connection.client();
    ruleSender.send(
        client.switchId(),
        factory ->
            List.of(ConnectionRules.removeRequest(factory, connection.request(), client.vlan())));
    sendToMemberSide(
        connection,
        factory ->
            ConnectionRules.removeReply(
                factory,
                connection.reply(),
                connection.server().at().vlan(),
                messages.replyMac(connection)));
  }

  /**
   * Redirects what the ends of a connection still send to the controller.
   *
   * @param vipIsGone whether the VIP's own rules, which redirect the client's packets, are gone
   */
  public void redirectToController(Connection connection, boolean vipIsGone) {
    FiveTuple request = connection.request();
    Attachment client = connection.client();
    ruleSender.send(
        client.switchId(),
        factory -> {
          OFMessage removal = ConnectionRules.removeRequest(factory, request, client.vlan());
          return vipIsGone
              ? List.of(
                  removal, ConnectionRules.closed(factory, request, client.vlan(), CLOSED_SECONDS))
              : List.of(removal);
        });
    Attachment member = connection.server().at();
    ruleSender.send(
        member.switchId(),
        factory ->
            List.of(
                ConnectionRules.closed(factory, connection.reply(), member.vlan(), CLOSED_SECONDS),
                ConnectionRules.removeReply(
                    factory, connection.reply(), member.vlan(), messages.replyMac(connection))));
  }

  /**
   * Passes on a member's packet that came by the rule of a closed connection, and removes that
   * rule: a new connection has its five-tuple, and the rules of a proactive VIP carry it.
   */
  public void resumeReplies(DatapathId memberSwitch, OFPort inPort, Packet packet) {
    ruleSender.send(
        memberSwitch,
        factory ->
            List.of(
                ConnectionRules.removeClosed(factory, packet.fiveTuple(), packet.vlan()),
                PacketOuts.throughTables(factory, inPort, packet.frame())));
  }

  /**
   * Sends one end of a connection a SYN, so that its challenge ACK (RFC 5961, section 4) shows
   * which sequence number it expects.
   */
  public void challenge(Connection connection, boolean isClient) {
    FiveTuple request = connection.request();
    Attachment client = connection.client();
    Attachment receiver = isClient ? client : connection.server().at();
    ruleSender.sendFrame(
        receiver,
        Replies.tcpSyn(
            Replies.Ends.of(
                EdgeMac.of(receiver.switchId()),
                receiver.mac(),
                isClient ? request.reversed() : connection.requestAtMember())));
  }

  /** The next hop with that number, if it has rules without a timeout. */
  public Optional<Attachment> lastingNextHop(MacAddress number) {
    return messages.hostRules().lasting(number);
  }

  /** Delivers a packet without rules, with this five-tuple in the place of its own. */
  public void deliverAs(
      FiveTuple outgoing, Packet packet, FiveTuple incoming, Attachment receiver) {
    deliver(
        new Translation(incoming, outgoing, 0, null, receiver, receiver.port()), packet.frame());
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
    deliver(
        receiver,
        factory ->
            ConnectionRules.deliver(
                factory,
                new Translation(tuple, tuple, 0, null, receiver, receiver.port()),
                packet.frame()));
  }

  /** Has a receiver's switch deliver a packet, after the host rule if that is missing. */
  public void deliver(Attachment receiver, Function<OFFactory, OFMessage> packet) {
    messages.hostRules().ended(receiver);
    ruleSender.send(
        receiver.switchId(),
        factory ->
            ImmutableList.<OFMessage>builder()
                .addAll(messages.hostRules().missing(factory, receiver))
                .add(packet.apply(factory))
                .build());
  }
}
