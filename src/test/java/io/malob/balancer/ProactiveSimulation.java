package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.FIN;
import static io.malob.balancer.ProactiveFixture.SYN;
import static io.malob.balancer.ProactiveFixture.SYN_ACK;
import static io.malob.balancer.ProactiveFixture.VIP;

import com.google.errorprone.annotations.FormatMethod;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.json.RejectedException;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.bucket.BucketCookie;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogKind;
import io.malob.state.catalog.Fields;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * A VIP in a ring of switches whose placement, members and links change at random while connections
 * are open; the controller is restarted, too. All of it follows from a seed. Each packet of an
 * established connection must reach the member that its SYN has reached, unless the member is gone
 * or the connection was silent for longer than a bucket moves. In the end, nothing is left.
 */
final class ProactiveSimulation {
  private static final int MOVE_SECONDS = 5;
  private static final int PIN_SECONDS = 60;
  private static final long MOVE_NANOS = MOVE_SECONDS * 1_000_000_000L;

  /** A step of the simulation, and the time that a bucket takes to begin its move. */
  private static final long SLACK_NANOS = 500_000_000L;

  /** Estimates, and with them the shares, take minutes to follow. */
  private static final int REST_SECONDS = 600;

  private static final int MAX_MEMBERS = 5;
  private static final int TICK_MILLIS = 250;
  private static final int MAX_NOTES = 60;

  /** The ports of each client. */
  private static final int FIRST_PORT = 20_000;

  private static final int PORTS = 150;

  /** How often in a row a packet may get lost: a restarted controller locates members first. */
  private static final int PATIENCE = 3;

  private static final Map<String, String> SETTINGS =
      Map.of(
          "bucketMoveSeconds", Integer.toString(MOVE_SECONDS),
          "bucketHoldSeconds", "2",
          "bucketPinSeconds", Integer.toString(PIN_SECONDS),
          "autoPerSecond", "10",
          "autoHalfOpen", "1000",
          "autoCalmSeconds", "5");

  private final Random random;
  private final List<DatapathId> switches = new ArrayList<>();
  private final List<Host> clients = new ArrayList<>();
  private final Map<String, Site> members = new TreeMap<>();
  private final List<Flow> flows = new ArrayList<>();
  private final Deque<String> notes = new ArrayDeque<>();

  /** All changes of the catalog since the start: a restarted controller has the same numbers. */
  private final List<Change> catalog = new ArrayList<>();

  private BalancerNetwork net;
  private int broken = -1;
  private int hosts;

  /** A member's host, and whether it takes packets and new connections. */
  private static final class Site {
    final Host host;
    int weight = 1;
    boolean isUp = true;

    Site(Host host) {
      this.host = host;
    }

    boolean takesNew() {
      return isUp && weight > 0;
    }
  }

  /** A connection. */
  private static final class Flow {
    final Host client;
    final int port;

    /** How often its client sends; some are silent for longer than a bucket moves. */
    final long periodNanos;

    @Nullable String member;

    /** Its member was down or has been removed. */
    boolean isExcused;

    int attempts;
    long lastNanos;

    Flow(Host client, int port, long periodNanos, long nowNanos) {
      this.client = client;
      this.port = port;
      this.periodNanos = periodNanos;
      this.lastNanos = nowNanos;
    }

    @Override
    public String toString() {
      return client.ip() + ":" + port + " on " + member;
    }
  }

  /** A change of the catalog. */
  private interface Change {
    void apply(Catalog to) throws RejectedException;
  }

  ProactiveSimulation(long seed, SwitchProfile profile) {
    net = new BalancerNetwork(profile, SETTINGS);
    random = new Random(seed);
    int count = 3 + random.nextInt(3);
    for (int id = 1; id <= count; id++) {
      switches.add(DatapathId.of(id));
    }
    change(
        to ->
            to.create(
                Catalog.VIPS,
                Fields.of("id", "v", "address", VIP.toString(), "protocol", "tcp", "port", "80")));
    String algorithm = random.nextBoolean() ? "WRR" : "LC";
    change(
        to ->
            to.create(Catalog.POOLS, Fields.of("id", "p", "vip_id", "v", "lb_method", algorithm)));
    for (int i = 0; i < 3; i++) {
      clients.add(newHost());
      addMember();
    }
    setPlacement("proactive");
    connect();
    clients.forEach(client -> net.send(client, Frames.arpRequest(client.mac(), client.ip(), VIP)));
    pass(4);
  }

  private long now() {
    return net.nanoTime.get();
  }

  private Host newHost() {
    hosts++;
    return Host.of(any(switches), 1 + hosts % 4, "10.0.1." + hosts);
  }

  private <T> T any(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private void connect() {
    switches.forEach(id -> net.addSwitch(id.getLong()));
    for (int i = 0; i < switches.size(); i++) {
      if (i != broken) {
        link(i);
      }
    }
    clients.forEach(net::learn);
    members.values().forEach(site -> net.learn(site.host));
  }

  private void link(int number) {
    net.link(switches.get(number), 11, switches.get((number + 1) % switches.size()), 12);
  }

  private void change(Change change) {
    catalog.add(change);
    apply(change);
  }

  private void apply(Change change) {
    try {
      change.apply(net.module.catalog());
    } catch (RejectedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void set(CatalogKind<?> kind, String id, String... fields) {
    change(to -> to.update(kind, id, Fields.of(fields)));
  }

  @FormatMethod
  private void note(String format, Object... values) {
    notes.add(now() / 1_000_000 + " " + String.format(format, values));
    if (notes.size() > MAX_NOTES) {
      notes.removeFirst();
    }
  }

  /** The latest events. */
  String journal() {
    return String.join("\n", notes);
  }

  /** Tells one run from another. */
  String fingerprint() {
    return random.nextLong() + " " + flows.size() + " " + net.module.proactive();
  }

  @FormatMethod
  private void wrong(String format, Object... values) {
    throw new AssertionError(now() / 1_000_000 + " " + String.format(format, values));
  }

  /** Lets that many things happen, then all connections end, and checks what is left. */
  void run(int steps) {
    for (int step = 0; step < steps; step++) {
      act();
      passMillis(250 * (random.nextInt(8) == 0 ? random.nextInt(40) : random.nextInt(4)));
    }
    rest();
  }

  private void act() {
    int dice = random.nextInt(100);
    if (dice < 55) {
      open();
    } else if (dice < 75) {
      end();
    } else if (dice < 80) {
      weigh();
    } else if (dice < 84) {
      addMember();
    } else if (dice < 87) {
      removeMember();
    } else if (dice < 91) {
      toggle();
    } else if (dice < 94) {
      breakOrMend();
    } else if (dice < 96) {
      restart();
    } else {
      setPlacement(any(List.of("proactive", "proactive", "auto", "reactive")));
    }
  }

  private void open() {
    int burst = random.nextInt(6) == 0 ? 12 : 1;
    for (int i = 0; i < burst; i++) {
      long period = 250_000_000L * (1 + random.nextInt(random.nextInt(6) == 0 ? 100 : 16));
      Host from = any(clients);
      Flow flow = new Flow(from, freePort(from), period, now());
      flows.add(flow);
      send(flow);
    }
  }

  /** One of few, so that connections use the ports of others that have ended. */
  private int freePort(Host client) {
    while (true) {
      int port = FIRST_PORT + random.nextInt(PORTS);
      if (flows.stream().noneMatch(flow -> flow.client.equals(client) && flow.port == port)) {
        return port;
      }
    }
  }

  private void end() {
    if (!flows.isEmpty()) {
      end(any(flows));
    }
  }

  private void end(Flow flow) {
    flows.remove(flow);
    note("end of %s", flow);
    if (flow.member != null) {
      net.send(flow.client, request(flow, FIN));
      reply(flow, FIN);
    }
  }

  private void weigh() {
    String id = any(List.copyOf(members.keySet()));
    int weight = random.nextInt(4);
    boolean isLast = members.values().stream().filter(Site::takesNew).count() == 1;
    if (weight > 0 || !isLast) {
      note("weight of %s is %d", id, weight);
      members.get(id).weight = weight;
      set(Catalog.MEMBERS, id, "weight", Integer.toString(weight));
    }
  }

  private void addMember() {
    if (members.size() < MAX_MEMBERS) {
      Site site = new Site(newHost());
      String id = "m" + hosts;
      note("member %s at %s", id, site.host);
      members.put(id, site);
      net.learn(site.host);
      change(
          to ->
              to.create(
                  Catalog.MEMBERS,
                  Fields.of(
                      "id",
                      id,
                      "address",
                      site.host.ip().toString(),
                      "port",
                      "8080",
                      "pool_id",
                      "p")));
    }
  }

  private void removeMember() {
    String id = any(List.copyOf(members.keySet()));
    if (members.values().stream().filter(Site::takesNew).count() > 2) {
      note("member %s is removed", id);
      members.remove(id);
      excuse(id);
      change(to -> to.delete(Catalog.MEMBERS, id));
    }
  }

  private void toggle() {
    String id = any(List.copyOf(members.keySet()));
    Site site = members.get(id);
    boolean isLast = members.values().stream().filter(Site::takesNew).count() == 1;
    if (!site.isUp || !isLast) {
      site.isUp = !site.isUp;
      note("member %s is %s", id, site.isUp ? "up" : "down");
      excuse(id);
      set(Catalog.MEMBERS, id, "admin_state", site.isUp ? "up" : "down");
    }
  }

  private void excuse(String member) {
    flows.stream()
        .filter(flow -> member.equals(flow.member))
        .forEach(flow -> flow.isExcused = true);
  }

  private void breakOrMend() {
    if (broken < 0) {
      broken = random.nextInt(switches.size());
      note("link %d breaks", broken);
      net.unlink(switches.get(broken), 11);
      net.unlink(switches.get((broken + 1) % switches.size()), 12);
    } else {
      note("link %d is mended", broken);
      int mended = broken;
      broken = -1;
      link(mended);
    }
  }

  private void restart() {
    note("restart");
    net = net.restarted(SETTINGS);
    catalog.forEach(this::apply);
    connect();
  }

  private void setPlacement(String placement) {
    note("placement %s", placement);
    set(Catalog.VIPS, "v", "placement", placement);
  }

  /** Seconds pass, each at once. */
  private void pass(int seconds) {
    for (int second = 0; second < seconds; second++) {
      tick(1_000);
    }
  }

  private void passMillis(int millis) {
    for (int rest = millis; rest > 0; rest -= TICK_MILLIS) {
      tick(TICK_MILLIS);
    }
  }

  private void tick(int millis) {
    net.passMillis(millis);
    net.expire();
    List.copyOf(flows).stream()
        .filter(flow -> now() - flow.lastNanos >= flow.periodNanos)
        .forEach(this::send);
  }

  private byte[] request(Flow flow, int flags) {
    Host from = flow.client;
    return Frames.tcp(
        from.mac(), EdgeMac.of(from.switchId()), from.ip(), flow.port, VIP, 80, flags);
  }

  private void send(Flow flow) {
    if (flow.member == null) {
      sendSyn(flow);
    } else {
      sendNext(flow, flow.member);
    }
  }

  private void sendSyn(Flow flow) {
    if (flow.attempts++ > PATIENCE) {
      wrong("%s: no SYN has reached a member: %s", flow, net.module.rejects());
    }
    flow.lastNanos = now();
    flow.member = reached(net.send(flow.client, request(flow, SYN))).orElse(null);
    if (flow.member != null) {
      note("SYN of %s", flow);
      flow.isExcused = !members.get(flow.member).isUp; // its buckets move with the next tick
      flow.attempts = 0;
      reply(flow, SYN_ACK);
    }
  }

  private void sendNext(Flow flow, String member) {
    boolean wasSilent = now() - flow.lastNanos > MOVE_NANOS - SLACK_NANOS;
    flow.lastNanos = now();
    List<Delivery> out = net.send(flow.client, request(flow, ACK));
    Optional<String> reached = reached(out);
    if (out.isEmpty() && flow.attempts < PATIENCE) {
      flow.attempts++; // it is retransmitted
      return;
    }
    flow.attempts = 0;
    if (reached.equals(Optional.of(member))) {
      reply(flow, ACK);
    } else if (flow.isExcused || wasSilent) {
      flows.remove(flow); // its client gets a reset
    } else {
      wrong("%s: a packet has reached %s: %s", flow, reached, net.module.rejects());
    }
  }

  /** The member that a packet has reached. */
  private Optional<String> reached(List<Delivery> deliveries) {
    if (deliveries.size() > 1) {
      wrong("came out: %s", deliveries);
    }
    for (Delivery each : deliveries) {
      Packet packet = Packet.parse(each.frame());
      for (Map.Entry<String, Site> member : members.entrySet()) {
        if (packet.dstAddress() == member.getValue().host.ip().getInt()) {
          mustBeAt(member.getValue().host, each);
          return Optional.of(member.getKey());
        }
      }
    }
    return Optional.empty();
  }

  private void mustBeAt(Host host, Delivery delivery) {
    if (!host.switchId().equals(delivery.switchId())
        || host.port() != delivery.port().getPortNumber()
        || !host.mac().equals(Packet.parse(delivery.frame()).dstMac())) {
      wrong("a packet for %s came out at %s", host, delivery.at());
    }
  }

  private void reply(Flow flow, int flags) {
    @Nullable Site site = flow.member == null ? null : members.get(flow.member);
    if (site == null) {
      return;
    }
    Host from = site.host;
    Host to = flow.client;
    List<Delivery> out =
        net.send(
            from, Frames.tcp(from.mac(), to.mac(), from.ip(), 8_080, to.ip(), flow.port, flags));
    if (out.size() != 1 || Packet.parse(out.get(0).frame()).srcAddress() != VIP.getInt()) {
      if (!flow.isExcused && flags != FIN) {
        wrong(
            "%s: a reply came out: %s",
            flow, out.stream().map(Delivery::frame).map(Packet::parse).toList());
      }
      return;
    }
    mustBeAt(to, out.get(0));
  }

  /** All connections end, and buckets come to rest. */
  private void rest() {
    note("all connections end");
    if (broken >= 0) {
      breakOrMend();
    }
    List.copyOf(flows).forEach(this::end);
    setPlacement("proactive");
    pass(PIN_SECONDS + 70);
    for (int second = 0; second < REST_SECONDS && isMoving(); second++) {
      pass(1);
    }
    bucketsAreWhole();
    nothingIsCounted();
    setPlacement("reactive");
    pass(MOVE_SECONDS + 3);
    noRuleIsLeft(CookieKind.BUCKET, CookieKind.PROACTIVE);
  }

  private boolean isMoving() {
    return switches.stream()
        .flatMap(at -> rules(at, CookieKind.BUCKET))
        .anyMatch(rule -> BucketCookie.of(rule.cookie()).orElseThrow().isMoving());
  }

  private void bucketsAreWhole() {
    Map<Integer, Host> taking = new TreeMap<>();
    members.forEach(
        (id, site) -> {
          int number = net.module.catalog().snapshot().members().get(id).number();
          if (site.takesNew()) {
            taking.put(number, site.host);
          }
        });
    int edges = 0;
    for (DatapathId at : switches) {
      Set<Integer> indexes = new HashSet<>();
      List<FakeRule> rules = rules(at, CookieKind.BUCKET).toList();
      for (FakeRule rule : rules) {
        BucketCookie cookie = BucketCookie.of(rule.cookie()).orElseThrow();
        @Nullable Host host = taking.get(cookie.memberNumber());
        boolean leadsThere =
            host != null && rule.instructions().toString().contains("=" + host.ip() + ")");
        if (cookie.isMoving() || !leadsThere) {
          wrong("%s: %s, members are %s", at, rule, taking);
        }
        indexes.add(rule.match().getMasked(MatchField.TCP_SRC).getValue().getPort() >> 1);
        if (rules.size() != cookie.key().count()) {
          wrong("%s has %d rules: %s", at, rules.size(), cookie);
        }
      }
      if (indexes.size() != rules.size()) {
        wrong("%s has %d rules for %d buckets", at, rules.size(), indexes.size());
      }
      edges += rules.isEmpty() ? 0 : 1;
    }
    if (edges < clients.stream().map(Host::switchId).distinct().count()) {
      wrong("only %d edges have buckets: %s", edges, net.module.proactive());
    }
  }

  private void nothingIsCounted() {
    net.module
        .memberStats()
        .forEach(
            (id, stats) -> {
              if (stats.activeConnections() != 0 || stats.estimatedConnections() != 0) {
                wrong("member %s has %s", id, stats);
              }
            });
    noRuleIsLeft(CookieKind.REQUEST, CookieKind.REPLY);
  }

  private void noRuleIsLeft(CookieKind... kinds) {
    for (CookieKind kind : kinds) {
      for (DatapathId at : switches) {
        rules(at, kind)
            .findFirst()
            .ifPresent(rule -> wrong("%s has a rule that is not needed: %s", at, rule));
      }
    }
  }

  private Stream<FakeRule> rules(DatapathId at, CookieKind kind) {
    return net.table(at).rules().stream().filter(rule -> Cookie.is(rule.cookie(), kind));
  }
}
