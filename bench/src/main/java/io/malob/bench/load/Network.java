package io.malob.bench.load;

import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.NeighbourReplies;
import io.malob.openflow.packet.Packet;
import io.malob.testing.SwitchRoles;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The emulated switches and hosts, connected to a controller, or to several of which one is each
 * switch's master. Its methods are for one thread, and wait; all work is done on one event loop.
 */
public final class Network implements AutoCloseable, SyntheticSwitch.Cables {
  /** The address of the agent that a flood of reports claims to come from. */
  public static final String FLOODED_AGENT = AddressFamily.IPV4.text(ReportFlood.AGENT_ADDRESS);

  private static final int RECEIVE_BYTES = 64 * 1024;
  private static final long TICK_MILLIS = 1;
  private static final long GIVE_UP_MILLIS = 100;
  private static final long DRAIN_MILLIS = 5_000;

  private final Scenario scenario;
  private final NioEventLoopGroup group =
      new NioEventLoopGroup(1, new DefaultThreadFactory("switches", true));
  private final EventLoop loop = group.next();
  private final Faults faults = new Faults();
  private final List<Outbox> outboxes = new ArrayList<>();
  private final List<Site> sites = new ArrayList<>();

  /** By switch: its rules, if the controller may read them. */
  private final List<@Nullable RuleStore> rules = new ArrayList<>();

  /** By switch: the roles of its controllers. */
  private final List<SwitchRoles> roles = new ArrayList<>();

  /** By controller and switch: the latest connection's. */
  private final Map<InetSocketAddress, SlowPath[]> slowPaths = new HashMap<>();

  private final boolean hasStandbys;
  private final Load load = new Load(sites, outboxes, faults);
  private final ReportFlood flood;
  private final Storm storm;
  private final Checks checks;
  private volatile @Nullable String breakdown;
  private volatile boolean closing;

  /**
   * A network that is not connected yet.
   *
   * @param ruleLifeMillis how long a request rule lives before its end is reported
   */
  public Network(Scenario scenario, long ruleLifeMillis) {
    this(scenario, ruleLifeMillis, false, false);
  }

  /**
   * A network that is not connected yet.
   *
   * @param keepsRules whether switches report their rules to the controller, as real ones do
   * @param hasStandbys whether it may be connected to several controllers
   */
  public Network(Scenario scenario, long ruleLifeMillis, boolean keepsRules, boolean hasStandbys) {
    this.scenario = scenario;
    this.hasStandbys = hasStandbys;
    for (int sw = 0; sw < scenario.switches(); sw++) {
      outboxes.add(new Outbox());
      roles.add(new SwitchRoles());
      rules.add(keepsRules ? new RuleStore() : null);
    }
    checks = new Checks(scenario);
    flood = new ReportFlood(outboxes.get(scenario.clientEdge(0)));
    storm = new Storm(outboxes.get(scenario.clientEdge(0)), scenario.vip(0));
    for (int site = 0; site < scenario.sites(); site++) {
      sites.add(
          new Site(
              scenario,
              site,
              outboxes.get(scenario.clientEdge(site)),
              TimeUnit.MILLISECONDS.toNanos(ruleLifeMillis),
              faults,
              load));
    }
  }

  /**
   * Connects all switches, those of a site to all controllers before those of the next one.
   *
   * @throws IOException if a controller cannot be reached
   */
  public void connect(InetSocketAddress... controllers) throws IOException, InterruptedException {
    boolean isFirst = slowPaths.isEmpty();
    for (int site = 0; site < scenario.sites(); site++) {
      for (InetSocketAddress controller : controllers) {
        connect(controller, site);
      }
    }
    if (isFirst) {
      tickFromNowOn();
    }
  }

  /** The number of switches whose master is the controller, as they see it. */
  public int mastered(InetSocketAddress controller) {
    SlowPath[] connections = slowPaths.getOrDefault(controller, new SlowPath[0]);
    int mastered = 0;
    for (SlowPath each : connections) {
      mastered += each.isOfMaster() ? 1 : 0;
    }
    return mastered;
  }

  /** Lets the switches lose their connections, as when the controller is killed. */
  public void expectLoss(boolean expected) {
    closing = expected;
  }

  /** Whether a site sends first packets. */
  public void setOpen(int site, boolean open) throws IOException, InterruptedException {
    call(
        () -> {
          sites.get(site).setOpen(open);
          return true;
        });
  }

  /** How many rules the switches of a site have, if they keep them. */
  public int ruleCount(int site) throws IOException, InterruptedException {
    return call(
        () -> {
          int sum = 0;
          for (int sw = scenario.clientEdge(site); sw <= scenario.memberEdge(site); sw++) {
            RuleStore kept = rules.get(sw);
            sum += kept == null ? 0 : kept.size();
          }
          return sum;
        });
  }

  /**
   * Connects the switches of one site, once more if they have lost their connections.
   *
   * @throws IOException if the controller cannot be reached
   */
  public void connect(InetSocketAddress controller, int site)
      throws IOException, InterruptedException {
    for (int number = scenario.clientEdge(site); number <= scenario.memberEdge(site); number++) {
      int sw = number;
      SlowPath slowPath = new SlowPath(scenario.datapathId(sw), scenario.ports(sw), roles.get(sw));
      slowPaths.computeIfAbsent(controller, any -> new SlowPath[scenario.switches()])[sw] =
          slowPath;
      var connected =
          new Bootstrap()
              .group(group)
              .channel(NioSocketChannel.class)
              .option(ChannelOption.TCP_NODELAY, true)
              .option(
                  ChannelOption.RCVBUF_ALLOCATOR,
                  new io.netty.channel.FixedRecvByteBufAllocator(RECEIVE_BYTES))
              .handler(
                  new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                      channel.pipeline().addLast(newSwitch(sw, slowPath));
                    }
                  })
              .connect(controller)
              .await();
      if (!connected.isSuccess()) {
        throw new IOException("no controller at " + controller, connected.cause());
      }
    }
  }

  private void tickFromNowOn() {
    var unusedTick =
        loop.scheduleAtFixedRate(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    var unusedGiveUp =
        loop.scheduleAtFixedRate(
            load::giveUpOld, GIVE_UP_MILLIS, GIVE_UP_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void tick() {
    flood.pump(System.nanoTime());
    storm.pump(System.nanoTime());
    load.pump();
  }

  /**
   * Sends the given number of reports per second from the first switch, from now on; 0 for none.
   *
   * @return how many were sent before
   */
  public long flood(int perSecond) throws IOException, InterruptedException {
    return call(
        () -> {
          long sent = flood.sent();
          flood.start(perSecond, System.nanoTime());
          return sent;
        });
  }

  /**
   * Sends the given number of unwanted packets per second from the first switch, from now on; 0 for
   * none.
   *
   * @return the outcome of the earlier ones
   */
  public Storm.Sent storm(Storm.Kind kind, int perSecond) throws IOException, InterruptedException {
    return call(() -> storm.start(kind, perSecond, System.nanoTime()));
  }

  /** How many connections of storms have rules. */
  public int stormRules() throws IOException, InterruptedException {
    return call(storm::rules);
  }

  /**
   * The start time of the last connection that failed or took longer than 50 ms, by {@link
   * System#nanoTime}; the start of the run if there is none.
   */
  public long lastBadNanos() throws IOException, InterruptedException {
    return call(load::lastBadNanos);
  }

  /** When members were checked since the last call of this, in nanoseconds, in order. */
  public long[] takeChecks() throws IOException, InterruptedException {
    return call(checks::take);
  }

  private SyntheticSwitch newSwitch(int sw, SlowPath slowPath) {
    return new SyntheticSwitch(
        sw,
        outboxes.get(sw),
        hasStandbys ? new Outbox() : outboxes.get(sw),
        slowPath,
        sites.get(scenario.siteOf(sw)),
        storm,
        checks,
        scenario.family(),
        this,
        load::pump,
        rules.get(sw));
  }

  /** Lets all hosts ask for the MAC of their VIP, so that the controller learns them. */
  public void announceHosts() throws IOException, InterruptedException {
    call(
        () -> {
          for (int site = 0; site < scenario.sites(); site++) {
            announce(site);
          }
          load.pump();
          return true;
        });
  }

  private void announce(int site) {
    Outbox members = outboxes.get(scenario.memberEdge(site));
    for (int i = 0; i < scenario.members(); i++) {
      int member = scenario.member(site, i);
      announce(site, members, scenario.memberPort(i), scenario.memberMac(site, i), member);
    }
    Outbox clients = outboxes.get(scenario.clientEdge(site));
    for (int i = 0; i < scenario.clients(); i++) {
      int client = scenario.client(site, i);
      announce(site, clients, scenario.clientPort(i), scenario.clientMac(site, i), client);
    }
    for (int i = 0; i < scenario.hosts(); i++) {
      int port = scenario.clientPort(i % scenario.clients());
      announce(site, clients, port, scenario.hostMac(site, i), scenario.host(site, i));
    }
  }

  private void announce(int site, Outbox outbox, int port, long mac, int address) {
    AddressFamily family = scenario.family();
    byte[] question =
        NeighbourReplies.question(
            MacAddress.of(mac), family.address(address), family.address(scenario.vip(site)));
    PacketInTemplate.other(outbox, port, question, 0, question.length);
  }

  @Override
  public void carry(int sw, int port, int etherType, byte[] bytes, int frame, int frameBytes) {
    if (etherType == OpenFlow.ETHERTYPE_LLDP) {
      int site = scenario.siteOf(sw);
      if (port == Scenario.TO_NEXT && sw != scenario.memberEdge(site)) {
        PacketInTemplate.other(
            outboxes.get(sw + 1), Scenario.TO_PREVIOUS, bytes, frame, frameBytes);
      } else if (port == Scenario.TO_PREVIOUS && sw != scenario.clientEdge(site)) {
        PacketInTemplate.other(outboxes.get(sw - 1), Scenario.TO_NEXT, bytes, frame, frameBytes);
      }
    } else {
      Packet packet = Packet.parse(Arrays.copyOfRange(bytes, frame, frame + frameBytes));
      NeighbourMessage.of(packet)
          .filter(NeighbourMessage::isQuestion)
          .ifPresent(question -> answer(sw, packet, question));
    }
  }

  /** Answers for a member. */
  private void answer(int sw, Packet packet, NeighbourMessage question) {
    int site = scenario.siteOf(sw);
    int member = scenario.family().number(question.target()) - scenario.member(site, 0);
    if (sw == scenario.memberEdge(site) && member >= 0 && member < scenario.members()) {
      MacAddress mac = MacAddress.of(scenario.memberMac(site, member));
      byte[] answer = NeighbourReplies.answer(packet, question, mac);
      PacketInTemplate.other(
          outboxes.get(sw), scenario.memberPort(member), answer, 0, answer.length);
    }
  }

  @Override
  public void broken(int sw, String reason) {
    if (!closing && breakdown == null) {
      breakdown = "switch " + scenario.datapathId(sw) + ": " + reason;
    }
  }

  /** Listener for the seconds of a run. */
  public interface Progress {
    /**
     * Another second of the measured time, or of the time before, has passed.
     *
     * @param placed how many connections have been placed since the start
     */
    void second(int number, boolean measured, long placed);
  }

  /**
   * Opens connections for some time and measures.
   *
   * @throws IOException if a switch lost its connection
   */
  public Measurement run(Demand demand, Extent extent, Progress progress)
      throws IOException, InterruptedException {
    call(
        () -> {
          load.start(demand, extent.connections());
          return true;
        });
    for (int second = 0; second < extent.warmupSeconds() && !call(load::isDone); second++) {
      TimeUnit.SECONDS.sleep(1);
      progress.second(second, false, call(load::placed));
      checkConnections();
    }
    call(
        () -> {
          load.startMeasuring();
          return true;
        });
    for (int second = 0; second < extent.seconds() && !call(load::isDone); second++) {
      TimeUnit.SECONDS.sleep(1);
      long placed =
          call(
              () -> {
                load.mark();
                return load.placed();
              });
      progress.second(second, true, placed);
    }
    Measurement measured = call(load::stop);
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DRAIN_MILLIS);
    while (!call(load::isQuiet) && System.nanoTime() - end < 0) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
    return call(() -> load.complete(measured));
  }

  private <T> T call(Callable<T> work) throws IOException, InterruptedException {
    checkConnections();
    try {
      return loop.submit(work).get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  private void checkConnections() throws IOException {
    String reason = breakdown;
    if (reason != null) {
      throw new IOException(reason);
    }
  }

  @Override
  public void close() {
    closing = true;
    outboxes.forEach(Outbox::close);
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
