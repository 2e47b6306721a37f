package io.malob.balancer.connection;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.ConnectionRuleSender.IdleTimeouts;
import io.malob.openflow.ConnectionRules;
import io.malob.openflow.ConnectionRules.Translation;
import io.malob.openflow.CookieKind;
import io.malob.openflow.label.LabelledPath;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** The messages that give switches the rules of connections. Thread-safe. */
public record ConnectionMessages(
    HostRuleCache hostRules,
    IdleTimeouts idleTimeouts,
    FtpSessions ftpSessions,
    ConnectionRecords records,
    Buckets buckets,
    MemberGateways gateways) {
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

  /** Adds the rules of the member's switch. */
  void addMemberSide(
      ImmutableList.Builder<OFMessage> messages,
      OFFactory factory,
      Connection connection,
      Translation reply) {
    messages.addAll(hostRules(factory, connection, connection.server().at()));
    messages.add(
        ConnectionRules.add(
            factory,
            reply,
            connection.cookie(CookieKind.REPLY),
            idleSeconds(connection) + ConnectionRuleSender.REPLY_GRACE_SECONDS,
            connection.endsWithBothRules() || connection.isSampled() || records.areKept()));
    if (connection.isToFtp() && ftpSessions.isOpen(connection)) {
      messages.add(ftpDataRule(factory, connection));
    }
  }

  /** Adds the rules of the client's switch. */
  void addClientSide(
      ImmutableList.Builder<OFMessage> messages,
      OFFactory factory,
      Connection connection,
      Translation request) {
    messages.addAll(
        connection.isBrief()
            ? hostRules.missingOfDoubtful(factory, connection.client())
            : hostRules(factory, connection, connection.client()));
    messages.add(
        ConnectionRules.add(
            factory,
            request,
            connection.cookie(CookieKind.REQUEST),
            idleSeconds(connection),
            true));
    if (needsSynRule(connection)) {
      messages.add(synRule(factory, connection));
    }
  }

  /** The rules of one of its ends. */
  private List<OFMessage> hostRules(OFFactory factory, Connection connection, Attachment at) {
    boolean isAtOnePort = connection.client().isAtPortOf(connection.server().at());
    return isAtOnePort ? hostRules.renewed(factory, at) : hostRules.missing(factory, at);
  }

  /** Whether the controller is to see SYNs on the five-tuple of a connection. */
  boolean needsSynRule(Connection connection) {
    return buckets.watchesSyns(
        connection.vipNumber(),
        connection.client().switchId(),
        connection.request(),
        connection.server().number());
  }

  /** The other edges that would lead its client's packets to another member. */
  Set<DatapathId> exposedElsewhere(Connection connection) {
    return buckets.exposedElsewhere(
        connection.vipNumber(),
        connection.client().switchId(),
        connection.request(),
        connection.server().number());
  }

  /** The rule that sends such packets to the controller. */
  OFMessage elsewhereRule(OFFactory factory, Connection connection) {
    return ConnectionRules.pinnedElsewhere(
        factory, connection.request(), connection.cookie(CookieKind.VIP), idleSeconds(connection));
  }

  /** The rule that sends them to the controller. */
  OFMessage synRule(OFFactory factory, Connection connection) {
    return ConnectionRules.pinnedSyn(
        factory,
        connection.request(),
        connection.client().vlan(),
        connection.cookie(CookieKind.VIP),
        idleSeconds(connection));
  }

  /** The messages that remove a connection's rules from the switch that its member has left. */
  List<OFMessage> removeMemberSide(OFFactory factory, Connection connection, Attachment before) {
    ImmutableList.Builder<OFMessage> messages = ImmutableList.builder();
    messages.add(
        ConnectionRules.removeReply(
            factory, connection.reply(), before.vlan(), replyMac(connection)));
    if (connection.isToFtp() && ftpSessions.isOpen(connection)) {
      messages.add(removeFtpData(factory, connection));
    }
    return messages.addAll(hostRules.superfluous(factory, before)).build();
  }

  /** The MAC address that the member of a connection sends replies to, or is expected to. */
  MacAddress replyMac(Connection connection) {
    @Nullable MacAddress known = connection.replyMac();
    if (known != null) {
      return known;
    }
    MacAddress expected = gateways.of(connection.server().number(), connection.client());
    connection.setReplyMac(expected);
    return expected;
  }

  static OFMessage removeFtpData(OFFactory factory, Connection control) {
    return ConnectionRules.removeFtpData(
        factory, control.reply(), FtpSessions.DATA_PORT, control.cookie(CookieKind.FTP_DATA));
  }

  static OFMessage ftpDataRule(OFFactory factory, Connection control) {
    return ConnectionRules.ftpData(
        factory, control.reply(), FtpSessions.DATA_PORT, control.cookie(CookieKind.FTP_DATA));
  }

  /** What the edge switch of one direction makes of its packets. */
  Translation translation(Connection connection, Route paths, boolean isRequest) {
    FiveTuple request = connection.request();
    Attachment client = connection.client();
    Attachment member = connection.server().at();
    LabelledPath path = isRequest ? paths.request() : paths.reply();
    Attachment sender = isRequest ? client : member;
    Attachment receiver = isRequest ? member : client;
    OFPort port = path.path().hops() == 0 ? receiver.port() : path.path().firstPort();
    return new Translation(
        isRequest ? request : connection.reply(),
        isRequest ? connection.requestAtMember() : request.reversed(),
        sender.vlan(),
        isRequest ? null : replyMac(connection),
        path.packetLabel(),
        path.entry(),
        receiver,
        port.equals(sender.port()) ? OFPort.IN_PORT : port);
  }
}
