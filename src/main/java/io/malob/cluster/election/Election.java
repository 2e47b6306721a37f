package io.malob.cluster.election;

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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

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
  private final String name;
  private final Executor serialExecutor;
  private final ElectionStore store;
  private final Membership membership;

  /** The masters of switches, for any thread. */
  private final Map<DatapathId, String> masterNames = new ConcurrentHashMap<>();

  private final LiveNodes nodes;
  private final PolicyKey policy;
  private final Generations generations;
  private final MasterKeys keys;
  private final PacketRelay relay = new PacketRelay();
  private final Claims claims;
  private final LimitShares shares;
  private final PolicyMoves moves;
  private final SharedKey probeKey;
  private final SharedKey peerKey;
  private final ViewBuilder viewBuilder;
  private boolean isAgeing;
  private @Nullable Runnable steppedDown;
  private volatile ClusterView view;

  /**
   * An election that does nothing before {@link #start}.
   *
   * @param self this controller
   * @param lifetime of the lease: a controller that is silent for so long loses its keys
   * @param serialExecutor runs one task at a time, in order
   */
  public Election(
      Etcd etcd, ThisNode self, Duration lifetime, Executor serialExecutor, LongSupplier nanoTime) {
    name = self.name();
    this.serialExecutor = serialExecutor;
    store =
        new ElectionStore(
            etcd,
            serialExecutor,
            nanoTime,
            (key, wentBack) -> nodesChanged(key),
            this::mastersChanged,
            (key, wentBack) -> clusterChanged(),
            this::settled);
    membership = new Membership(etcd, self, lifetime, store, this::joined, this::expired);
    nodes = new LiveNodes(etcd, name);
    policy = new PolicyKey(self.policy(), store);
    Preference preference = new Preference(self, nodes, membership, policy, store);
    generations = new Generations(store);
    keys = new MasterKeys(name, membership, generations, store);
    claims = new Claims(keys, preference, generations, store, relay, serialExecutor);
    moves =
        new PolicyMoves(policy, nodes, keys, preference, claims.handOvers(), store, relay::reaches);
    shares = new LimitShares(name);
    probeKey = new SharedKey(Keys.PROBE_KEY, store);
    peerKey = new SharedKey(Keys.PEER_KEY, store);
    viewBuilder = new ViewBuilder(name, membership, keys, nodes, generations, policy);
    view = viewBuilder.view(claims.locals());
  }

  /** Uses these streams to other controllers in hand-overs; to be called before {@link #start}. */
  public void relayOver(IPeerService peers) {
    relay.relayOver(peers);
  }

  /**
   * Joins the cluster as soon as etcd answers. The future fails with a {@link NotJoinedException}
   * if another live controller has the name, all slots are taken, or the policy is another one.
   */
  public CompletableFuture<Void> start() {
    tick();
    return membership.firstJoin();
  }

  /** Does what is due; to be called every 100 ms. */
  public void tick() {
    serialExecutor.execute(this::beat);
  }

  private void beat() {
    store.tick();
    divideLimits();
    claims.tick();
    moves.tick(claims.locals());
    checkSteppedDown();
    policy.tick();
    probeKey.tick();
    peerKey.tick();
    if (claims.takeChanged() || isAgeing) {
      view = viewBuilder.view(claims.locals());
    }
    isAgeing = viewBuilder.isAgeing();
  }

  /** Follows the set of masters, and what the live controllers have acknowledged. */
  private void divideLimits() {
    if (policy.current() == MastershipPolicy.SPREAD) {
      shares.masters(sharers());
    }
    publishOffer();
    long revision = membership.publishedRevision();
    if (revision != 0
        && nodes.all().stream()
            .anyMatch(node -> node.name().equals(name) && node.modRevision() == revision)) {
      shares.acknowledgements(
          nodes.all().stream()
              .collect(Collectors.toMap(Node::name, node -> node.offer().masters())));
    }
  }

  private void publishOffer() {
    membership.setOffer(new Offer(claims.offered(), shares.acknowledged()));
    membership.tick();
  }

  /** Those that are master of a switch, or may be soon, as they are connected to one. */
  private Set<String> sharers() {
    Set<String> names = new HashSet<>(keys.masters().values());
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

  // ---- events of switches ----

  @Override
  public void connected(RoleChannel sw) {
    relay.connected(sw);
    serialExecutor.execute(() -> claims.connected(sw));
  }

  @Override
  public void granted(RoleChannel sw, long generation) {
    serialExecutor.execute(() -> claims.granted(sw, generation));
  }

  @Override
  public void staleClaim(RoleChannel sw, long generation) {
    serialExecutor.execute(() -> claims.stale(sw, generation));
  }

  @Override
  public void replaced(RoleChannel sw) {
    serialExecutor.execute(() -> claims.replaced(sw));
  }

  @Override
  public void generationSeen(RoleChannel sw, long generation) {
    serialExecutor.execute(() -> generations.seen(generation));
  }

  @Override
  public void disconnected(RoleChannel sw) {
    relay.disconnected(sw);
    serialExecutor.execute(
        () -> {
          if (claims.disconnected(sw)) {
            offerChanged();
          }
        });
  }

  private void offerChanged() {
    publishOffer();
    claims.handOvers().check();
    claims.flushSoon();
  }

  // ---- events of etcd ----

  private void joined() {
    claims.evaluateAll();
  }

  private void expired() {
    shares.expired();
    store.refresh();
  }

  private void nodesChanged(@Nullable String key) {
    nodes.changed(key, store.nodes());
    claims.evaluateAll();
  }

  private void mastersChanged(@Nullable String key, boolean wentBack) {
    if (key == null) {
      // unchanged names stay readable meanwhile
      masterNames.keySet().retainAll(keys.masters().keySet());
      masterNames.putAll(keys.masters());
      if (wentBack) {
        keys.forgetAll();
      }
      // also those of switches that have left: a key of this controller must not stay
      claims.evaluate(keys.masters().keySet());
      claims.evaluateAll();
      return;
    }
    @Nullable DatapathId id = Keys.switchOf(key);
    if (id != null) {
      masterNames.compute(id, (same, was) -> keys.holder(id));
      claims.keyChanged(id);
    }
  }

  private void clusterChanged() {
    generations.read();
    probeKey.read();
    peerKey.read();
    moves.read();
    policy.tick();
    policy.read().ifPresent(membership::refuse);
    if (policy.isKnown()) {
      membership.admit();
    }
    claims.evaluateAll();
  }

  private void settled(Collection<DatapathId> ids) {
    claims.evaluate(ids);
  }

  @Override
  public void followProbeKey(Consumer<byte[]> follower) {
    serialExecutor.execute(() -> probeKey.follow(follower));
  }

  /** Passes the key of the streams between controllers on, and each that replaces it. */
  public void followPeerKey(Consumer<byte[]> follower) {
    serialExecutor.execute(() -> peerKey.follow(follower));
  }

  // ---- stepping down ----

  /**
   * Calls this once, when other controllers of the cluster are master of all its switches. With the
   * policy {@code spread}, this is nothing special.
   */
  public void whenSteppedDown(Runnable action) {
    serialExecutor.execute(() -> steppedDown = action);
  }

  private void checkSteppedDown() {
    @Nullable Runnable action = steppedDown;
    if (action != null && policy.current() == MastershipPolicy.SINGLE && claims.othersRule()) {
      steppedDown = null;
      action.run();
    }
  }

  // ---- peers ----

  /** Has these links follow the other live controllers, and call {@link #ended} at their ends. */
  public void followPeers(Consumer<Set<PeerAddress>> follower) {
    serialExecutor.execute(() -> nodes.followWith(follower));
  }

  /**
   * The process of another controller has ended. Its lease is ended for it, so that its switches
   * get their next master at once. First packets wait for that one.
   */
  @Override
  public void ended(PeerAddress peer) {
    silent(peer);
    serialExecutor.execute(() -> nodes.at(peer).ifPresent(nodes::ended));
  }

  /** If the other controller is gone, its lease ends soon: first packets wait for that. */
  @Override
  public void silent(PeerAddress peer) {
    serialExecutor.execute(
        () -> nodes.at(peer).ifPresent(node -> claims.awaitNextMaster(node.name())));
  }

  // ---- operators ----

  /** The result of an asynchronous call that is made on the serial executor. */
  private <T> CompletableFuture<T> submit(Supplier<CompletableFuture<T>> call) {
    return CompletableFuture.completedFuture(true)
        .thenComposeAsync(begun -> call.get(), serialExecutor);
  }

  /**
   * Hands all switches that another controller is connected to over to it, as {@link HandOvers}
   * describes. Ends when each has its next master, at most after a second.
   *
   * @param forGood whether this controller will stop, and claims no switch from now on
   * @return the number of switches that have been handed over
   */
  public CompletableFuture<Integer> handOver(boolean forGood) {
    return submit(
        () -> {
          if (forGood) {
            claims.leave();
          }
          CompletableFuture<Integer> done = claims.handOver();
          offerChanged();
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
    return submit(() -> generations.raise(minimum));
  }

  /** Changes the policy of the cluster. */
  public CompletableFuture<MastershipPolicy> setMastership(MastershipPolicy newPolicy) {
    return submit(() -> policy.change(newPolicy));
  }

  /** Leaves the cluster: its keys are deleted. Completed when etcd has done that. */
  public CompletableFuture<Void> leave() {
    return submit(
        () -> {
          claims.leave();
          store.close();
          return membership.close().exceptionally(problem -> null);
        });
  }

  /** This controller's name. */
  public String name() {
    return name;
  }

  /** The name of a switch's master by the keys in etcd, as soon as they are known here. */
  public Optional<String> masterOf(DatapathId id) {
    return Optional.ofNullable(masterNames.get(id));
  }

  /** The cluster as etcd and the switches show it, at most a second old; no node is reached. */
  public ClusterView view() {
    return view;
  }
}
