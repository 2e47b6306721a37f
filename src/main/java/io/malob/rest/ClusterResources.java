package io.malob.rest;

import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import io.malob.module.ClusterView;
import io.malob.module.IClusterService;
import io.malob.module.MastershipPolicy;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/** The cluster: its controllers, the masters of switches, hand-over, and generation ids. */
final class ClusterResources {
  private static final Set<String> MASTERSHIP_FIELDS = Set.of("mastership");
  private static final Set<String> BASE_FIELDS = Set.of("minimum");

  /** The max time that a request waits for etcd and the switches. */
  private static final long PATIENCE_MILLIS = 5_000;

  /**
   * Half of the ids that follow a switch's: no switch must take a later base for an earlier one.
   */
  private static final long MAX_BASE = 1L << 62;

  private final @Nullable IClusterService cluster;

  /** Resources of this cluster; null if the controller has no such service. */
  ClusterResources(@Nullable IClusterService cluster) {
    this.cluster = cluster;
  }

  /** The view of the cluster; empty without one. */
  static Supplier<Optional<ClusterView>> viewOf(@Nullable IClusterService cluster) {
    return cluster == null ? Optional::empty : cluster::view;
  }

  /** The cluster; its value is null without one. */
  Reply show(Call call) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("cluster", viewOf(cluster).get().map(ClusterResources::shown).orElse(null));
    return Reply.ok(shown);
  }

  private static Map<String, Object> shown(ClusterView view) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("name", view.name());
    shown.put("member", view.isMember());
    shown.put("slot", view.slot());
    shown.put("generation_base", view.generationBase());
    shown.put("mastership", view.mastership().label());
    shown.put("nodes", view.nodes().stream().map(ClusterResources::node).toList());
    shown.put("switches", switches(view));
    return shown;
  }

  private static Map<String, Object> node(ClusterView.Member node) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("name", node.name());
    shown.put("rest", node.restAddress());
    shown.put("slot", node.slot());
    shown.put("switches", node.switches());
    shown.put("reached", node.isReached());
    return shown;
  }

  /** All switches of the cluster, and this controller's role at those that it is connected to. */
  private static List<Object> switches(ClusterView view) {
    TreeSet<DatapathId> ids = new TreeSet<>(view.masters().keySet());
    ids.addAll(view.roles().keySet());
    List<Object> lines = new ArrayList<>(ids.size());
    for (DatapathId id : ids) {
      ClusterView.@Nullable Role role = view.roles().get(id);
      Map<String, @Nullable Object> line = new LinkedHashMap<>();
      line.put("switch", id.toString());
      line.put("master", view.masters().get(id));
      line.put("role", role == null ? null : role.name().toLowerCase(Locale.ROOT));
      lines.add(line);
    }
    return lines;
  }

  /** Hands this controller's switches over to others. */
  Reply handOver(Call call) throws RejectedException {
    return Reply.ok(Map.of("handed_over", awaited(existing().handOver())));
  }

  /** Changes how the controllers share the switches. */
  Reply setMastership(Call call) throws IOException, RejectedException {
    JsonInput<RejectedException> fields = call.json().only(MASTERSHIP_FIELDS);
    MastershipPolicy policy =
        fields
            .get("mastership")
            .parsed(
                "single or spread",
                text ->
                    MastershipPolicy.named(text)
                        .orElseThrow(() -> new IllegalArgumentException(text)));
    return Reply.ok(Map.of("mastership", awaited(existing().setMastership(policy)).label()));
  }

  /** Raises the base of generation ids, after etcd was restored. */
  Reply raiseBase(Call call) throws IOException, RejectedException {
    JsonInput<RejectedException> fields = call.json().only(BASE_FIELDS);
    JsonInput<RejectedException> minimum = fields.get("minimum");
    long number = minimum.isThere() ? minimum.whole(0, MAX_BASE) : 0;
    return Reply.ok(Map.of("generation_base", awaited(existing().raiseBase(number))));
  }

  private IClusterService existing() throws RejectedException {
    @Nullable IClusterService existing = cluster;
    if (existing == null || existing.view().isEmpty()) {
      throw RejectedException.notFound("this controller belongs to no cluster");
    }
    return existing;
  }

  private static <T> T awaited(CompletableFuture<T> result) throws RejectedException {
    try {
      return result.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RejectedException(Reason.BUSY, "the controller stops", null);
    } catch (ExecutionException | TimeoutException e) {
      throw new RejectedException(
          Reason.BUSY, "etcd does not answer, or has no quorum; try again later", null);
    }
  }
}
