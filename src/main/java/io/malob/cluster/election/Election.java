package io.malob.cluster.election;

import com.google.common.collect.ImmutableSet;
import io.malob.cluster.etcd.Etcd;
import io.malob.cluster.peer.PeerAddress;
import io.malob.cluster.peer.PeerFate;
import io.malob.module.ClusterView;
import io.malob.module.IPeerService;
import io.malob.module.Mastership;
import io.malob.module.MastershipPolicy;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
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
public final class Election implements Mastership, PeerFate {
  private static final Logger logger = LoggerFactory.getLogger(Election.class);

  private final String name;
  private final Executor serial;
  private final LongSupplier nanoTime;
  private final Membership membership;
  private final Mirror mirror;

  /** The names in the mirror's masters, for all threads. */
  private final MasterNames masterNames = new MasterNames();

  private final LiveNodes nodes;
  private final PolicyKey policy;
  private final Preference preference;
  private final Generations generations;
  private final MasterKeys keys;
  private final PacketRelay relay = new PacketRelay();
  private final HandOvers handOvers;
  private final LimitShares shares;
  private final PolicyMoves moves;
  private final SharedKey probeKey;
  private final SharedKey peerKey;
  private final ViewBuilder viewBuilder;

  /** The connected switches. */
  private final Map<DatapathId, LocalSwitch> locals = new TreeMap<>();

  private boolean flushWaits;
  private boolean isViewOld = true;
  private boolean isLeaving;
  private @Nullable Runnable steppedDown;
  private boolean wasMaster;
  private volatile ClusterView view;

  /**
   * An election that does nothing before {@link #start}.
   *
   * @param self this controller
   * @param lifetime of the lease: a controller that is silent for so long loses its keys
   * @param serial runs one task at a time, in order
   */
  public Election(
      Etcd etcd, ThisNode self, Duration lifetime, Executor serial, LongSupplier nanoTime) {
    name = self.name();
    this.serial = serial;
    this.nanoTime = nanoTime;
    membership = new Membership(etcd, self, lifetime, serial, nanoTime, new MembershipListener());
    mirror =
        new Mirror(
            new MirroredRange(etcd, Keys.NODES, serial, new NodesListener()),
            new MirroredRange(etcd, Keys.MASTERS, serial, new MastersListener()),
            new MirroredRange(etcd, Keys.CLUSTER, serial, new ClusterListener()));
    nodes = new LiveNodes(etcd, name);
    Transactions transactions = new Transactions(etcd, mirror, serial, nanoTime, this::settled);
    policy = new PolicyKey(etcd, self.policy(), mirror.cluster(), transactions, serial);
    preference = new Preference(self, nodes, membership, policy, nanoTime);
    generations = new Generations(etcd, mirror.cluster(), transactions, serial);
    keys = new MasterKeys(name, membership, mirror, generations, transactions, nanoTime);
    handOvers = new HandOvers(keys, preference, relay, serial, nanoTime, this::flushSoon);
    moves =
        new PolicyMoves(
            policy,
            nodes,
            keys,
            preference,
            handOvers,
            mirror.cluster(),
            transactions,
            nanoTime,
            relay::reaches);
    shares = new LimitShares(name);
    probeKey = new SharedKey(Keys.PROBE_KEY, mirror.cluster(), transactions);
    peerKey = new SharedKey(Keys.PEER_KEY, mirror.cluster(), transactions);
    viewBuilder = new ViewBuilder(name, membership, mirror.masters(), nodes, generations, policy);
    view = ViewBuilder.nothing(name);
  }

  /** Uses these streams to other controllers in hand-overs; to be called before {@link #start}. */
  public void relayOver(IPeerService peers) {
    relay.relayOver(peers);
  }

  /**
   * Joins the cluster as soon as etcd answers. The future fails with a {@link NameTakenException}
   * if another live controller has the name, or with an {@link OtherPolicyException}.
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
    mirror.tick();
    divideLimits();
    keys.tick();
    for (LocalSwitch local : locals.values()) {
      giveUpUnanswered(local);
      evaluate(local.id());
      askIfReplaced(local);
    }
    flush();
    handOvers.check();
    moves.tick(locals.values());
    checkSteppedDown();
    policy.tick();
    probeKey.tick();
    peerKey.tick();
    if (isViewOld) {
      view = viewBuilder.view(locals.values());
    }
    isViewOld = viewBuilder.isAgeing();
  }

  /** The switches that this controller can be master of. */
  private ImmutableSet<DatapathId> offered() {
    return isLeaving || handOvers.areOfAll()
        ? ImmutableSet.of()
        : locals.keySet().stream()
            .filter(id -> !keys.isPaused(id))
            .collect(ImmutableSet.toImmutableSet());
  }

  private Offer offer() {
    return new Offer(offered(), shares.acknowledged());
  }

  /** Follows the set of masters, and what the live controllers have acknowledged. */
  private void divideLimits() {
    if (policy.current() == MastershipPolicy.SPREAD) {
      shares.masters(sharers());
    }
    membership.setOffer(offer());
    membership.tick();
    long revision = membership.publishedRevision();
    if (revision != 0
        && nodes.all().stream()
            .anyMatch(node -> node.name().equals(name) && node.modRevision() == revision)) {
      shares.acknowledgements(
          nodes.all().stream()
              .collect(Collectors.toMap(Node::name, node -> node.offer().masters())));
    }
  }

  /** Those that are master of a switch, or may be soon, as they are connected to one. */
  private Set<String> sharers() {
    Set<String> names = new HashSet<>(keys.holders());
    nodes.all().stream()
        .filter(node -> !node.switches().isEmpty())
        .forEach(n -> names.add(n.name()));
    return names;
  }

  /**
   * This controller's part of a limit of the cluster: with the policy {@code single} all of it. The
   * parts of all controllers never exceed the limit.
   */
  public int partOf(int limit) {
    if (!policy.isKnown()) {
      return 0; // it is master of nothing yet
    }
    return policy.current() == MastershipPolicy.SINGLE ? limit : shares.of(limit);
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

  private void flush() {
    keys.flush(
        id -> {
          @Nullable LocalSwitch local = locals.get(id);
          return local != null && mayClaim(local);
        },
        locals::containsKey);
  }

  // ---- events of switches ----

  @Override
  public void connected(RoleChannel sw) {
    relay.connected(sw);
    serial.execute(
        () -> {
          locals.put(sw.id(), new LocalSwitch(sw, nanoTime.getAsLong()));
          keys.keep(sw.id());
          evaluate(sw.id());
          flushSoon();
        });
  }

  @Override
  public void granted(RoleChannel sw, long generation) {
    serial.execute(
        () -> {
          @Nullable LocalSwitch local = local(sw);
          if (local != null) {
            local.granted(generation);
            wasMaster = true;
            evaluate(sw.id());
            flushSoon();
          }
        });
  }

  @Override
  public void staleClaim(RoleChannel sw, long generation) {
    serial.execute(
        () -> {
          @Nullable LocalSwitch local = local(sw);
          if (local != null && local.rejected(generation)) {
            keys.revision(sw.id()).ifPresent(revision -> generations.rejected(sw.id(), revision));
            flushSoon();
          }
        });
  }

  @Override
  public void replaced(RoleChannel sw) {
    serial.execute(
        () -> {
          @Nullable LocalSwitch local = local(sw);
          if (local == null || !local.isMaster()) {
            return;
          }
          local.replaced();
          if (keys.isKept(sw.id()) && !local.isRequested()) {
            // the other one's key is unknown here yet, or it is of no cluster
            keys.standAside(sw.id());
          }
          evaluate(sw.id());
          handOvers.check();
          flushSoon();
        });
  }

  @Override
  public void generationSeen(RoleChannel sw, long generation) {
    serial.execute(() -> generations.seen(generation));
  }

  @Override
  public void disconnected(RoleChannel sw) {
    relay.disconnected(sw);
    serial.execute(
        () -> {
          @Nullable LocalSwitch local = local(sw);
          if (local != null) {
            local.replaced();
            locals.remove(sw.id());
            keys.endPause(sw.id());
            keys.release(ImmutableSet.of(sw.id()));
            membership.setOffer(offer());
            membership.tick();
            handOvers.check();
            flushSoon();
          }
        });
  }

  /** The state of a connection; null if it has ended, or another one has replaced it. */
  private @Nullable LocalSwitch local(RoleChannel sw) {
    @Nullable LocalSwitch local = locals.get(sw.id());
    return local != null && local.channel() == sw ? local : null;
  }

  // ---- decisions ----

  /** Decides about one switch; transactions follow with {@link #flush}. */
  private void evaluate(DatapathId id) {
    @Nullable LocalSwitch local = locals.get(id);
    keys.reconcile(id, local != null);
    if (local == null) {
      return;
    }
    if (!keys.isHeld(id)) {
      local.forgetStale();
      if (mayClaim(local)) {
        keys.claim(id);
      }
    } else if (!keys.isToRelease(id)) {
      keys.revision(id)
          .ifPresent(created -> local.request(generations.of(created), nanoTime.getAsLong()));
    }
  }

  private void evaluateAll() {
    locals.keySet().forEach(this::evaluate);
    flushSoon();
  }

  private void settled(Collection<DatapathId> ids) {
    ids.forEach(this::evaluate);
    flushSoon();
  }

  private boolean mayClaim(LocalSwitch local) {
    return keys.isFree(local.id())
        && !isLeaving
        && !handOvers.includes(local.id())
        && (local.isMaster() || preference.isForThis(local));
  }

  /** A switch that does not answer a claim gets another master, if there is one. */
  private void giveUpUnanswered(LocalSwitch local) {
    if (local.givesUp(nanoTime.getAsLong())) {
      logger.warn("mastership_unanswered switch={} - its claim is given up for now", local.id());
      keys.standAside(local.id());
    }
  }

  /** Another controller has the key: it may be master already, and OpenFlow 1.3 does not tell. */
  private void askIfReplaced(LocalSwitch local) {
    if (!keys.isHeld(local.id()) && keys.holder(local.id()) != null) {
      local.askIfReplaced(nanoTime.getAsLong());
    }
  }

  // ---- events of etcd ----

  private final class MembershipListener implements Membership.Listener {
    @Override
    public void joined() {
      evaluateAll();
    }

    @Override
    public void expired() {
      preference.leaseExpired();
      shares.expired();
      mirror.refresh();
    }
  }

  private final class NodesListener implements MirroredRange.Listener {
    @Override
    public void changed(String key) {
      nodes.changed(key, mirror.nodes().get(key));
      evaluateAll();
    }

    @Override
    public void reread(boolean wentBack) {
      nodes.reread(mirror.nodes().all());
      evaluateAll();
    }
  }

  private final class MastersListener implements MirroredRange.Listener {
    @Override
    public void changed(String key) {
      @Nullable DatapathId id = Keys.switchOf(key);
      if (id != null) {
        masterNames.set(id, mirror.masters().get(key));
        evaluate(id);
        @Nullable LocalSwitch local = locals.get(id);
        if (local != null) {
          askIfReplaced(local);
        }
        flushSoon();
      }
    }

    @Override
    public void reread(boolean wentBack) {
      masterNames.replaceAll(mirror.masters().all());
      if (wentBack) {
        keys.forgetAll();
      }
      // also those of switches that have left: a key of this controller must not stay
      keys.known().forEach(Election.this::evaluate);
      evaluateAll();
    }
  }

  private final class ClusterListener implements MirroredRange.Listener {
    @Override
    public void changed(String key) {
      generations.read();
      probeKey.read();
      peerKey.read();
      moves.read();
      readPolicy();
      evaluateAll();
    }

    @Override
    public void reread(boolean wentBack) {
      changed(Keys.CLUSTER);
    }
  }

  private void readPolicy() {
    policy.tick();
    policy.read().ifPresent(membership::refuse);
    if (policy.isKnown()) {
      membership.admit();
    }
  }

  @Override
  public void followProbeKey(Consumer<byte[]> follower) {
    serial.execute(() -> probeKey.follow(follower));
  }

  /** Passes the key of the streams between controllers on, and each that replaces it. */
  public void followPeerKey(Consumer<byte[]> follower) {
    serial.execute(() -> peerKey.follow(follower));
  }

  // ---- stepping down ----

  /**
   * Calls this once, when other controllers of the cluster are master of all its switches. With the
   * policy {@code spread}, this is nothing special.
   */
  public void whenSteppedDown(Runnable action) {
    serial.execute(() -> steppedDown = action);
  }

  private void checkSteppedDown() {
    @Nullable Runnable action = steppedDown;
    if (action != null
        && wasMaster
        && policy.current() == MastershipPolicy.SINGLE
        && !isLeaving
        && handOvers.areNone()
        && othersRule()) {
      steppedDown = null;
      action.run();
    }
  }

  private boolean othersRule() {
    return !locals.isEmpty()
        && locals.values().stream()
            .allMatch(
                local -> {
                  @Nullable String holder = keys.holder(local.id());
                  return !local.isMaster() && holder != null && !holder.equals(name);
                });
  }

  // ---- peers ----

  /** Has these links follow the other live controllers, and tell {@link #ended} of their ends. */
  public void followPeers(Consumer<Set<PeerAddress>> follower) {
    serial.execute(() -> nodes.followWith(follower));
  }

  /**
   * The process of another controller has ended. Its lease is ended for it, so that its switches
   * get their next master at once. First packets wait for that one.
   */
  @Override
  public void ended(PeerAddress peer) {
    at(
        peer,
        node -> {
          awaitNextMaster(node);
          nodes.ended(node);
        });
  }

  /** If the other controller is gone, its lease ends soon: first packets wait for that. */
  @Override
  public void silent(PeerAddress peer) {
    at(peer, this::awaitNextMaster);
  }

  private void at(PeerAddress peer, Consumer<Node> action) {
    serial.execute(() -> nodes.at(peer).ifPresent(action));
  }

  private void awaitNextMaster(Node silent) {
    locals.values().stream()
        .filter(local -> silent.name().equals(keys.holder(local.id())))
        .forEach(local -> local.channel().masterSilent());
  }

  // ---- operators ----

  /**
   * Hands all switches that another controller is connected to over to it, as {@link HandOvers}
   * describes. Ends when each has its next master, at most after a second.
   *
   * @param forGood whether this controller will stop, and claims no switch from now on
   * @return the number of switches that have been handed over
   */
  public CompletableFuture<Integer> handOver(boolean forGood) {
    CompletableFuture<Integer> done = new CompletableFuture<>();
    serial.execute(
        () -> {
          isLeaving |= forGood;
          var unused = beginHandOver().whenComplete((count, problem) -> done.complete(count));
        });
    return done;
  }

  private CompletableFuture<Integer> beginHandOver() {
    return handOvers
        .ofAll()
        .orElseGet(
            () -> {
              CompletableFuture<Integer> done = handOvers.begin(locals.values(), true);
              membership.setOffer(offer());
              membership.tick();
              handOvers.check();
              isViewOld = true;
              return done;
            });
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
    serial.execute(() -> generations.raise(minimum, raised));
    return raised;
  }

  /** This controller's name. */
  public String name() {
    return name;
  }

  /** The name of a switch's master by the keys in etcd, as soon as they are known here. */
  public Optional<String> masterOf(DatapathId id) {
    return masterNames.of(id);
  }

  /** Changes the policy of the cluster. */
  public CompletableFuture<MastershipPolicy> setMastership(MastershipPolicy newPolicy) {
    CompletableFuture<MastershipPolicy> changed = new CompletableFuture<>();
    serial.execute(() -> policy.change(newPolicy, changed));
    return changed;
  }

  /** The cluster as etcd and the switches show it, at most a second old; no node is reached. */
  public ClusterView view() {
    return view;
  }

  /** Leaves the cluster: its keys are deleted. Completed when etcd has done that. */
  public CompletableFuture<Void> leave() {
    CompletableFuture<Void> left = new CompletableFuture<>();
    serial.execute(
        () -> {
          isLeaving = true;
          mirror.close();
          var unused = membership.close().whenComplete((none, problem) -> left.complete(null));
        });
    return left;
  }
}
