package io.malob.rest.octavia;

import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.IBalancerService.CatalogEffect;
import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import io.malob.state.catalog.CatalogEdit;
import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.CatalogSnapshot;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The requests for objects of one type. Safe for use by several threads. */
record Objects<T extends CatalogItem>(IBalancerService balancer, ObjectType<T> type) {
  /** The objects that the request wants to see. */
  Reply list(Call call) throws RejectedException {
    View view = View.of(balancer);
    List<Map<String, @Nullable Object>> all =
        type.all(view.catalog()).stream().map(item -> type.shown(item, view)).toList();
    return Reply.ok(new ListQuery(call, type.filters()).answer(type.plural(), all));
  }

  /** One object. */
  Reply show(Call call) throws RejectedException {
    View view = View.of(balancer);
    T item = type.existing(view.catalog(), call.variable("id"));
    return Reply.ok(Map.of(type.noun(), ListQuery.chosen(call, type.shown(item, view))));
  }

  Reply create(Call call) throws IOException, RejectedException {
    Body body = Body.of(call, type.noun());
    type.checkNew(body);
    String[] id = new String[1];
    CatalogSnapshot after = edit(draft -> id[0] = type.create(draft, body));
    return Reply.created(shown(after, id[0]), call, id[0]);
  }

  Reply update(Call call) throws IOException, RejectedException {
    Body body = Body.of(call, type.noun());
    type.checkChange(body);
    String id = call.variable("id");
    CatalogSnapshot after =
        edit(draft -> type.update(draft, type.existing(draft.snapshot(), id), body));
    return Reply.ok(shown(after, id));
  }

  Reply delete(Call call) throws IOException, RejectedException {
    String id = call.variable("id");
    boolean cascade = call.parameter("cascade").map("true"::equalsIgnoreCase).orElse(false);
    CatalogSnapshot unused =
        edit(draft -> type.delete(draft, type.existing(draft.snapshot(), id), cascade));
    return Reply.nothing();
  }

  /** An object as a change has left it; another client may have deleted it since. */
  private Map<String, Object> shown(CatalogSnapshot after, String id) throws RejectedException {
    View view = View.of(balancer, after);
    return Map.of(type.noun(), type.shown(type.existing(view.catalog(), id), view));
  }

  /**
   * Makes an edit on the latest catalog, and returns the catalog after it.
   *
   * @throws RejectedException if it cannot be made; nothing has changed then. Or if it is stored
   *     but could not be applied
   */
  CatalogSnapshot edit(CatalogEdit edit) throws IOException, RejectedException {
    CatalogSnapshot after;
    try {
      after = balancer.catalog().onLatest(() -> balancer.catalog().edit(edit));
    } catch (RejectedException e) {
      throw e.renamed(type::attribute);
    }
    if (balancer.catalogEffect() == CatalogEffect.FAILED) {
      throw new RejectedException(
          Reason.FAILED, "the change is stored, but could not be applied; the log says why", null);
    }
    return after;
  }
}
