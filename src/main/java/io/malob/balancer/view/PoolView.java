package io.malob.balancer.view;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Counting;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Placers;
import io.malob.algorithm.Server;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The eligible members of a pool, and a placer for each algorithm in use. The members never change:
 * a pool with other members is another view, which takes over the turns. Thread-safe.
 */
public final class PoolView {
  private final ImmutableList<Server> usual;
  private final ImmutableList<Server> backups;
  private final ImmutableList<Server> servers;
  private final ImmutableMap<Integer, Server> inTurn;
  private final Counting counting;
  private final Map<Algorithm, Placer> placers = new ConcurrentHashMap<>();
  private final Map<Algorithm, AtomicInteger> turns;

  /** The same placers as a list, which each connection traverses without an iterator. */
  private volatile ImmutableList<Placer> all = ImmutableList.of();

  /** Creates a pool without connections. */
  public PoolView(ImmutableList<Server> usual, ImmutableList<Server> backups, Counting counting) {
    this(usual, backups, counting, new ConcurrentHashMap<>());
  }

  private PoolView(
      ImmutableList<Server> usual,
      ImmutableList<Server> backups,
      Counting counting,
      Map<Algorithm, AtomicInteger> turns) {
    this.usual = usual;
    this.backups = backups;
    this.servers = ImmutableList.<Server>builder().addAll(usual).addAll(backups).build();
    this.inTurn = Maps.uniqueIndex(usual.isEmpty() ? backups : usual, Server::number);
    this.counting = counting;
    this.turns = turns;
    // now and not at the first request, because computing the turns of a large pool takes a while
    turns.keySet().forEach(this::placer);
  }

  /** This pool with the given members; the same object if they are unchanged. */
  PoolView with(ImmutableList<Server> newUsual, ImmutableList<Server> newBackups) {
    return newUsual.equals(usual) && newBackups.equals(backups)
        ? this
        : new PoolView(newUsual, newBackups, counting, turns);
  }

  /** The member with that number, if it is in regular use; null otherwise. */
  public @Nullable Server inTurn(int number) {
    return inTurn.get(number);
  }

  /** Whether only backups are eligible. */
  boolean isOnBackups() {
    return usual.isEmpty() && !backups.isEmpty();
  }

  /** The eligible members, backups last. */
  public ImmutableList<Server> servers() {
    return servers;
  }

  /** One member of each switch that has members. */
  public Collection<Server> oneOfEachSwitch() {
    Map<DatapathId, Server> first = new LinkedHashMap<>();
    servers.forEach(server -> first.putIfAbsent(server.at().switchId(), server));
    return first.values();
  }

  /** The placer of an algorithm. */
  public Placer placer(Algorithm algorithm) {
    Placer placer = placers.get(algorithm);
    return placer != null ? placer : placers.computeIfAbsent(algorithm, this::newPlacer);
  }

  private Placer newPlacer(Algorithm algorithm) {
    Placer placer =
        Placers.of(
            algorithm,
            usual,
            backups,
            turns.computeIfAbsent(algorithm, any -> new AtomicInteger()),
            counting);
    synchronized (turns) {
      all = ImmutableList.<Placer>builder().addAll(all).add(placer).build();
    }
    return placer;
  }

  /** Prepares all placers for a network. */
  void prepare(NetworkSnapshot network) {
    all.forEach(placer -> placer.prepare(network));
  }

  /** Notifies all placers that the shares of members have grown. */
  void sharesChanged() {
    servers.forEach(this::loadChanged);
    all.forEach(Placer::sharesChanged);
  }

  /** Notifies all placers that the connection count of a member has changed. */
  void loadChanged(Server server) {
    ImmutableList<Placer> current = all;
    for (int i = 0; i < current.size(); i++) {
      current.get(i).loadChanged(server);
    }
  }
}
