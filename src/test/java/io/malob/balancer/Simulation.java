package io.malob.balancer;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.Conversation.Service;
import io.malob.balancer.api.PathStats;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Protocol;
import io.malob.testing.EventQueue;
import io.malob.testing.FakeRule;
import io.malob.testing.SwitchProfile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The balancer in a network in which everything takes its time and anything may fail: clients open
 * and end connections, members come and go, links break, switches are lost. All of it follows from
 * a seed. What must hold is checked after each event, and at the end, when all is mended: what is
 * open is counted, and what is over leaves nothing behind.
 */
final class Simulation {
  private static final Service WEB = new Service("web", Protocol.TCP, "10.0.0.100", 80, 8_080);
  private static final Service NAMES = new Service("names", Protocol.UDP, "10.0.0.100", 53, 5_353);
  private static final Service ANY_TCP = new Service("any", Protocol.TCP, "10.0.0.101", 0, 0);
  private static final Service ANY_UDP = new Service("any", Protocol.UDP, "10.0.0.101", 0, 0);
  private static final Service PING = new Service("any", Protocol.ICMP, "10.0.0.101", 0, 0);
  private static final List<Service> SERVICES = List.of(WEB, WEB, NAMES, ANY_TCP, ANY_UDP, PING);
  private static final int[] ANY_PORTS = {80, 443, 8_080, 5_353};
  private static final int CLIENT_PORTS = 40;
  private static final int FIRST_CLIENT_PORT = 40_000;
  private static final int HOST_PORTS = 4;
  private static final long EXPIRY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final int LONG_SECONDS = 420;

  private final Random random;
  private final SlowWire wire;
  private final BalancerNetwork net;
  private final EventQueue events;
  private final Journal journal;
  private final Traffic traffic;
  private final Troubles troubles;
  private final List<DatapathId> switches = new ArrayList<>();
  private final Map<MacAddress, SeenLabel> labels = new HashMap<>();

  private record SeenLabel(DatapathId src, DatapathId dst, long nanos) {}

  /** All switches are able to do everything. */
  Simulation(long seed) {
    this(seed, List.of(SwitchProfile.FOUR_TABLES));
  }

  /** Each switch has one of these profiles. */
  Simulation(long seed, List<SwitchProfile> profiles) {
    random = new Random(seed);
    AtomicLong clock = new AtomicLong(1);
    events = new EventQueue(clock);
    wire = new SlowWire(events, random);
    net = new BalancerNetwork(Map.of(), wire, clock);
    journal = new Journal(events);
    traffic = new Traffic(net, events, random, journal);
    troubles = new Troubles(net, wire, events, random, traffic, journal);
    build(new Random(seed), profiles);
  }

  private void build(Random ofProfiles, List<SwitchProfile> profiles) {
    int count = 1 + random.nextInt(5);
    for (int id = 1; id <= count; id++) {
      net.network.setProfile(profiles.get(ofProfiles.nextInt(profiles.size())));
      switches.add(troubles.addSwitch(id));
    }
    for (int i = 1; i < count; i++) {
      troubles.connect(switches.get(i - 1), 10 + i, switches.get(i), 20 + i);
    }
    if (count > 2) {
      troubles.connect(switches.get(count - 1), 31, switches.get(0), 32);
    }
    if (count > 3 && random.nextBoolean()) {
      troubles.connect(switches.get(0), 33, switches.get(2), 34);
    }
    for (int i = 1; i <= 8; i++) {
      DatapathId at = switches.get(random.nextInt(count));
      traffic.add(Host.of(at, 1 + random.nextInt(HOST_PORTS), "10.0.0." + i));
    }
    troubles.addVip(WEB, "webPool", "RR", true);
    troubles.addVip(NAMES, "namePool", "WRR", true);
    troubles.addVip(ANY_TCP, "anyPool", "LC", true);
    for (int i = 0; i < 8; i++) {
      addMember();
    }
    wire.slowUpkeep();
    net.repeated()
        .forEach(each -> every(TimeUnit.MILLISECONDS.toNanos(each.millis()), each.work()));
    every(EXPIRY_NANOS, net::expire);
    every(EXPIRY_NANOS, this::checkCounts);
    every(EXPIRY_NANOS, this::checkLabels);
  }

  private void every(long nanos, Runnable work) {
    events.after(
        nanos,
        () -> {
          work.run();
          every(nanos, work);
        });
  }

  private void addMember() {
    Host host = any(traffic.hosts());
    switch (random.nextInt(3)) {
      case 0 -> troubles.addMember("webPool", WEB, host);
      case 1 -> troubles.addMember("namePool", NAMES, host);
      default -> troubles.addMember("anyPool", ANY_TCP, host);
    }
  }

  private <T> T any(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  /** The latest of what happened, for people. */
  String journal() {
    return journal.text();
  }

  /** Tells one run from another. */
  String fingerprint() {
    return random.nextLong() + " " + traffic.open();
  }

  /** Lets that many things happen, then the network come to rest, and checks what is left. */
  void run(int steps) {
    pass(TimeUnit.SECONDS.toNanos(12));
    int kinds = random.nextInt(8);
    for (int step = 0; step < steps; step++) {
      act(kinds);
      traffic.judge();
      pass(random.nextInt(10) == 0 ? pauseNanos() : random.nextInt(20_000_000));
      nothingIsRefused();
    }
    while (troubles.open() > 0 || traffic.isTroubled()) {
      pass(TimeUnit.SECONDS.toNanos(5));
    }
    pass(TimeUnit.SECONDS.toNanos(90));
    everybodyConnects();
    whatIsOpenIsCounted();
    whatIsOverIsGone();
    nothingIsRefused();
  }

  private void nothingIsRefused() {
    if (!net.network.refusals().isEmpty()) {
      journal.wrong("switches have refused messages: %s", net.network.refusals());
    }
  }

  private long pauseNanos() {
    int seconds = random.nextInt(15) == 0 ? 300 + random.nextInt(20) : random.nextInt(40);
    return TimeUnit.SECONDS.toNanos(seconds) + random.nextInt(1_000_000_000);
  }

  private void act(int kinds) {
    int dice = random.nextInt(100);
    List<Conversation> open = traffic.open();
    if (dice < 35) {
      openOne();
    } else if (dice < 75 && !open.isEmpty()) {
      Conversation one = any(open);
      for (int i = random.nextInt(3); i >= 0; i--) {
        traffic.talk(one);
      }
    } else if (dice < 82 && !open.isEmpty()) {
      traffic.end(any(open));
    } else if (dice < 84 && !open.isEmpty()) {
      Conversation one = any(open);
      journal.note("given up: %s", one);
      one.open = false;
    } else if (dice < 92 && !open.isEmpty()) {
      traffic.reply(any(open), Packet.TCP_ACK, "by itself");
    } else if (dice < 94 && (kinds & 1) > 0) {
      changeCatalog();
    } else if (dice < 97 && (kinds & 2) > 0) {
      troubles.breakLink();
    } else if (dice < 99 && (kinds & 4) > 0) {
      troubles.loseSwitch();
    }
  }

  private void changeCatalog() {
    switch (random.nextInt(5)) {
      case 0 -> troubles.replaceVip(WEB, "webPool");
      case 1 -> troubles.replaceVip(ANY_TCP, "anyPool");
      case 2, 3 -> addMember();
      default -> troubles.removeMember();
    }
  }

  private void openOne() {
    open(any(SERVICES), any(traffic.hosts()), FIRST_CLIENT_PORT + random.nextInt(CLIENT_PORTS));
  }

  private void open(Service service, Host client, int clientPort) {
    boolean ping = service.protocol() == Protocol.ICMP;
    int vipPort =
        ping
            ? 0
            : service.port() > 0 ? service.port() : ANY_PORTS[random.nextInt(ANY_PORTS.length)];
    int port = ping ? 0 : clientPort;
    if (!traffic.isTaken(service, client, port, vipPort)) {
      boolean excused = troubles.isSplit() || troubles.isAway(service);
      traffic.open(service, client, port, vipPort, excused);
    }
  }

  private void pass(long nanos) {
    events.pass(nanos, traffic::judge);
  }

  private void checkCounts() {
    net.module
        .memberStats()
        .forEach(
            (id, stats) -> {
              if (stats.activeConnections() < 0) {
                journal.wrong("member %s has %d connections", id, stats.activeConnections());
              }
            });
  }

  private void checkLabels() {
    for (PathStats path : net.module.paths()) {
      SeenLabel now = new SeenLabel(path.path().src(), path.path().dst(), events.now());
      SeenLabel before = labels.put(path.label(), now);
      boolean same = before == null || (before.src.equals(now.src) && before.dst.equals(now.dst));
      if (!same && now.nanos - before.nanos < REST_NANOS) {
        journal.wrong("label %s was %s and is %s", path.label(), before, now);
      }
    }
  }

  /** All clients open new connections, which all have to be answered. */
  private void everybodyConnects() {
    journal.note("all is mended: everybody connects");
    traffic.open().forEach(traffic::end);
    pass(TimeUnit.SECONDS.toNanos(80));
    int port = FIRST_CLIENT_PORT + CLIENT_PORTS;
    for (Host client : traffic.hosts()) {
      for (Service service : SERVICES.subList(1, SERVICES.size())) {
        if (!troubles.isAway(service)) {
          open(service, client, port++);
        }
      }
    }
    pass(TimeUnit.SECONDS.toNanos(2));
    for (int i = 0; i < 8; i++) {
      traffic.open().forEach(traffic::talk);
      pass(TimeUnit.SECONDS.toNanos(3));
    }
    for (Conversation one : traffic.open()) {
      if (!one.established && !traffic.mayHaveClashed(one)) {
        journal.wrong("%s has no answer", one);
      }
    }
  }

  private void whatIsOpenIsCounted() {
    Map<String, Long> open = new TreeMap<>();
    traffic.open().stream()
        .filter(one -> one.member != null)
        .forEach(one -> open.merge(one.member.ip().toString(), 1L, Long::sum));
    Map<String, Long> counted = new TreeMap<>();
    net.module.catalog().snapshot().members().values().stream()
        .filter(member -> net.stats(member.id()).activeConnections() > 0)
        .forEach(
            member ->
                counted.merge(
                    member.address().toString(),
                    net.stats(member.id()).activeConnections(),
                    Long::sum));
    if (!open.equals(counted)) {
      journal.wrong("open on members are %s, counted are %s", open, counted);
    }
    int expected = open.values().stream().mapToInt(Long::intValue).sum();
    if (net.module.counters().openConnections() != expected) {
      journal.wrong("%d are open, the table has %s", expected, net.module.counters());
    }
    int far =
        (int)
            traffic.open().stream()
                .filter(one -> one.member != null)
                .filter(one -> !one.member.switchId().equals(one.client.switchId()))
                .count();
    int onPaths = net.module.paths().stream().mapToInt(PathStats::connections).sum();
    if (onPaths != 2 * far) {
      journal.wrong("%d connections go over paths, counted twice are %d", far, onPaths);
    }
  }

  private void whatIsOverIsGone() {
    journal.note("everybody falls silent");
    pass(TimeUnit.SECONDS.toNanos(LONG_SECONDS));
    net.module
        .memberStats()
        .forEach(
            (id, stats) -> {
              if (stats.activeConnections() != 0) {
                journal.wrong("member %s keeps %d", id, stats.activeConnections());
              }
            });
    if (net.module.counters().openConnections() != 0) {
      journal.wrong("nothing is open, the table has %s", net.module.counters());
    }
    Map<MacAddress, PathStats> paths = new HashMap<>();
    for (PathStats path : net.module.paths()) {
      paths.put(path.label(), path);
      if (path.connections() != 0) {
        journal.wrong("path %s is used by nobody", path);
      }
    }
    switches.forEach(id -> onlyPathsAreLeft(id, paths));
    long edges = switches.size();
    if (paths.size() > edges * (edges - 1)) {
      journal.wrong("more labels than pairs of switches: %s", paths);
    }
  }

  private void onlyPathsAreLeft(DatapathId id, Map<MacAddress, PathStats> paths) {
    for (FakeRule rule : net.table(id).rules()) {
      if (Cookie.is(rule.cookie(), CookieKind.REQUEST)
          || Cookie.is(rule.cookie(), CookieKind.REPLY)
          || Cookie.is(rule.cookie(), CookieKind.HOST)) {
        journal.wrong("switch %s keeps %s", id, rule);
      }
      if (Cookie.is(rule.cookie(), CookieKind.LABEL)) {
        MacAddress label = rule.match().get(MatchField.ETH_DST);
        PathStats path = paths.get(label);
        if (path == null || !path.path().switches().contains(id)) {
          journal.wrong("switch %s keeps a label's rule that nobody knows: %s", id, rule);
        }
      }
    }
    for (PathStats path : paths.values()) {
      boolean has =
          net.table(id).rules().stream()
              .anyMatch(
                  rule ->
                      Cookie.is(rule.cookie(), CookieKind.LABEL)
                          && path.label().equals(rule.match().get(MatchField.ETH_DST)));
      if (path.path().switches().contains(id) && !has) {
        journal.wrong("switch %s lacks the rule of %s", id, path);
      }
    }
  }
}
