package io.malob.balancer.health;

import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.graph.Topology;
import io.malob.balancer.api.RejectCounters;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.bucket.TranslatedReply;
import io.malob.balancer.connection.CoreAccess;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.ServerLocations.ServerLocation;
import io.malob.balancer.view.ServerMoves;
import io.malob.balancer.view.SplitHosts;
import io.malob.module.DropLog;
import io.malob.module.Unordered;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.label.Label;
import io.malob.openflow.packet.FrameSender;
import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.Packet;
import io.malob.state.network.SelfAddresses;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.topology.ITopologyService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drops packets of hosts that claim an address of the balancer, or the address or MAC of a server
 * at another location. It does so before any other module learns from such a packet or forwards it.
 * Thread-safe. Any other packet costs three lookups.
 */
public final class SpoofGuard implements IOFMessageListener, Unordered<OFType> {
  private static final Logger LOG = LoggerFactory.getLogger(SpoofGuard.class);

  public static final long TICK_MILLIS = 1_000;

  /**
   * The time until a port with a link is known as such: Floodlight probes each port for links every
   * 15 s.
   */
  public static final int LINKS_KNOWN_SECONDS = 20;

  private static final long LINKS_KNOWN_NANOS = TimeUnit.SECONDS.toNanos(LINKS_KNOWN_SECONDS);

  private static final String BALANCER = "the load balancer";

  /** The modules that learn from packets or forward them. */
  private static final Set<String> RUN_AFTER =
      Set.of("devicemanager", "loadbalancer", "forwarding");

  private final Supplier<BalancerView> views;
  private final ITopologyService topology;
  private final ServerMoves moves;
  private final CoreAccess coreAccess;
  private final SelfAddresses selfAddresses;
  private final RejectCounters rejects;
  private final Consumer<Packet> translatedReplies;
  private final LongSupplier nanoTime;

  /**
   * Neighbour messages of a VIP with the MAC of a switch, by ingress port. They are judged when
   * links are known.
   */
  private final Map<NodePortTuple, OwnQuestion> ownQuestions = new ConcurrentHashMap<>();

  /**
   * Packets with a server's own MAC from another port than its own, by that port. They are judged
   * when it is known whether the server has both ports.
   */
  private final Map<NodePortTuple, OwnMac> ownMacs = new ConcurrentHashMap<>();

  private final DropLog<NodePortTuple> log =
      new DropLog<>(
          (at, count, first) ->
              LOG.warn(
                  "address_refused switch={} port={} count={} first=\"{}\"",
                  at.getNodeId(),
                  at.getPortId(),
                  count,
                  first));

  private volatile EdgeMacs edgeMacs = new EdgeMacs(Topology.EMPTY, ImmutableSet.of());

  /** The source MAC addresses of the switches of a topology. */
  private record EdgeMacs(Topology topology, ImmutableSet<Long> macs) {}

  /** Neighbour messages that look like the balancer's own and may have arrived over a link. */
  private record OwnQuestion(Attachment from, IPAddress<?> vip, long sinceNanos, LongAdder count) {}

  private record OwnMac(Attachment from, ServerLocation server, long sinceNanos, LongAdder count) {}

  /**
   * Refuses nothing yet.
   *
   * @param translatedReplies takes replies that a switch has given the address of a proactive VIP,
   *     to a client that no rule leads to
   */
  public SpoofGuard(
      Supplier<BalancerView> views,
      ITopologyService topology,
      ServerMoves moves,
      CoreAccess coreAccess,
      SelfAddresses selfAddresses,
      RejectCounters rejects,
      Consumer<Packet> translatedReplies,
      LongSupplier nanoTime) {
    this.views = views;
    this.topology = topology;
    this.moves = moves;
    this.coreAccess = coreAccess;
    this.selfAddresses = selfAddresses;
    this.rejects = rejects;
    this.translatedReplies = translatedReplies;
    this.nanoTime = nanoTime;
  }

  @Override
  public Command receive(IOFSwitch sw, OFMessage message, FloodlightContext context) {
    if (!(message instanceof OFPacketIn packetIn)) {
      return Command.CONTINUE;
    }
    byte[] frame = packetIn.getData();
    long mac = FrameSender.mac(frame);
    BalancerView view = views.get();
    IPAddress<?> address = claimed(frame, view);
    int vlan = FrameSender.vlan(frame);
    boolean isOfVip = view.catalog().isVipAddress(address);
    boolean isOfBalancer = isOfVip || selfAddresses.contains(address);
    @Nullable ServerLocation server = view.serverLocations().find(address, mac, vlan);
    if ((!isOfBalancer && server == null) || isOurs(packetIn, frame)) {
      return Command.CONTINUE;
    }
    if (isOfVip) {
      Packet packet = Packet.parse(frame);
      if (TranslatedReply.is(packetIn, packet, view.catalog())) {
        translatedReplies.accept(TranslatedReply.addressed(packetIn, packet));
        return Command.STOP; // the VIP is not where its member is
      }
    }
    boolean isOwnQuestion = isOfBalancer && isOwnQuestion(frame, mac, view);
    boolean isOwn =
        isOwnQuestion
            || view.catalog().isVipAddress(address, vlan)
            || selfAddresses.contains(address, vlan);
    if (!isOwn && server == null) {
      return Command.CONTINUE; // a host in another VLAN
    }
    OFPort port = packetIn.getMatch().get(MatchField.IN_PORT);
    if (!topology.isAttachmentPointPort(sw.getId(), port)) {
      return Command.CONTINUE; // a port within the network: the packet is in transit
    }
    Attachment from = new Attachment(sw.getId(), port, MacAddress.of(mac), vlan);
    if (isOwnQuestion) {
      ownQuestions
          .computeIfAbsent(
              new NodePortTuple(sw.getId(), port),
              any -> new OwnQuestion(from, address, nanoTime.getAsLong(), new LongAdder()))
          .count()
          .increment();
      return Command.STOP;
    }
    return isOwn || server == null
        ? refuse(from, address, BALANCER)
        : judge(server, coreAccess.edgeOf(from).orElse(from));
  }

  /** An advertisement may claim another address than that of its sender. */
  private IPAddress<?> claimed(byte[] frame, BalancerView view) {
    @Nullable IPAddress<?> advertised = FrameSender.advertised(frame);
    if (advertised != null
        && (view.catalog().isVipAddress(advertised)
            || selfAddresses.contains(advertised)
            || view.serverLocations().contains(advertised))) {
      return advertised;
    }
    return FrameSender.address(frame);
  }

  /** Whether the balancer has already translated the packet, so that a VIP may be its source. */
  private static boolean isOurs(OFPacketIn packetIn, byte[] frame) {
    return packetIn.getTableId().getValue() >= FlowLayout.LABELS.getValue()
        || Label.isLabel(Packet.parse(frame).dstMac());
  }

  /**
   * Whether the packet looks like an ARP request or neighbour solicitation that the balancer sends
   * to all host ports on behalf of a VIP.
   */
  private boolean isOwnQuestion(byte[] frame, long mac, BalancerView view) {
    return edgeMacs(view).contains(mac) && NeighbourMessage.of(Packet.parse(frame)).isPresent();
  }

  @SuppressWarnings("ReferenceEquality") // immutable; to compare all switches would cost too much
  private ImmutableSet<Long> edgeMacs(BalancerView view) {
    EdgeMacs known = edgeMacs;
    Topology topology = view.network().topology();
    if (known.topology != topology) {
      known =
          new EdgeMacs(
              topology,
              topology.switches().stream()
                  .map(each -> EdgeMac.of(each).getLong())
                  .collect(ImmutableSet.toImmutableSet()));
      edgeMacs = known;
    }
    return known.macs;
  }

  private Command judge(ServerLocation server, Attachment from) {
    boolean isOwnMac = from.mac().equals(server.at().mac());
    return switch (moves.judge(server, from)) {
      case AT_HOME, MOVED -> Command.CONTINUE;
      case IN_DOUBT -> {
        rejects.count(RejectReason.IN_DOUBT);
        yield Command.STOP;
      }
      case REFUSED -> {
        if (isOwnMac) {
          ownMacs
              .computeIfAbsent(
                  new NodePortTuple(from.switchId(), from.port()),
                  any -> new OwnMac(from, server, nanoTime.getAsLong(), new LongAdder()))
              .count()
              .increment();
        } else {
          note(from, 1, server.address(), owner(server));
        }
        yield Command.STOP;
      }
    };
  }

  private static String owner(ServerLocation server) {
    return "a server at port " + server.at().port() + " of " + server.at().switchId();
  }

  private Command refuse(Attachment from, IPAddress<?> address, String owner) {
    note(from, 1, address, owner);
    return Command.STOP;
  }

  private void note(Attachment from, long count, IPAddress<?> address, String owner) {
    rejects.add(RejectReason.SPOOFED, count);
    log.note(
        new NodePortTuple(from.switchId(), from.port()),
        count,
        () -> from.mac() + " claims " + address + ", the address of " + owner);
  }

  /**
   * Judges the neighbour messages that are due and writes due log lines. To be called about every
   * second.
   */
  public void tick() {
    long now = nanoTime.getAsLong();
    ownQuestions.forEach((at, question) -> judgeOwn(at, question, now));
    ownMacs.forEach((at, claim) -> judgeOwnMac(at, claim, now));
    log.flush(now);
  }

  private void judgeOwn(NodePortTuple at, OwnQuestion question, long now) {
    if (now - question.sinceNanos() < LINKS_KNOWN_NANOS) {
      return;
    }
    ownQuestions.remove(at);
    if (topology.isAttachmentPointPort(at.getNodeId(), at.getPortId())) {
      note(question.from(), question.count().sum(), question.vip(), BALANCER);
    }
  }

  private void judgeOwnMac(NodePortTuple at, OwnMac claim, long now) {
    boolean isSplit = moves.splitHosts().isSplit(claim.from().mac());
    if (!isSplit && now - claim.sinceNanos() < SplitHosts.WINDOW_NANOS) {
      return;
    }
    ownMacs.remove(at);
    if (isSplit) {
      rejects.add(RejectReason.IN_DOUBT, claim.count().sum());
    } else {
      note(claim.from(), claim.count().sum(), claim.server().address(), owner(claim.server()));
    }
  }

  @Override
  public String getName() {
    return "malobclaims";
  }

  @Override
  public boolean isCallbackOrderingPostreq(OFType type, String name) {
    return type == OFType.PACKET_IN && RUN_AFTER.contains(name);
  }
}
