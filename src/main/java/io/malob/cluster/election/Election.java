package io.malob.cluster.election;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Lists;
import io.malob.cluster.election.Contact.Peer;
import io.malob.cluster.etcd.Etcd;
import io.malob.cluster.etcd.Etcd.Change;
import io.malob.cluster.etcd.Etcd.Condition;
import io.malob.cluster.etcd.Etcd.Item;
import io.malob.cluster.etcd.Etcd.Outcome;
import io.malob.file.DamagedException;
import io.malob.module.ClusterView;
import io.malob.module.ClusterView.Problem;
import io.malob.module.ClusterView.Role;
import io.malob.module.Mastership;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Elects one master per switch. A controller that may claim a switch creates the switch's key in
 * etcd with its lease, and requests the role of master with a generation id that is the revision
 * that created the key, plus the cluster's base. So later masters have greater ids, and the switch
 * itself rejects a former master that was suspended or cut off.
 *
 * <p>No controller steps down because etcd is silent: a master serves until the switch has another
 * one. A claim needs a transaction, so there is no take-over without a quorum.
 *
 * <p>All state belongs to one serial executor. Public methods may be called by any thread, and do
 * not block.
 */
public final class Election implements Mastership {
  private static final Logger logger = LoggerFactory.getLogger(Election.class);

  /** The max number of switches in a transaction: etcd accepts 128 operations by default. */
  private static final int BATCH = 100;

  /** The max number of pending transactions: events that come meanwhile share the next one. */
  private static final int MAX_TRANSACTIONS = 4;

  private static final int SHARED_KEY_BYTES = 32;

  /** The time that a switch has to reach a preferred controller before another one claims it. */
  private static final long PREFERENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * The time for masters to create their keys again after leases have expired, as they do when etcd
   * was without a quorum.
   */
  private static final long EXPIRED_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The time that a switch has to answer a claim. */
  private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** The pause before a switch that has refused this controller is claimed again. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** The time after a claim that etcd did not answer. */
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** The max time that a hand-over waits for the next master. */
  private static final long HAND_OVER_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Between two questions to a switch whether it has another master. */
  private static final long ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(90);

  /** etcd's silence that is a problem to report. */
  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Etcd etcd;
  private final String name;
  private final Executor serial;
  private final LongSupplier nanoTime;
  private final Membership membership;
  private final MirroredRange nodes;
  private final MirroredRange masters;
  private final MirroredRange cluster;

  /** The names in {@link #masters}, for all threads. */
  private final MasterNames masterNames = new MasterNames();

  /** The live controllers, by name: {@link #nodes}, parsed. */
  private final Map<String, Node> nodesByName = new TreeMap<>();

  /** The connected switches. */
  private final Map<DatapathId, Local> locals = new TreeMap<>();

  /** The keys that this controller has created, by the revisions that created them. */
  private final Map<DatapathId, Long> held = new HashMap<>();

  /** Switches to claim with the next transaction. */
  private final Set<DatapathId> toClaim = new TreeSet<>();

  /** Held keys to delete with the next transaction. */
  private final Set<DatapathId> toRelease = new TreeSet<>();

  /** Switches of transactions that etcd has not answered yet. */
  private final Set<DatapathId> busy = new HashSet<>();

  /** Switches that this controller does not claim before a time. */
  private final Map<DatapathId, Long> pausedUntil = new HashMap<>();

  /** The number that is added to revisions to make generation ids. */
  private long base;

  private final CompletableFuture<byte[]> sharedKey = new CompletableFuture<>();
  private int transactions;
  private boolean flushWaits;
  private boolean isViewOld = true;
  private long retryNanos;

  /** When the lease has last expired, and with it perhaps the master's: masters come first then. */
  private long expiredNanos;

  private boolean isLeaving;
  private boolean staleLogged;
  private @Nullable HandOver handOver;
  private @Nullable PeerLinks peerLinks;
  private @Nullable Runnable steppedDown;
  private boolean wasMaster;

  /** The latest generation id that a switch has named. */
  private long latestGeneration;

  private volatile ClusterView view;

  /** A connected switch. */
  private static final class Local {
    final RoleChannel channel;
    final long connectedNanos;

    /** Whether the switch obeys this controller, as far as it has told. */
    boolean isMaster;

    /** The latest generation id of this controller that the switch has accepted; 0 if none. */
    long granted;

    /** The generation id of the pending claim; 0 if there is none. */
    long requested;

    long requestedNanos;

    /** The generation id that the switch has rejected; 0 if none. */
    long stale;

    long askedNanos;

    Local(RoleChannel channel, long now) {
      this.channel = channel;
      connectedNanos = now;
      askedNanos = now - ASK_NANOS;
    }
  }

  /** A running hand-over of these switches; the result is the number of those handed over. */
  private record HandOver(
      ImmutableSet<DatapathId> switches, long untilNanos, CompletableFuture<Integer> done) {}

  /**
   * An election that does nothing before {@link #start}.
   *
   * @param name this controller's, unique among live ones
   * @param contact where others reach this controller
   * @param lifetime of the lease: a controller that is silent for so long loses its keys
   * @param serial runs one task at a time, in order
   */
  public Election(
      Etcd etcd,
      String name,
      Contact contact,
      Duration lifetime,
      Executor serial,
      LongSupplier nanoTime) {
    this.etcd = etcd;
    this.name = name;
    this.serial = serial;
    this.nanoTime = nanoTime;
    retryNanos = nanoTime.getAsLong();
    expiredNanos = retryNanos - EXPIRED_NANOS;
    membership =
        new Membership(etcd, name, contact, lifetime, serial, nanoTime, new MembershipListener());
    nodes = new MirroredRange(etcd, Keys.NODES, serial, new NodesListener());
    masters = new MirroredRange(etcd, Keys.MASTERS, serial, new MastersListener());
    cluster = new MirroredRange(etcd, Keys.CLUSTER, serial, new ClusterListener());
    view =
        new ClusterView(
            name,
            false,
            0,
            0,
            ImmutableList.of(),
            ImmutableMap.of(),
            ImmutableMap.of(),
            ImmutableList.of());
  }

  /**
   * Joins the cluster as soon as etcd answers. The future fails with a {@link NameTakenException}
   * if another live controller has the name.
   */
  public CompletableFuture<Void> start() {
    tick();
    return membership.firstJoin();
  }

  /** Does what is due; to be called every 100 ms. */
  public void tick() {
    serial.execute(this::beat);
  }

  private void beat() {
    nodes.tick();
    masters.tick();
    cluster.tick();
    membership.setSwitches(offered());
    membership.tick();
    long now = nanoTime.getAsLong();
    pausedUntil.values().removeIf(until -> now - until >= 0);
    locals.forEach(
        (id, local) -> {
          giveUpUnanswered(id, local, now);
          evaluate(id);
          askIfReplaced(id, local);
        });
    flush();
    checkHandOver();
    checkSteppedDown();
    createSharedKeyIfNone();
    if (isViewOld) {
      isViewOld = false;
      view = currentView();
    }
    isViewOld = membership.silentNanos() >= SILENCE_NANOS;
  }

  /** The switches that this controller can be master of. */
  private ImmutableSet<DatapathId> offered() {
    return isLeaving || handOver != null
        ? ImmutableSet.of()
        : locals.keySet().stream()
            .filter(id -> !pausedUntil.containsKey(id))
            .collect(ImmutableSet.toImmutableSet());
  }

  /** Lets the next transactions leave after the events that wait already: so they are few. */
  private void flushSoon() {
    isViewOld = true;
    if (!flushWaits) {
      flushWaits = true;
      serial.execute(
          () -> {
            flushWaits = false;
            flush();
          });
    }
  }

  // ---- switches ----

  @Override
  public void connected(RoleChannel sw) {
    serial.execute(
        () -> {
          locals.put(sw.id(), new Local(sw, nanoTime.getAsLong()));
          toRelease.remove(sw.id());
          evaluate(sw.id());
          flushSoon();
        });
  }

  @Override
  public void granted(RoleChannel sw, long generation) {
    serial.execute(
        () -> {
          @Nullable Local local = local(sw);
          if (local != null) {
            local.isMaster = true;
            wasMaster = true;
            local.granted = generation;
            local.stale = 0;
            if (local.requested == generation) {
              local.requested = 0;
            }
            evaluate(sw.id());
            flushSoon();
          }
        });
  }

  @Override
  public void staleClaim(RoleChannel sw, long generation) {
    serial.execute(
        () -> {
          @Nullable Local local = local(sw);
          if (local != null && local.requested == generation) {
            local.requested = 0;
            local.stale = generation;
            sw.askRole(); // the answer has the id that the switch has accepted
            confirm(sw.id());
            flushSoon();
          }
        });
  }

  /** Asks etcd whether a key is still this controller's: if so, etcd is behind the switch. */
  private void confirm(DatapathId id) {
    @Nullable Long revision = held.get(id);
    if (revision != null) {
      commit(
          Set.of(id),
          List.of(new Condition(Keys.master(id), revision)),
          List.of(),
          outcome -> {
            if (outcome.isDone() && !staleLogged) {
              staleLogged = true;
              logger.error(
                  "cluster_behind_switches switch={} - switches have accepted later generation ids"
                      + " than etcd's revisions give: etcd was restored or replaced; './malob"
                      + " cluster raise-base' lets the cluster claim them again",
                  id);
            }
          });
    }
  }

  @Override
  public void replaced(RoleChannel sw) {
    serial.execute(
        () -> {
          @Nullable Local local = local(sw);
          if (local == null || !local.isMaster) {
            return;
          }
          local.isMaster = false;
          local.granted = 0;
          boolean isHeld = held.containsKey(sw.id()) && !isInRelease(sw.id());
          if (isHeld && local.requested == 0) {
            // the other one's key is unknown here yet, or it is of no cluster
            standAside(sw.id());
          }
          evaluate(sw.id());
          checkHandOver();
          flushSoon();
        });
  }

  private boolean isInRelease(DatapathId id) {
    return toRelease.contains(id) || busy.contains(id);
  }

  /** A switch that does not answer a claim gets another master, if there is one. */
  private void giveUpUnanswered(DatapathId id, Local local, long now) {
    if (local.requested != 0 && now - local.requestedNanos >= ANSWER_NANOS) {
      logger.warn("mastership_unanswered switch={} - its claim is given up for now", id);
      local.requested = 0;
      standAside(id);
    }
  }

  /** Leaves a switch to others for a while. */
  private void standAside(DatapathId id) {
    pausedUntil.put(id, nanoTime.getAsLong() + PAUSE_NANOS);
    if (held.containsKey(id)) {
      toRelease.add(id);
    }
  }

  @Override
  public void generationSeen(RoleChannel sw, long generation) {
    serial.execute(
        () -> {
          if (generation - latestGeneration > 0) {
            latestGeneration = generation;
          }
        });
  }

  @Override
  public void disconnected(RoleChannel sw) {
    serial.execute(
        () -> {
          if (local(sw) != null) {
            locals.remove(sw.id());
            pausedUntil.remove(sw.id());
            if (held.containsKey(sw.id())) {
              toRelease.add(sw.id());
            }
            membership.setSwitches(offered());
            membership.tick();
            checkHandOver();
            flushSoon();
          }
        });
  }

  /** The state of a connection; null if it has ended, or another one has replaced it. */
  private @Nullable Local local(RoleChannel sw) {
    @Nullable Local local = locals.get(sw.id());
    return local != null && local.channel == sw ? local : null;
  }

  /** Another controller has the key: it may be master already, and OpenFlow 1.3 does not tell. */
  private void askIfReplaced(DatapathId id, Local local) {
    long now = nanoTime.getAsLong();
    if (local.isMaster
        && !held.containsKey(id)
        && masters.get(Keys.master(id)) != null
        && now - local.askedNanos >= ASK_NANOS) {
      local.askedNanos = now;
      local.channel.askRole();
    }
  }

  // ---- keys ----

  /** Decides about one switch; transactions follow with {@link #flush}. */
  private void evaluate(DatapathId id) {
    forgetLost(id);
    @Nullable Local local = locals.get(id);
    if (local == null) {
      return;
    }
    adopt(id);
    if (held.containsKey(id)) {
      if (!toRelease.contains(id)) {
        request(id, local);
      }
    } else {
      local.stale = 0;
      if (mayClaim(id, local)) {
        toClaim.add(id);
      }
    }
  }

  /** Forgets a key that etcd no longer has. */
  private void forgetLost(DatapathId id) {
    @Nullable Long revision = held.get(id);
    if (revision == null) {
      return;
    }
    @Nullable Item item = masters.get(Keys.master(id));
    boolean isLost =
        item == null ? masters.revision() >= revision : item.createRevision() > revision;
    if (isLost) {
      held.remove(id);
      toRelease.remove(id);
    }
  }

  /** Takes a key of this controller's lease that it does not know of: an answer was lost. */
  private void adopt(DatapathId id) {
    @Nullable Item item = masters.get(Keys.master(id));
    if (item != null
        && !held.containsKey(id)
        && !busy.contains(id)
        && membership.isMember()
        && item.lease() == membership.lease()) {
      held.put(id, item.createRevision());
    }
  }

  /** Claims the role at the switch, one claim at a time. */
  private void request(DatapathId id, Local local) {
    long generation = base + held.getOrDefault(id, 0L);
    if (local.requested == 0 && local.granted != generation && local.stale != generation) {
      local.requested = generation;
      local.requestedNanos = nanoTime.getAsLong();
      local.channel.requestMaster(generation);
    }
  }

  private boolean mayClaim(DatapathId id, Local local) {
    return membership.isMember()
        && nodes.isKnown()
        && masters.isKnown()
        && cluster.isKnown()
        && !held.containsKey(id)
        && masters.get(Keys.master(id)) == null
        && !isLeaving
        && (handOver == null || !handOver.switches().contains(id))
        && !busy.contains(id)
        && !pausedUntil.containsKey(id)
        && nanoTime.getAsLong() - retryNanos >= 0
        && (local.isMaster || isPreferred(id, local));
  }

  /**
   * Whether no earlier member is connected to the switch. Those that are not get a second, because
   * a switch connects to one controller after the other.
   */
  private boolean isPreferred(DatapathId id, Local local) {
    boolean isFirst = true;
    for (Node node : nodesByName.values()) {
      if (node.createRevision() < membership.createRevision() && !node.name().equals(name)) {
        if (node.switches().contains(id)) {
          return false;
        }
        isFirst = false;
      }
    }
    long now = nanoTime.getAsLong();
    return (isFirst || now - local.connectedNanos >= PREFERENCE_NANOS)
        && now - expiredNanos >= EXPIRED_NANOS;
  }

  // ---- transactions ----

  private void flush() {
    if (nanoTime.getAsLong() - retryNanos < 0) {
      return;
    }
    toRelease.removeIf(id -> !held.containsKey(id));
    List<DatapathId> releases = toRelease.stream().filter(id -> !busy.contains(id)).toList();
    toClaim.removeIf(
        id -> {
          @Nullable Local local = locals.get(id);
          return local == null || !mayClaim(id, local);
        });
    for (List<DatapathId> batch : Lists.partition(releases, BATCH)) {
      if (transactions < MAX_TRANSACTIONS) {
        release(batch);
      }
    }
    for (List<DatapathId> batch : Lists.partition(List.copyOf(toClaim), BATCH)) {
      if (transactions < MAX_TRANSACTIONS) {
        batch.forEach(toClaim::remove);
        claim(batch);
      }
    }
  }

  /** The base is a condition, too: with an older one, the generation ids would be too small. */
  private void claim(List<DatapathId> ids) {
    List<Condition> conditions = new ArrayList<>(ids.size() + 1);
    List<Change> changes = new ArrayList<>(ids.size());
    @Nullable Item baseItem = cluster.get(Keys.BASE);
    conditions.add(new Condition(Keys.BASE, baseItem == null ? 0 : baseItem.modRevision()));
    for (DatapathId id : ids) {
      conditions.add(new Condition(Keys.master(id), 0));
      changes.add(new Change.Put(Keys.master(id), name, membership.lease()));
    }
    commit(
        ids,
        conditions,
        changes,
        outcome -> {
          if (outcome.isDone()) {
            ids.forEach(id -> claimed(id, outcome.revision()));
          }
        });
  }

  private void claimed(DatapathId id, long revision) {
    held.put(id, revision);
    if (!locals.containsKey(id)) {
      toRelease.add(id); // it has disconnected meanwhile
    }
  }

  private void release(List<DatapathId> ids) {
    List<Condition> conditions =
        ids.stream().map(id -> new Condition(Keys.master(id), held.getOrDefault(id, 0L))).toList();
    List<Change> changes =
        ids.stream().<Change>map(id -> new Change.Delete(Keys.master(id))).toList();
    commit(
        ids,
        conditions,
        changes,
        outcome -> {
          if (outcome.isDone()) {
            ids.forEach(this::released);
          } else {
            ids.forEach(id -> notReleased(id, outcome));
          }
        });
  }

  /** Forgets the key if another controller has it by now, or none. */
  private void notReleased(DatapathId id, Outcome outcome) {
    long revision = held.getOrDefault(id, 0L);
    boolean isThere =
        outcome.now().stream()
            .anyMatch(item -> item.key().equals(Keys.master(id)) && item.modRevision() == revision);
    if (!isThere) {
      held.remove(id);
      toRelease.remove(id);
      pausedUntil.remove(id); // the switch obeys a controller of the cluster
    }
  }

  private void released(DatapathId id) {
    held.remove(id);
    toRelease.remove(id);
    if (pausedUntil.containsKey(id)) {
      logger.warn(
          "mastership_contested switch={} pause_s={} - it obeys a controller outside of the cluster,"
              + " or does not answer",
          id,
          TimeUnit.NANOSECONDS.toSeconds(PAUSE_NANOS));
    }
  }

  private void commit(
      Collection<DatapathId> ids,
      List<Condition> conditions,
      List<Change> changes,
      Consumer<Outcome> then) {
    busy.addAll(ids);
    transactions++;
    long known = Math.max(nodes.revision(), Math.max(masters.revision(), cluster.revision()));
    var unused =
        etcd.commit(conditions, changes)
            .whenCompleteAsync(
                (outcome, problem) -> {
                  busy.removeAll(ids);
                  transactions--;
                  if (problem != null || outcome == null) {
                    // whether it took effect shows when it is repeated
                    retryNanos = nanoTime.getAsLong() + RETRY_NANOS;
                    return;
                  }
                  if (outcome.revision() < known) {
                    readAgain(); // etcd was restored
                  } else if (!outcome.isDone()) {
                    masters.learn(outcome, conditions);
                    cluster.learn(outcome, conditions);
                  }
                  then.accept(outcome);
                  ids.forEach(this::evaluate);
                  flushSoon();
                },
                serial);
  }

  private void readAgain() {
    nodes.refresh();
    masters.refresh();
    cluster.refresh();
  }

  // ---- events of etcd ----

  private final class MembershipListener implements Membership.Listener {
    @Override
    public void joined() {
      evaluateAll();
    }

    @Override
    public void expired() {
      expiredNanos = nanoTime.getAsLong();
      readAgain();
    }
  }

  private final class NodesListener implements MirroredRange.Listener {
    @Override
    public void changed(String key) {
      nodesByName.remove(key.substring(Keys.NODES.length()));
      @Nullable Item item = nodes.get(key);
      if (item != null) {
        parse(item);
      }
      followPeers();
      evaluateAll();
    }

    @Override
    public void reread(boolean wentBack) {
      nodesByName.clear();
      nodes.all().forEach(Election.this::parse);
      followPeers();
      evaluateAll();
    }
  }

  private void parse(Item item) {
    try {
      Node node = Node.of(item);
      nodesByName.put(node.name(), node);
    } catch (DamagedException e) {
      unreadable(item.key(), String.valueOf(e.getMessage()));
    }
  }

  private static void unreadable(String key, String why) {
    logger.warn("cluster_key_unreadable key={} why=\"{}\"", key, why);
  }

  private final class MastersListener implements MirroredRange.Listener {
    @Override
    public void changed(String key) {
      @Nullable DatapathId id = Keys.switchOf(key);
      if (id != null) {
        masterNames.set(id, masters.get(key));
        evaluate(id);
        @Nullable Local local = locals.get(id);
        if (local != null) {
          askIfReplaced(id, local);
        }
        flushSoon();
      }
    }

    @Override
    public void reread(boolean wentBack) {
      masterNames.replaceAll(masters.all());
      if (wentBack) {
        held.clear(); // their revisions mean nothing now
        toRelease.clear();
      }
      evaluateAll();
    }
  }

  private final class ClusterListener implements MirroredRange.Listener {
    @Override
    public void changed(String key) {
      readBase();
      readSharedKey();
    }

    @Override
    public void reread(boolean wentBack) {
      readBase();
      readSharedKey();
    }
  }

  @Override
  public CompletableFuture<byte[]> sharedKey() {
    return sharedKey;
  }

  private void readSharedKey() {
    @Nullable Item item = cluster.get(Keys.PROBE_KEY);
    if (item == null) {
      return;
    }
    try {
      sharedKey.complete(HexFormat.of().parseHex(item.value()));
    } catch (IllegalArgumentException e) {
      unreadable(Keys.PROBE_KEY, "not hexadecimal");
    }
  }

  private void createSharedKeyIfNone() {
    if (cluster.isKnown()
        && cluster.get(Keys.PROBE_KEY) == null
        && transactions == 0
        && nanoTime.getAsLong() - retryNanos >= 0) {
      byte[] key = new byte[SHARED_KEY_BYTES];
      new SecureRandom().nextBytes(key);
      commit(
          Set.of(),
          List.of(new Condition(Keys.PROBE_KEY, 0)),
          List.of(new Change.Put(Keys.PROBE_KEY, HexFormat.of().formatHex(key), 0)),
          outcome -> {});
    }
  }

  private void readBase() {
    @Nullable Item item = cluster.get(Keys.BASE);
    try {
      base = item == null ? 0 : Long.parseLong(item.value());
      staleLogged = false;
    } catch (NumberFormatException e) {
      unreadable(Keys.BASE, "not a number");
    }
    evaluateAll();
  }

  private void evaluateAll() {
    locals.keySet().forEach(this::evaluate);
    flushSoon();
  }

  // ---- stepping down ----

  /** Calls this once, when other controllers of the cluster are master of all its switches. */
  public void whenSteppedDown(Runnable action) {
    serial.execute(() -> steppedDown = action);
  }

  private void checkSteppedDown() {
    @Nullable Runnable action = steppedDown;
    if (action != null && wasMaster && !isLeaving && handOver == null && othersRule()) {
      steppedDown = null;
      action.run();
    }
  }

  private boolean othersRule() {
    return !locals.isEmpty()
        && locals.entrySet().stream()
            .allMatch(
                each -> {
                  @Nullable Item master = masters.get(Keys.master(each.getKey()));
                  return !each.getValue().isMaster
                      && master != null
                      && !master.value().equals(name);
                });
  }

  // ---- peers ----

  /** Has these links follow the other live controllers, and tell {@link #ended} of their ends. */
  public void followPeers(PeerLinks links) {
    serial.execute(
        () -> {
          peerLinks = links;
          followPeers();
        });
  }

  private void followPeers() {
    @Nullable PeerLinks links = peerLinks;
    if (links != null) {
      links.follow(
          nodesByName.values().stream()
              .filter(node -> !node.name().equals(name))
              .flatMap(node -> node.contact().parsedPeer().stream())
              .collect(Collectors.toSet()));
    }
  }

  /**
   * The process of another controller has ended. Its lease is ended for it, so that its switches
   * get their next master at once. Were it alive after all, it would join again.
   */
  public void ended(Peer peer) {
    serial.execute(
        () ->
            nodesByName.values().stream()
                .filter(node -> node.contact().parsedPeer().equals(Optional.of(peer)))
                .forEach(
                    node -> {
                      logger.warn("cluster_peer_ended node={}", node.name());
                      var unused = etcd.revoke(node.lease());
                    }));
  }

  // ---- operators ----

  /**
   * Hands all switches that another controller is connected to over to it, and goes on serving each
   * until it has its next master, at most for a second.
   *
   * @param forGood whether this controller will stop, and claims no switch from now on
   * @return the number of switches that have been handed over
   */
  public CompletableFuture<Integer> handOver(boolean forGood) {
    CompletableFuture<Integer> done = new CompletableFuture<>();
    serial.execute(
        () -> {
          isLeaving |= forGood;
          if (handOver != null) {
            var unused = handOver.done().whenComplete((count, problem) -> done.complete(count));
            return;
          }
          ImmutableSet<DatapathId> switches =
              held.keySet().stream()
                  .filter(this::hasStandby)
                  .collect(ImmutableSet.toImmutableSet());
          handOver = new HandOver(switches, nanoTime.getAsLong() + HAND_OVER_NANOS, done);
          membership.setSwitches(offered());
          membership.tick();
          toRelease.addAll(switches);
          flush();
          checkHandOver();
        });
    return done;
  }

  private boolean hasStandby(DatapathId id) {
    return nodesByName.values().stream()
        .anyMatch(node -> !node.name().equals(name) && node.switches().contains(id));
  }

  private void checkHandOver() {
    @Nullable HandOver running = handOver;
    if (running == null) {
      return;
    }
    long kept =
        running.switches().stream()
            .map(locals::get)
            .filter(local -> local != null && local.isMaster)
            .count();
    if (kept == 0 || nanoTime.getAsLong() - running.untilNanos() >= 0) {
      handOver = null;
      running.done().complete(running.switches().size() - (int) kept);
      isViewOld = true;
    }
  }

  /**
   * Raises the base of generation ids, so that switches accept this cluster after etcd was restored
   * from a backup: to this number, and to the latest generation id that this controller's switches
   * have named. Never lowers it.
   *
   * @return the base after that
   */
  public CompletableFuture<Long> raiseBase(long minimum) {
    CompletableFuture<Long> raised = new CompletableFuture<>();
    serial.execute(() -> raiseBase(minimum, raised));
    return raised;
  }

  private void raiseBase(long minimum, CompletableFuture<Long> raised) {
    @Nullable Item item = cluster.get(Keys.BASE);
    long wanted = Math.max(base, Math.max(minimum, latestGeneration));
    if (wanted == base) {
      raised.complete(base);
      return;
    }
    List<Condition> conditions =
        List.of(new Condition(Keys.BASE, item == null ? 0 : item.modRevision()));
    var unused =
        etcd.commit(conditions, List.of(new Change.Put(Keys.BASE, Long.toString(wanted), 0)))
            .whenCompleteAsync(
                (outcome, problem) -> {
                  if (problem != null || outcome == null) {
                    raised.completeExceptionally(
                        problem == null ? new IllegalStateException() : problem);
                  } else if (outcome.isDone()) {
                    logger.warn("cluster_base_raised base={}", wanted);
                    raised.complete(wanted);
                  } else {
                    cluster.learn(outcome, conditions);
                    raiseBase(minimum, raised);
                  }
                },
                serial);
  }

  /** This controller's name. */
  public String name() {
    return name;
  }

  /** The name of a switch's master by the keys in etcd, as soon as they are known here. */
  public Optional<String> masterOf(DatapathId id) {
    return masterNames.of(id);
  }

  /** The cluster as this controller sees it, at most a second old. */
  public ClusterView view() {
    return view;
  }

  private ClusterView currentView() {
    ImmutableMap.Builder<DatapathId, String> owners = ImmutableMap.builder();
    for (Item item : masters.all()) {
      @Nullable DatapathId id = Keys.switchOf(item.key());
      if (id != null) {
        owners.put(id, item.value());
      }
    }
    ImmutableMap.Builder<DatapathId, Role> roles = ImmutableMap.builder();
    locals.forEach((id, local) -> roles.put(id, role(local)));
    return new ClusterView(
        name,
        membership.isMember(),
        membership.slot(),
        base,
        nodesByName.values().stream()
            .sorted(Comparator.comparingLong(Node::createRevision))
            .map(Election::member)
            .collect(ImmutableList.toImmutableList()),
        owners.buildOrThrow(),
        roles.buildOrThrow(),
        problems());
  }

  private static ClusterView.Member member(Node node) {
    return new ClusterView.Member(
        node.name(), node.contact().rest(), node.slot(), node.switches().size());
  }

  private static Role role(Local local) {
    if (local.isMaster) {
      return Role.MASTER;
    } else if (local.stale != 0) {
      return Role.STALE;
    }
    return local.requested != 0 ? Role.REQUESTED : Role.SLAVE;
  }

  private ImmutableList<Problem> problems() {
    ImmutableList.Builder<Problem> problems = ImmutableList.builder();
    long silent = membership.silentNanos();
    if (silent >= SILENCE_NANOS) {
      problems.add(
          new Problem(
              Problem.Kind.ETCD_SILENT,
              String.format(
                  "etcd has not answered for %d s: masters stay, but there is no take-over.",
                  TimeUnit.NANOSECONDS.toSeconds(silent))));
    }
    if (membership.isNameTaken()) {
      problems.add(
          new Problem(
              Problem.Kind.NAME_TAKEN,
              "Another live controller of the cluster is named " + name + "."));
    }
    long stale = locals.values().stream().filter(local -> local.stale != 0).count();
    if (stale > 0) {
      problems.add(
          new Problem(
              Problem.Kind.ETCD_BEHIND,
              "Switches that reject this controller: "
                  + stale
                  + ". They have accepted later generation ids than etcd's revisions give, so etcd"
                  + " was restored or replaced."));
    }
    return problems.build();
  }

  /** Leaves the cluster: its keys are deleted. Completed when etcd has done that. */
  public CompletableFuture<Void> leave() {
    CompletableFuture<Void> left = new CompletableFuture<>();
    serial.execute(
        () -> {
          isLeaving = true;
          nodes.close();
          masters.close();
          cluster.close();
          var unused = membership.close().whenComplete((none, problem) -> left.complete(null));
        });
    return left;
  }
}
