package io.malob.cluster.election;

import io.malob.cluster.etcd.Etcd.Change;
import io.malob.cluster.etcd.Etcd.Condition;
import io.malob.module.MastershipPolicy;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * With the policy {@code spread}, hands switches over to the controllers that are preferred, one in
 * five seconds in the whole cluster: each move changes a key in etcd, and a controller may change
 * it only if it has not seen a change for five seconds. All methods on one serial executor.
 */
final class PolicyMoves {
  private static final Logger logger = LoggerFactory.getLogger(PolicyMoves.class);

  /** The min time between two moves. */
  static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /**
   * How long a controller is connected to switches before it gets any from a live one: by then it
   * knows the links, and which ports lead to hosts, so that it does not reroute what is in order.
   */
  static final long WARM_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final PolicyKey policy;
  private final LiveNodes nodes;
  private final MasterKeys keys;
  private final Preference preference;
  private final HandOvers handOvers;
  private final ElectionStore store;

  /** Whether messages reach a controller: only then does it know the switch's connections. */
  private final Predicate<String> isReached;

  /** The revision of the latest move that this controller knows of; 0 if there was none. */
  private long moveRevision;

  /** When it has learnt of that: not before the move. */
  private long movedNanos;

  /**
   * When the other controllers were first seen with switches, by the revisions of their joining.
   */
  private final Map<Long, Long> connectedNanos = new HashMap<>();

  PolicyMoves(
      PolicyKey policy,
      LiveNodes nodes,
      MasterKeys keys,
      Preference preference,
      HandOvers handOvers,
      ElectionStore store,
      Predicate<String> isReached) {
    this.policy = policy;
    this.nodes = nodes;
    this.keys = keys;
    this.preference = preference;
    this.handOvers = handOvers;
    this.store = store;
    this.isReached = isReached;
    movedNanos = store.now();
  }

  /** Takes the latest move from etcd. */
  void read() {
    long revision = store.cluster().unchanged(Keys.MOVE).modRevision();
    if (revision != moveRevision) {
      moveRevision = revision;
      movedNanos = store.now();
    }
  }

  /** Begins a move if one is due; to be called regularly, with the connected switches. */
  void tick(Collection<LocalSwitch> locals) {
    noteConnected();
    if (policy.current() != MastershipPolicy.SPREAD
        || store.isChanging(Keys.MOVE)
        || !handOvers.areNone()
        || !store.cluster().isKnown()
        || store.isPaused()
        || store.now() - movedNanos < PAUSE_NANOS) {
      return;
    }
    locals.stream().filter(this::isToMove).findFirst().ifPresent(this::begin);
  }

  private void noteConnected() {
    Set<Long> live =
        nodes
            .others()
            .filter(node -> !node.switches().isEmpty())
            .map(Node::createRevision)
            .collect(Collectors.toSet());
    connectedNanos.keySet().retainAll(live);
    live.forEach(joined -> connectedNanos.putIfAbsent(joined, store.now()));
  }

  private boolean isWarm(Node node) {
    @Nullable Long since = connectedNanos.get(node.createRevision());
    return since != null && store.now() - since >= WARM_NANOS;
  }

  private boolean isToMove(LocalSwitch local) {
    Optional<Node> next = preference.next(local.id());
    return local.isMaster()
        && keys.isKept(local.id())
        && next.isPresent()
        && preference.isBeforeThis(next.get(), local.id())
        && isReached.test(next.get().name())
        && isWarm(next.get());
  }

  private void begin(LocalSwitch local) {
    store.commit(
        Set.of(local.id()),
        List.of(new Condition(Keys.MOVE, moveRevision)),
        List.of(new Change.Put(Keys.MOVE, local.id().toString(), 0)),
        outcome -> {
          if (outcome.isDone() && local.isMaster() && handOvers.areNone()) {
            logger.info("mastership_moved switch={}", local.id());
            var unused = handOvers.begin(List.of(local), false);
          }
        });
  }
}
