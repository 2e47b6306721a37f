package io.malob.balancer.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Counting;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.health.Ejection;
import io.malob.balancer.api.ConnectionRecord;
import io.malob.balancer.api.PacketInCounters;
import io.malob.balancer.api.RejectCounters;
import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.connection.AffinityTable;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.ConnectionLimiter;
import io.malob.balancer.connection.ConnectionMessages;
import io.malob.balancer.connection.ConnectionRecords;
import io.malob.balancer.connection.ConnectionRoutes;
import io.malob.balancer.connection.ConnectionRuleSender;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.ConnectionTable.Admission;
import io.malob.balancer.connection.FtpSessions;
import io.malob.balancer.connection.HalfOpenLimit;
import io.malob.balancer.connection.HostRuleCache;
import io.malob.balancer.connection.LatestConnections;
import io.malob.balancer.connection.MemberGateways;
import io.malob.balancer.health.OutlierDetector;
import io.malob.balancer.view.MemberLoads;
import io.malob.balancer.view.ServicePlan;
import io.malob.balancer.view.SlowStarts;
import io.malob.balancer.view.ViewWriter;
import io.malob.json.RejectedException;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.FakeSwitches;
import io.malob.openflow.RuleCounts;
import io.malob.openflow.RuleSender;
import io.malob.openflow.label.LabelTable;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Fields;
import io.malob.state.network.ServerMeasurements;
import io.malob.store.MemoryStore;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.Stub;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntUnaryOperator;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The classes that open and end connections, with what they work with, but without the module: one
 * VIP for TCP port 80 with one member, on switches that keep what they are sent.
 *
 * <pre>
 *  client 1 --1 s1 2---1 s2 2---1 s3 2-- member
 * </pre>
 */
public final class LifecycleFixture {
  static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  static final IPv4Address CLIENT_ADDRESS = IPv4Address.of("10.0.0.1");
  static final IPv4Address MEMBER_ADDRESS = IPv4Address.of("10.0.0.11");
  public static final DatapathId S1 = DatapathId.of(1);
  public static final DatapathId S2 = DatapathId.of(2);
  static final DatapathId S3 = DatapathId.of(3);
  public static final Attachment CLIENT =
      new Attachment(S1, OFPort.of(1), MacAddress.of(0x020000000001L));
  static final Attachment MEMBER = new Attachment(S3, OFPort.of(2), MacAddress.of(0x02000000000bL));
  public static final int NO_BOUND = 1_000;

  public final AtomicLong clock = new AtomicLong();

  /** Is done once, when the clock is read for the next time. */
  public final AtomicReference<@Nullable Runnable> atNextReading = new AtomicReference<>();

  final FakeSwitches switches = new FakeSwitches(4);
  final RuleSender senderOfAll = new RuleSender(switches);
  public final LabelTable labels = new LabelTable(senderOfAll, this::now);
  final Map<IPv4Address, Attachment> hosts = new HashMap<>();
  public final ViewWriter view;
  final Catalog catalog;
  public final ConnectionLimiter connectionLimiter =
      new ConnectionLimiter(IntUnaryOperator.identity());
  final RejectCounters rejects = new RejectCounters();
  final PacketInCounters packetIns = new PacketInCounters();
  final HalfOpenLimit halfOpen =
      new HalfOpenLimit(NO_BOUND, IntUnaryOperator.identity(), this::now);
  final FtpSessions ftpSessions = new FtpSessions();
  final List<ConnectionRecord> recorded = new ArrayList<>();
  final ReadSwitches readSwitches = new ReadSwitches();
  final RecoveringConnections recovering =
      new RecoveringConnections(NO_BOUND, readSwitches, this::now);
  final ConnectionRecords records =
      new ConnectionRecords(recorded::add, Clock.systemUTC(), this::now);
  final ConnectionTable connections;
  final ConnectionRuleSender ruleSender;
  final FalseEnds falseEnds;
  final Tables tables;
  public final ConnectionTeardown teardown;
  public final ConnectionActivator activator;
  private int generation;

  public LifecycleFixture() {
    this(NO_BOUND, NO_BOUND);
  }

  public LifecycleFixture(int maxOpen, int maxDormant) {
    hosts.put(MEMBER_ADDRESS, MEMBER);
    view =
        new ViewWriter(
            host -> Optional.ofNullable(hosts.get(host.address())),
            address -> false,
            new MemberLoads(address -> ServerMeasurements.UNKNOWN, IntUnaryOperator.identity()),
            LinkValues::unknown,
            Counting.PLACED_SINCE,
            ServicePlan.Counters.NONE,
            new SlowStarts(this::now),
            Runnable::run);
    view.setTopology(Topology.of(List.of(S1, S2, S3), List.of()));
    catalog = webService();
    view.setCatalog(catalog.snapshot());
    link(S1, 2, S2, 1, S3);
    connections =
        new ConnectionTable(
            maxOpen, maxDormant, Long.MAX_VALUE, this::now, forgotten -> leaveSession(forgotten));
    Buckets buckets = new Buckets(new Buckets.Timeouts(30, 10, 600, 10), any -> true, this::now);
    ruleSender =
        new ConnectionRuleSender(
            senderOfAll,
            new LatestConnections(),
            new ConnectionMessages(
                new HostRuleCache(300),
                new ConnectionRuleSender.IdleTimeouts(15, 10, 5),
                ftpSessions,
                records,
                buckets,
                new MemberGateways()),
            this::now);
    IOFSwitchService none =
        Stub.of(IOFSwitchService.class).on("getActiveSwitch", with -> null).make();
    OutlierDetector passive =
        new OutlierDetector(
            new Ejection.Policy(3, 1, 1),
            none,
            view,
            connections::byRequest,
            address -> ServerMeasurements.UNKNOWN,
            Runnable::run,
            this::now);
    ConnectionRoutes routes = new ConnectionRoutes(labels);
    falseEnds =
        new FalseEnds(
            view.views(), connections, connectionLimiter, ruleSender, any -> true, this::now);
    tables =
        new Tables(
            connections,
            connectionLimiter,
            halfOpen,
            new AffinityTable(this::now),
            ftpSessions,
            recovering,
            buckets,
            new OrdinaryConnections(this::now));
    teardown =
        new ConnectionTeardown(
            view.views(),
            tables,
            routes,
            ruleSender,
            passive.unansweredSyns(),
            records,
            falseEnds,
            this::now);
    activator =
        new ConnectionActivator(
            view.views(),
            tables,
            routes,
            ruleSender,
            new RejectSender(senderOfAll, rejects),
            teardown,
            packetIns,
            any -> {});
  }

  private void leaveSession(Connection connection) {
    ruleSender.leaveSession(connection);
  }

  private static Catalog webService() {
    try {
      Catalog catalog = Catalog.open(new MemoryStore(Runnable::run));
      catalog.create(
          Catalog.VIPS,
          Fields.of("id", "v", "protocol", "tcp", "address", VIP.toString(), "port", "80"));
      catalog.create(Catalog.POOLS, Fields.of("id", "p", "vip_id", "v", "lb_method", "RR+SPH"));
      catalog.create(
          Catalog.MEMBERS,
          Fields.of(
              "id", "m1", "address", MEMBER_ADDRESS.toString(), "port", "8080", "pool_id", "p"));
      return catalog;
    } catch (IOException | RejectedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The network is one line over these switches, by ports 2 and 1. */
  private void link(DatapathId a, int portA, DatapathId b, int portB, DatapathId c) {
    List<DirectedLink> links = new ArrayList<>();
    addLink(links, a, portA, b, portB);
    addLink(links, b, 2, c, 1);
    view.setTopology(Topology.of(List.of(a, b, c), links));
  }

  private static void addLink(
      List<DirectedLink> links, DatapathId a, int portA, DatapathId b, int portB) {
    DirectedLink there = new DirectedLink(a, OFPort.of(portA), b, OFPort.of(portB));
    links.add(there);
    links.add(there.reversed());
  }

  /** The network is a line over another switch. */
  void detourOver(DatapathId middle) {
    link(S1, 2, middle, 1, S3);
  }

  /** There is no path to the member. */
  void cut() {
    view.setTopology(Topology.of(List.of(S1, S2, S3), List.of()));
  }

  long now() {
    @Nullable Runnable work = atNextReading.getAndSet(null);
    if (work != null) {
      work.run();
    }
    return clock.get();
  }

  int vipNumber() {
    return catalog.snapshot().vips().get("v").number();
  }

  Server server() {
    int number = catalog.snapshot().members().get("m1").number();
    return view.get().servers().get(number);
  }

  public static FiveTuple request(int clientPort) {
    return FiveTuple.of(6, CLIENT_ADDRESS.getInt(), clientPort, VIP.getInt(), 80);
  }

  public static Packet fromClient(int clientPort, int flags) {
    return Packet.parse(
        Frames.tcp(
            CLIENT.mac(),
            EdgeMac.of(CLIENT.switchId()),
            CLIENT_ADDRESS,
            clientPort,
            VIP,
            80,
            flags));
  }

  static Packet fromMember(int clientPort) {
    return Packet.parse(
        Frames.tcp(
            MEMBER.mac(),
            CLIENT.mac(),
            MEMBER_ADDRESS,
            8_080,
            CLIENT_ADDRESS,
            clientPort,
            Packet.TCP_ACK));
  }

  public Arrival arrival(Packet packet) {
    return new Arrival(S1, CLIENT.port(), packet, clock.get());
  }

  /** A connection that nothing knows yet. */
  public Connection connection(int clientPort) {
    return new Connection(
        request(clientPort),
        vipNumber(),
        Algorithm.DEFAULT,
        server(),
        CLIENT,
        ++generation,
        clock.get());
  }

  Placement placement() {
    return (Placement)
        view.get()
            .poolOfMember()
            .get(server().number())
            .placer(Algorithm.DEFAULT)
            .placeOn(server(), Placer.Request.from(S1), view.get().network());
  }

  /** The paths between client and member. */
  public Route route() {
    Placement placement = placement();
    return new Route(
        labels.acquire(placement.requestPath()), labels.acquire(placement.replyPath()));
  }

  /** Other paths between them. */
  public Route otherRoute() {
    detourOver(DatapathId.of(4));
    Route other = route();
    detourOver(S2);
    return other;
  }

  /** A connection that is placed, counted and started by its first packet. */
  public Connection open(int clientPort) {
    return open(clientPort, false);
  }

  /** The same, with rules that end soon if {@code isBrief}. */
  Connection open(int clientPort, boolean isBrief) {
    Connection connection = connection(clientPort);
    assertNull(connectionLimiter.take(vipNumber(), Server.NO_LIMIT, server()));
    assertEquals(Admission.ADDED, connections.add(connection));
    activator.start(
        connection,
        placement(),
        arrival(fromClient(clientPort, Packet.TCP_SYN)),
        halfOpen.add(vipNumber(), 15),
        isBrief);
    return connection;
  }

  /**
   * A connection whose rules have timed out after its client has sent more than its first packet.
   */
  Connection dormant(int clientPort) {
    Connection connection = open(clientPort);
    teardown.heard(connection);
    teardown.timedOut(S1, connection.request(), connection.generation(), RuleCounts.UNKNOWN);
    assertEquals(Connection.State.DORMANT, connection.state());
    return connection;
  }

  List<FakeRule> rules(DatapathId switchId, CookieKind kind) {
    return switches.get(switchId.getLong()).table().rules().stream()
        .filter(rule -> Cookie.is(rule.cookie(), kind))
        .toList();
  }

  /** What holds whenever nothing is being done: what is open and not ended counts, once. */
  public void assertCounts(int expected) {
    assertEquals(expected, connectionLimiter.atVip(vipNumber()), "at the VIP");
    assertEquals(expected, server().load().active(), "on the member");
    assertEquals(
        2 * expected, labels.all().stream().mapToInt(path -> path.active()).sum(), "on paths");
  }
}
