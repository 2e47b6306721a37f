package io.malob.cluster.election;

import com.google.common.collect.ImmutableSet;
import io.malob.module.IPeerService;
import io.malob.module.Mastership.RoleChannel;
import io.malob.module.MastershipPolicy;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import io.malob.testing.EventQueue;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Controllers, switches and etcd in simulated time. The switches follow section 6.3.6 of OpenFlow
 * 1.3; controllers write to switches that they believe to be master of. A violated invariant is an
 * {@link AssertionError}. For one thread.
 */
final class SimulatedCluster {
  static final Duration LEASE = Duration.ofSeconds(3);
  static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long TICK = 100 * MILLI;

  final EventQueue queue = new EventQueue(new AtomicLong(SECOND));
  final SimulatedEtcd etcd = new SimulatedEtcd(queue);
  final Map<String, Controller> controllers = new LinkedHashMap<>();
  final Map<DatapathId, Switch> switches = new TreeMap<>();
  private final LongSupplier delayNanos;

  /** The time between two writes of a master without packet-ins. */
  long writeNanos = 150 * MILLI;

  /** The setting of controllers that start. */
  Optional<MastershipPolicy> policy = Optional.empty();

  /** The weights of controllers, where they are not 1. */
  final Map<String, Integer> weights = new HashMap<>();

  SimulatedCluster(LongSupplier delayNanos) {
    this.delayNanos = delayNanos;
  }

  /** Starts a controller to which all switches connect. */
  Controller start(String name) {
    Controller controller = new Controller(name);
    controllers.put(name, controller);
    switches.values().forEach(sw -> sw.connect(controller));
    return controller;
  }

  /** Adds a switch that connects to all controllers. */
  Switch addSwitch(long number) {
    Switch sw = new Switch(DatapathId.of(number));
    switches.put(sw.id, sw);
    controllers.values().forEach(sw::connect);
    return sw;
  }

  void pass(long nanos) {
    queue.pass(nanos, () -> {});
  }

  /** Lets time pass until this holds, at most so long; returns the time it took. */
  long passUntil(BooleanSupplier condition, long maxNanos) {
    long began = queue.now();
    while (!condition.getAsBoolean()) {
      if (queue.now() - began >= maxNanos) {
        throw new AssertionError("not within " + maxNanos / MILLI + " ms: " + describe());
      }
      pass(MILLI);
    }
    return queue.now() - began;
  }

  /** When switches were moved because of the policy. */
  List<Long> moves() {
    List<Long> times = new ArrayList<>();
    etcd.history().stream()
        .filter(event -> event.key().equals(Keys.MOVE))
        .forEach(event -> times.add(event.atNanos()));
    return times;
  }

  /** The connected controller with the greatest score. */
  String preferred(Switch sw) {
    return controllers.keySet().stream()
        .filter(name -> !sw.link(name).isBroken())
        .max(
            Comparator.comparingDouble(
                name -> Rendezvous.score(name, weights.getOrDefault(name, 1), sw.id)))
        .orElseThrow();
  }

  /** Whether a link stays broken. */
  boolean isAnyLinkBroken() {
    return switches.values().stream()
        .anyMatch(sw -> sw.links.values().stream().anyMatch(Link::isBroken));
  }

  /** Who is master of what, for messages. */
  String describe() {
    StringBuilder text = new StringBuilder();
    switches.values().forEach(sw -> text.append(sw.describe()).append("; "));
    controllers.values().forEach(c -> text.append(c.describe()).append("; "));
    return text.toString();
  }

  /** A controller's process, and its election. */
  final class Controller {
    final String name;
    final SimulatedEtcd.Client client;
    final Election election;
    final Streams streams = new Streams(this);
    final CompletableFuture<Void> started;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private boolean isPaused;
    private boolean isDead;

    Controller(String name) {
      this.name = name;
      client = etcd.new Client(name, delayNanos);
      election =
          new Election(
              client,
              new ThisNode(
                  name,
                  new Contact(name + ":8080", peer(name)),
                  weights.getOrDefault(name, 1),
                  policy),
              LEASE,
              this::execute,
              queue::now);
      election.relayOver(streams);
      started = election.start();
      queue.after(TICK, this::tick);
    }

    private void tick() {
      if (!isDead) {
        if (!isPaused) {
          election.tick();
        }
        queue.after(TICK, this::tick);
      }
    }

    /** Its serial executor: nothing runs while the process is suspended. */
    private void execute(Runnable task) {
      if (!isDead) {
        waiting.add(task);
        queue.after(0, this::runOne);
      }
    }

    private void runOne() {
      if (!isPaused && !isDead && !waiting.isEmpty()) {
        waiting.remove().run();
      }
    }

    /** Suspends the process (SIGSTOP), or lets it go on. */
    void setPaused(boolean now) {
      isPaused = now;
      if (!now && !isDead) {
        waiting.forEach(task -> queue.after(0, this::runOne));
        switches.values().forEach(sw -> sw.links.get(this).flush());
      }
    }

    boolean isPaused() {
      return isPaused;
    }

    /** Ends the process (SIGKILL): its connections break. */
    void kill() {
      isDead = true;
      waiting.clear();
      client.kill();
      controllers.remove(name, this);
      switches.values().forEach(sw -> sw.links.remove(this).breakUp());
    }

    boolean isDead() {
      return isDead;
    }

    private String describe() {
      return name
          + (isPaused ? " paused " : " ")
          + election.view().roles()
          + (election.view().isMember() ? "" : " no member")
          + election.view().problems();
    }
  }

  /** The streams of a controller to the others. */
  final class Streams implements IPeerService {
    private final Controller controller;
    private PeerListener listener;
    private final ArrayDeque<Runnable> underWay = new ArrayDeque<>();

    /** Whether messages can be sent. */
    boolean areThere = true;

    Streams(Controller controller) {
      this.controller = controller;
    }

    @Override
    public void listen(PeerTopic topic, PeerListener newListener) {
      listener = newListener;
    }

    @Override
    public boolean send(String peer, PeerTopic topic, byte[] message) {
      Controller other = controllers.get(peer);
      if (!areThere || other == null) {
        return false;
      }
      underWay.add(
          () -> other.streams.listener.received(controller.name, ByteBuffer.wrap(message)));
      queue.after(delayNanos.getAsLong(), () -> underWay.remove().run());
      return true;
    }

    @Override
    public ImmutableSet<String> reached() {
      return areThere ? ImmutableSet.copyOf(controllers.keySet()) : ImmutableSet.of();
    }
  }

  /** A switch, with the roles of its controllers. */
  final class Switch {
    final DatapathId id;
    final Map<Controller, Link> links = new LinkedHashMap<>();

    /** Whether it tells controllers of their new role, as OpenFlow 1.4 and later do. */
    boolean tellsRoles;

    /** The latest accepted generation id; -1 if none. */
    long generation = -1;

    /** The master's link; null if there is none. */
    Link master;

    /** Whose writes were accepted, by generation id. */
    final Map<Long, String> writers = new TreeMap<>();

    /** The claims that were accepted. */
    final List<String> claims = new ArrayList<>();

    /** How many writes it has rejected. */
    int rejectedWrites;

    /** When it sent packet-ins that no controller has handled yet, by number. */
    final Map<Integer, Long> unhandled = new TreeMap<>();

    private int packetIns;

    /** The max time until the switch had the rules for a packet-in. */
    long slowestNanos;

    Switch(DatapathId id) {
      this.id = id;
    }

    void connect(Controller controller) {
      Link link = new Link(this, controller);
      links.put(controller, link);
      link.open();
    }

    Link link(String controller) {
      return links.get(controllers.get(controller));
    }

    /** Sends a packet-in to all controllers. */
    void sendPacketIn() {
      int number = packetIns++;
      unhandled.put(number, queue.now());
      links.values().forEach(link -> link.packetIn(number));
    }

    private void handled(int number) {
      Long sent = unhandled.remove(number);
      if (sent != null) {
        slowestNanos = Math.max(slowestNanos, queue.now() - sent);
      }
    }

    String masterName() {
      return master == null ? null : master.controller.name;
    }

    /** A claim of the role of master; whether it is accepted. */
    private boolean claim(Link link, long wanted) {
      if (generation != -1 && wanted - generation < 0) {
        return false;
      }
      // only the creator of the switch's key may use the key's revision
      boolean isCreator =
          etcd.history().stream()
              .anyMatch(
                  event ->
                      event.item() != null
                          && event.item().key().equals(Keys.master(id))
                          && isBase(wanted - event.item().createRevision())
                          && event.item().value().equals(link.controller.name));
      if (!isCreator) {
        throw new AssertionError(link.controller.name + " claims " + id + " with " + wanted);
      }
      generation = wanted;
      Link before = master;
      master = link;
      claims.add(link.controller.name + " " + wanted);
      if (before != null && before != link && tellsRoles) {
        before.toController(before::toldSlave);
      }
      return true;
    }

    private boolean isBase(long number) {
      return number == 0
          || etcd.history().stream()
              .anyMatch(
                  event ->
                      event.key().equals(Keys.BASE)
                          && event.item() != null
                          && event.item().value().equals(Long.toString(number)));
    }

    private boolean write(Link link) {
      if (master != link) {
        rejectedWrites++;
        return false;
      }
      String writer = writers.putIfAbsent(generation, link.controller.name);
      if (writer != null && !writer.equals(link.controller.name)) {
        throw new AssertionError(
            "two writers at " + id + " in " + generation + ": " + writer + ", " + link);
      }
      return true;
    }

    private String describe() {
      return id.getLong() + ": " + masterName() + " in " + generation + " after " + claims;
    }
  }

  /** The way between a switch and a controller, with one connection after the other. */
  final class Link {
    final Switch sw;
    final Controller controller;
    private Connection connection;
    private boolean isCut;
    private boolean isBroken;
    private boolean isGone;

    /** Whether this controller knows that the switch's master has ended or is silent. */
    boolean masterSilent;

    Link(Switch sw, Controller controller) {
      this.sw = sw;
      this.controller = controller;
    }

    boolean isOpen() {
      return connection != null;
    }

    /** The switch connects after a moment, if it can. */
    void open() {
      queue.after(
          10 * delayNanos.getAsLong(),
          () -> {
            if (!isGone && !isCut && !isBroken && connection == null && !controller.isPaused) {
              connection = new Connection(this);
              Connection opened = connection;
              controller.election.generationSeen(opened, sw.generation);
              controller.election.connected(opened);
              opened.write();
            } else if (!isGone && !isBroken && connection == null) {
              queue.after(200 * MILLI, this::open);
            }
          });
    }

    /** The network between the two fails, or is repaired; TCP holds messages meanwhile. */
    void setCut(boolean now) {
      isCut = now;
      if (!now) {
        flush();
      }
    }

    /** The connection breaks, and the network between the two stays broken. */
    void breakForGood() {
      isBroken = true;
      reset();
    }

    boolean isBroken() {
      return isBroken;
    }

    private void flush() {
      if (connection != null) {
        connection.flush();
      }
    }

    /** The connection breaks; the switch connects again. */
    void reset() {
      Connection broken = connection;
      if (broken != null) {
        connection = null;
        if (sw.master == this) {
          sw.master = null;
        }
        if (!controller.isDead) {
          controller.election.disconnected(broken);
        }
        open();
      }
    }

    void breakUp() {
      isGone = true;
      connection = null;
      if (sw.master == this) {
        sw.master = null;
      }
    }

    private void toController(Runnable message) {
      if (connection != null) {
        connection.send(message, false);
      }
    }

    private void packetIn(int number) {
      if (connection != null) {
        Connection current = connection;
        current.send(() -> current.packetIn(number), false);
      }
    }

    private void toldSlave() {
      if (connection != null) {
        connection.becomeSlave();
      }
    }

    boolean believesToBeMaster() {
      return connection != null && connection.isMaster;
    }

    @Override
    public String toString() {
      return controller.name + " to " + sw.id.getLong();
    }
  }

  /** Where others reach a controller. */
  static String peer(String name) {
    return name + ":9000/" + "0".repeat(32);
  }

  /** A connection as the controller's channel has it. */
  private final class Connection implements RoleChannel {
    private final Link link;
    private boolean isMaster;
    private Predicate<byte[]> next;
    private final List<Integer> early = new ArrayList<>();
    private final Set<Long> claimed = new HashSet<>();
    private final ArrayDeque<Runnable> toSwitch = new ArrayDeque<>();
    private final ArrayDeque<Runnable> toController = new ArrayDeque<>();

    Connection(Link link) {
      this.link = link;
    }

    @Override
    public DatapathId id() {
      return link.sw.id;
    }

    @Override
    public void requestMaster(long generation) {
      claimed.add(generation);
      send(() -> claim(generation), true);
    }

    private void claim(long generation) {
      boolean accepted = link.sw.claim(link, generation);
      send(
          () -> {
            if (accepted) {
              isMaster = true;
              early.forEach(this::handle);
              early.clear();
              link.controller.election.granted(this, generation);
            } else {
              link.controller.election.staleClaim(this, generation);
            }
          },
          false);
    }

    @Override
    public void askRole() {
      send(
          () -> {
            boolean isStillMaster = link.sw.master == link;
            long generation = link.sw.generation;
            send(
                () -> {
                  link.controller.election.generationSeen(this, generation);
                  if (!isStillMaster) {
                    becomeSlave();
                  }
                },
                false);
          },
          true);
    }

    @Override
    public CompletableFuture<Void> handOn(Predicate<byte[]> to) {
      CompletableFuture<Void> done = new CompletableFuture<>();
      next = to;
      send(() -> send(() -> done.complete(null), false), true);
      return done;
    }

    @Override
    public void stopHandingOn() {
      next = null;
    }

    @Override
    public void masterSilent() {
      link.masterSilent = true;
    }

    @Override
    public void takeHandedOn(byte[] message) {
      int number = ByteBuffer.wrap(message).getInt();
      if (isMaster) {
        handle(number);
      } else {
        early.add(number);
      }
    }

    private void packetIn(int number) {
      boolean isHandedOn =
          isMaster
              && next != null
              && next.test(ByteBuffer.allocate(Integer.BYTES).putInt(number).array());
      if (isMaster && !isHandedOn) {
        handle(number);
      }
    }

    /** Sends the rules for a packet-in. */
    private void handle(int number) {
      send(
          () -> {
            if (link.sw.write(link)) {
              link.sw.handled(number);
            }
          },
          true);
    }

    private void becomeSlave() {
      next = null;
      if (isMaster) {
        isMaster = false;
        link.controller.election.replaced(this);
      }
    }

    /** Writes regularly while it believes to be master. */
    private void write() {
      if (link.connection != this || link.isGone) {
        return;
      }
      if (isMaster && !link.controller.isPaused) {
        send(
            () -> {
              if (!link.sw.write(link)) {
                send(this::becomeSlave, false); // error IS_SLAVE
              }
            },
            true);
      }
      queue.after(writeNanos, this::write);
    }

    /** Each direction is in order; nothing passes a cut, or reaches a suspended process. */
    private void send(Runnable message, boolean isToSwitch) {
      (isToSwitch ? toSwitch : toController).add(message);
      queue.after(delayNanos.getAsLong(), () -> deliver(isToSwitch));
    }

    private void deliver(boolean isToSwitch) {
      if (link.connection != this
          || link.isCut
          || link.isGone
          || (!isToSwitch && link.controller.isPaused)) {
        return;
      }
      Runnable next = (isToSwitch ? toSwitch : toController).poll();
      if (next != null) {
        next.run();
      }
    }

    private void flush() {
      toSwitch.forEach(any -> queue.after(delayNanos.getAsLong(), () -> deliver(true)));
      toController.forEach(any -> queue.after(delayNanos.getAsLong(), () -> deliver(false)));
    }
  }
}
