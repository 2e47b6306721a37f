package io.malob.rest;

import io.malob.balancer.api.IBalancerService;
import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import io.malob.state.catalog.CatalogCondition;
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
  /** The names of the catalog's fields here. */
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

  /** A page of the items. */
  Reply list(Call call) throws RejectedException {
    CatalogSnapshot now = balancer.catalog().snapshot();
    LbaasStatus status = new LbaasStatus(now, balancer.memberStats());
    List<T> items =
        format.kind().in(now).values().stream().filter(this::isHere).collect(Collectors.toList());
    return Page.of(call)
        .of(items, CatalogItem::id, item -> format.shown(item, now, status))
        .map(list -> Map.of(format.noun() + "s", list));
  }

  /** One item. */
  Reply show(Call call) throws RejectedException {
    CatalogSnapshot now = balancer.catalog().snapshot();
    return Reply.ok(wrapped(find(now, call.variable("id")), now));
  }

  /** Makes an item. */
  Reply create(Call call) throws IOException, RejectedException {
    Fields fields = inPool(read(call));
    try {
      T item = balancer.catalog().create(format.kind(), fields).item();
      return Reply.created(wrapped(item, balancer.catalog().snapshot()));
    } catch (RejectedException e) {
      throw e.renamed(LbaasCollection::nameHere);
    }
  }

  /** Changes the given fields of the item, or creates it. */
  Reply put(Call call) throws IOException, RejectedException {
    String id = call.variable("id");
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
    } catch (RejectedException e) {
      throw e.renamed(LbaasCollection::nameHere);
    }
  }

  /** Deletes an item. */
  Reply delete(Call call) throws RejectedException {
    String id = call.variable("id");
    find(balancer.catalog().snapshot(), id);
    try {
      balancer.catalog().delete(format.kind(), id);
      return Reply.nothing();
    } catch (RejectedException e) {
      throw e.renamed(LbaasCollection::nameHere);
    }
  }

  /**
   * The fields of the one object in a body, as in {@code {"pool": {…}}}; errors name them alone.
   */
  private Fields read(Call call) throws IOException, RejectedException {
    String noun = format.noun();
    try {
      JsonInput<RejectedException> body = call.json();
      JsonInput<RejectedException> item = body.get(noun);
      if (!item.isObject()) {
        throw RejectedException.invalid(
            noun,
            "the body must be an object with one field whose value is an object, \"" + noun + "\"");
      }
      if (body.fields().size() > 1) {
        throw RejectedException.invalid(null, "the body has fields besides \"" + noun + "\"");
      }
      return format.fields(item);
    } catch (RejectedException e) {
      throw e.renamed(
          field -> field.startsWith(noun + ".") ? field.substring(noun.length() + 1) : field);
    }
  }

  private Fields inPool(Fields fields) {
    return poolId == null ? fields : fields.with("pool_id", poolId);
  }

  private boolean isHere(T item) {
    return poolId == null || Objects.equals(item.fields().get("pool_id"), poolId);
  }

  private T find(CatalogSnapshot now, String id) throws RejectedException {
    return format
        .kind()
        .find(now, id)
        .filter(this::isHere)
        .orElseThrow(() -> RejectedException.notFound("there is no " + format.noun() + " " + id));
  }

  private Map<String, Object> wrapped(T item, CatalogSnapshot now) {
    return Map.of(
        format.noun(), format.shown(item, now, new LbaasStatus(now, balancer.memberStats())));
  }

  private static String nameHere(String field) {
    return OTHER_NAMES.getOrDefault(field, field);
  }
}
