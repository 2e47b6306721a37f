package io.malob.balancer.replica;

import io.malob.algorithm.graph.Path;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.replica.ReplicaEntry.Placed;
import io.malob.openflow.label.Label;
import io.malob.openflow.label.LabelledPath;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The labels that other controllers keep up. For one thread at a time.
 *
 * @param held them, by their ids; empty at first
 */
record ReplicaLabels(ReplicaTables tables, Map<Integer, LabelledPath> held) {
  /** Whether another controller keeps a label up. */
  boolean holds(LabelledPath labelled) {
    @Nullable LabelledPath known = held.get(labelled.label().id());
    return known != null && known.equals(labelled);
  }

  /** A label has this path. */
  void set(int id, Path path) {
    if (keeps(id, path) && tables.read().contains(path.src())) {
      return;
    }
    @Nullable LabelledPath labelled = tables.labels().replicate(new Label(id), path, held.get(id));
    if (labelled == null) {
      held.remove(id);
    } else {
      held.put(id, labelled);
    }
  }

  /** There is no such label any more. */
  void remove(int id) {
    @Nullable LabelledPath labelled = held.get(id);
    if (labelled != null && !keeps(id, labelled.path())) {
      held.remove(id);
      tables.labels().forget(labelled);
    }
  }

  private boolean keeps(int id, Path path) {
    return tables.unowned().keepsLabel(id, path.src());
  }

  /** A peer has sent all labels of paths that begin at these switches. */
  void retain(String peer, Set<DatapathId> switches, Set<Integer> sent) {
    Map.copyOf(held)
        .forEach(
            (id, labelled) -> {
              if (switches.contains(labelled.path().src())
                  && tables.unowned().mayPublishLabel(peer, id)
                  && !sent.contains(id)) {
                remove(id);
              }
            });
  }

  /** Lets go of labels that are this controller's by now. */
  void releaseOwn() {
    held.values()
        .removeIf(
            labelled -> {
              boolean isOwn = keeps(labelled.label().id(), labelled.path());
              if (isOwn) {
                tables.labels().touch(labelled);
              }
              return isOwn;
            });
  }

  /** Takes up both paths of a connection; null if one of them is not known. */
  @Nullable Route acquire(Placed placed) {
    DatapathId client = placed.client().switchId();
    DatapathId member = placed.member().switchId();
    @Nullable LabelledPath there = acquire(placed.requestLabel(), client, member);
    @Nullable LabelledPath back = acquire(placed.replyLabel(), member, client);
    if (there != null && back != null) {
      return new Route(there, back);
    }
    release(there);
    release(back);
    return null;
  }

  private @Nullable LabelledPath acquire(int label, DatapathId from, DatapathId to) {
    if (label == 0) {
      return from.equals(to) ? tables.labels().acquire(Path.within(from)) : null;
    }
    @Nullable LabelledPath labelled = tables.labels().find(new Label(label));
    return labelled != null
            && labelled.path().src().equals(from)
            && labelled.path().dst().equals(to)
            && tables.labels().share(labelled)
        ? labelled
        : null;
  }

  void release(Route route) {
    release(route.request());
    release(route.reply());
  }

  private void release(@Nullable LabelledPath labelled) {
    if (labelled != null) {
      tables.labels().release(labelled);
    }
  }
}
