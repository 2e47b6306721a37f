package io.malob.cluster.election;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.module.ClusterView;
import io.malob.module.ClusterView.Problem;
import io.malob.module.ClusterView.Role;
import java.util.Collection;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import org.projectfloodlight.openflow.types.DatapathId;

/** Describes the election to operators. All methods on one serial executor. */
record ViewBuilder(
    String name,
    Membership membership,
    MasterKeys keys,
    LiveNodes nodes,
    Generations generations,
    PolicyKey policy) {
  /** etcd's silence that is a problem to report. */
  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Whether the view changes with time alone. */
  boolean isAgeing() {
    return membership.silentNanos() >= SILENCE_NANOS;
  }

  /** The cluster now; these switches are connected. */
  ClusterView view(Collection<LocalSwitch> locals) {
    ImmutableMap.Builder<DatapathId, Role> roles = ImmutableMap.builder();
    locals.forEach(local -> roles.put(local.id(), local.role()));
    return new ClusterView(
        name,
        membership.isMember(),
        membership.slot(),
        generations.base(),
        policy.current(),
        nodes.all().stream()
            .sorted(Comparator.comparingLong(Node::createRevision))
            .map(ViewBuilder::member)
            .collect(ImmutableList.toImmutableList()),
        keys.masters(),
        roles.buildOrThrow(),
        problems(locals.stream().filter(LocalSwitch::isStale).count()));
  }

  private static ClusterView.Member member(Node node) {
    return new ClusterView.Member(
        node.name(), node.contact().rest(), node.slot(), node.switches().size(), false);
  }

  private ImmutableList<Problem> problems(long stale) {
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
}
