package io.malob.cluster.election;

import io.malob.cluster.etcd.Etcd.Condition;
import io.malob.cluster.etcd.Etcd.Outcome;
import java.util.Collection;
import java.util.List;

/**
 * The cluster's keys, as etcd has last told them. All methods on one serial executor.
 *
 * @param nodes the live controllers
 * @param masters the masters of switches
 * @param cluster the permanent values
 */
record Mirror(MirroredRange nodes, MirroredRange masters, MirroredRange cluster) {

  private List<MirroredRange> all() {
    return List.of(nodes, masters, cluster);
  }

  /** Repeats failed readings; to be called regularly. */
  void tick() {
    all().forEach(MirroredRange::tick);
  }

  /** Reads all keys anew. */
  void refresh() {
    all().forEach(MirroredRange::refresh);
  }

  /** Whether all keys have been read and are watched. */
  boolean isKnown() {
    return all().stream().allMatch(MirroredRange::isKnown);
  }

  /** The latest revision that is known. */
  long revision() {
    return Math.max(nodes.revision(), Math.max(masters.revision(), cluster.revision()));
  }

  /** Takes the keys that a failed transaction has returned, if they are newer than the watches. */
  void learn(Outcome failed, Collection<Condition> conditions) {
    masters.learn(failed, conditions);
    cluster.learn(failed, conditions);
  }

  void close() {
    all().forEach(MirroredRange::close);
  }
}
