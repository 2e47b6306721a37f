package io.malob.rest;

import io.malob.balancer.api.IBalancerService;
import io.malob.state.catalog.CatalogCondition;
import io.malob.state.catalog.CatalogException;
import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Creation;
import io.malob.state.catalog.Fields;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The items of one kind, or those of one pool, in OpenStack's API. */
final class LbaasCollection<T extends CatalogItem> {
  /** What fields of the catalog are called here. */
  private static final Map<String, String> OTHER_NAMES =
      Map.of(
          "port", "protocol_port",
          "vip_id", "listener_id",
          "lb_method", "lb_algorithm",
          "admin_state", "admin_state_up");

  private final IBalancerService balancer;
  private final LbaasFormat<T> format;
  private final @Nullable String poolId;

  /**
   * A collection.
   *
   * @param poolId the pool that items are in, and new ones get into; null for all
   */
  LbaasCollection(IBalancerService balancer, LbaasFormat<T> format, @Nullable String poolId) {
    this.balancer = balancer;
    this.format = format;
    this.poolId = poolId;
  }

  /** Answers a request to the collection. */
  Reply all(Call call) throws IOException, RefusedException {
    return switch (call.method()) {
      case "GET" -> list(Page.of(call.query()));
      case "POST" -> create(call);
      default -> throw RefusedException.method(call.method(), "GET", "POST");
    };
  }

  /** Answers a request to one item. */
  Reply one(Call call, String id) throws IOException, RefusedException {
    call.checkNoParameters();
    CatalogSnapshot now = balancer.catalog().snapshot();
    return switch (call.method()) {
      case "GET" -> Reply.ok(wrapped(find(now, id), now));
      case "PUT" -> put(call, id);
      case "DELETE" -> delete(now, id);
      default -> throw RefusedException.method(call.method(), "GET", "PUT", "DELETE");
    };
  }

  private Reply list(Page page) throws RefusedException {
    CatalogSnapshot now = balancer.catalog().snapshot();
    LbaasStatus status = new LbaasStatus(now, balancer.memberStats());
    List<T> items =
        format.kind().in(now).values().stream().filter(this::isHere).collect(Collectors.toList());
    return page.of(items, CatalogItem::id, item -> format.shown(item, now, status))
        .map(list -> Map.of(format.noun() + "s", list));
  }

  private Reply create(Call call) throws IOException, RefusedException {
    call.checkNoParameters();
    try {
      T item = balancer.catalog().create(format.kind(), inPool(read(call))).item();
      return Reply.created(wrapped(item, balancer.catalog().snapshot()));
    } catch (CatalogException e) {
      throw refused(e);
    }
  }

  private Reply put(Call call, String id) throws IOException, RefusedException {
    Optional<T> current = format.kind().find(balancer.catalog().snapshot(), id);
    Fields fields = read(call);
    if (current.isPresent()) {
      find(balancer.catalog().snapshot(), id);
    } else {
      fields = inPool(fields);
    }
    try {
      Creation<T> put = balancer.catalog().put(format.kind(), id, fields, CatalogCondition.NONE);
      Object shown = wrapped(put.item(), balancer.catalog().snapshot());
      return put.isNew() ? Reply.created(shown) : Reply.ok(shown);
    } catch (CatalogException e) {
      throw refused(e);
    }
  }

  private Reply delete(CatalogSnapshot now, String id) throws RefusedException {
    find(now, id);
    try {
      balancer.catalog().delete(format.kind(), id);
      return Reply.nothing();
    } catch (CatalogException e) {
      throw refused(e);
    }
  }

  private Fields read(Call call) throws IOException, RefusedException {
    return format.fields(JsonFields.readWrapped(call.body().bytes(), format.noun()));
  }

  private Fields inPool(Fields fields) {
    return poolId == null ? fields : fields.with("pool_id", poolId);
  }

  private boolean isHere(T item) {
    return poolId == null || Objects.equals(item.fields().get("pool_id"), poolId);
  }

  private T find(CatalogSnapshot now, String id) throws RefusedException {
    return format
        .kind()
        .find(now, id)
        .filter(this::isHere)
        .orElseThrow(
            () -> new RefusedException(404, "there is no " + format.noun() + " " + id, null));
  }

  private Map<String, Object> wrapped(T item, CatalogSnapshot now) {
    return Map.of(
        format.noun(), format.shown(item, now, new LbaasStatus(now, balancer.memberStats())));
  }

  /** The catalog's field under the name that it has here. */
  private static RefusedException refused(CatalogException e) {
    return RefusedException.of(e, field -> OTHER_NAMES.getOrDefault(field, field));
  }
}
