package io.malob.rest;

import com.google.common.collect.Sets;
import io.malob.json.Json;
import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import io.malob.module.ClusterView;
import io.malob.module.IClusterService;
import io.malob.module.MastershipPolicy;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The cluster: its controllers, the masters of switches, hand-over, and generation ids.
 *
 * @param cluster null if the controller has no such service
 */
record ClusterResources(@Nullable IClusterService cluster, Supplier<Optional<ClusterView>> view) {
  private static final Set<String> MASTERSHIP_FIELDS = Set.of("mastership");
  private static final Set<String> BASE_FIELDS = Set.of("minimum");

  /** The max time that a request waits for etcd and the switches. */
  private static final long PATIENCE_MILLIS = 5_000;

  /**
   * Half of the ids that follow a switch's: no switch must take a later base for an earlier one.
   */
  private static final long MAX_BASE = 1L << 62;

  /** The cluster; its value is null without one. */
  Reply show(Call call) {
    return Reply.ok(Json.fields("cluster", view.get().map(ClusterResources::shown)));
  }

  private static Map<String, Object> shown(ClusterView view) {
    return Json.fields(
        "name", view.name(),
        "member", view.isMember(),
        "slot", view.slot(),
        "generation_base", view.generationBase(),
        "mastership", view.mastership().label(),
        "nodes", view.nodes(),
        "switches", switches(view));
  }

  /** All switches of the cluster, and this controller's role at those that it is connected to. */
  private static List<?> switches(ClusterView view) {
    return Sets.union(view.masters().keySet(), view.roles().keySet()).stream()
        .sorted()
        .map(
            id ->
                Json.fields(
                    "switch", id,
                    "master", view.masters().get(id),
                    "role", view.roles().get(id)))
        .toList();
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
    if (existing == null || view.get().isEmpty()) {
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
