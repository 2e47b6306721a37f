package io.malob.rest;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.malob.balancer.api.IBalancerService;
import io.malob.json.Json;
import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import io.malob.module.TextFormat;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.CatalogKind;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.CatalogTree;
import io.malob.state.catalog.Fields;
import io.malob.state.catalog.ItemChange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The whole catalog as one tree. Safe for use by several threads. */
final class ConfigResources {
  /** The max size of a body, for the max number of items. */
  static final int MAX_BYTES = 16 * 1024 * 1024;

  private static final ImmutableList<String> LISTS =
      Catalog.KINDS.stream().map(CatalogKind::listName).collect(ImmutableList.toImmutableList());

  /** The query parameters of a change. */
  static final ImmutableSet<String> PARAMETERS = ImmutableSet.of("dry_run");

  private final Catalog catalog;
  private final CatalogWrites writes;
  private final List<TextFormat> formats;

  ConfigResources(IBalancerService balancer) {
    this.catalog = balancer.catalog();
    this.writes = new CatalogWrites(balancer);
    this.formats =
        ServiceLoader.load(TextFormat.class, TextFormat.class.getClassLoader()).stream()
            .map(ServiceLoader.Provider::get)
            .collect(Collectors.toList());
  }

  /** The tree, in JSON or in the requested format. */
  Reply get(Call call) {
    Map<String, Object> tree = shown(catalog.snapshot());
    Optional<TextFormat> format = asked(call, "Accept");
    Reply reply =
        format.isPresent()
            ? Reply.text(format.get().mediaType(), format.get().write(tree))
            : Reply.ok(tree);
    return reply.withTag(EntityTag.of(tree));
  }

  /** Replaces the catalog by a tree, or returns the changes that this would make. */
  Reply put(Call call) throws IOException, RejectedException {
    String dryRun = call.parameter("dry_run").orElse("false");
    if (!dryRun.equals("true") && !dryRun.equals("false")) {
      throw ParameterFormat.refused("dry_run", "true or false", dryRun);
    }
    // one at a time: a large tree takes a good part of the heap
    synchronized (writes) {
      return dryRun.equals("true")
          ? replace(call, true)
          : writes.confirmed(change -> replace(change, false)).answer(call);
    }
  }

  private Reply replace(Call call, boolean dryRun) throws IOException, RejectedException {
    CatalogTree tree = CatalogTree.of(read(call));
    List<ItemChange<?>> changes =
        catalog.replace(tree, now -> EntityTag.check(call, shown(now)), dryRun);
    return Reply.ok(
        Map.of(
            "changes", changes.stream().map(ConfigResources::change).collect(Collectors.toList())));
  }

  private Map<CatalogKind<?>, List<Fields>> read(Call call) throws IOException, RejectedException {
    JsonInput<RejectedException> given = JsonInput.ofRequest(json(call)).only(LISTS);
    Map<CatalogKind<?>, List<Fields>> lists = new LinkedHashMap<>();
    for (CatalogKind<?> kind : Catalog.KINDS) {
      JsonInput<RejectedException> items = given.get(kind.listName());
      if (items.isThere()) {
        FieldNames names = FieldNames.of(kind);
        List<Fields> fields = new ArrayList<>();
        for (JsonInput<RejectedException> item : items.elements(kind.limit())) {
          fields.add(kind.fields(item.fields(names::here)));
        }
        lists.put(kind, fields);
      }
    }
    return lists;
  }

  private byte[] json(Call call) throws IOException, RejectedException {
    byte[] body = call.body().bytes(MAX_BYTES);
    Optional<TextFormat> format = asked(call, "Content-Type");
    if (format.isEmpty()) {
      if (call.header("Content-Type").orElse("").contains("yaml")) {
        throw new RejectedException(
            Reason.UNSUPPORTED_TYPE, "this controller reads JSON only", null);
      }
      return body;
    }
    try {
      return format.get().toJson(body);
    } catch (IOException e) {
      throw RejectedException.invalid(null, "the body is not valid YAML: " + e.getMessage());
    }
  }

  private Optional<TextFormat> asked(Call call, String header) {
    String value = call.header(header).orElse("");
    return formats.stream().filter(format -> value.contains(format.mediaType())).findFirst();
  }

  private static Map<String, Object> shown(CatalogSnapshot snapshot) {
    Map<String, Object> tree = new LinkedHashMap<>();
    for (CatalogKind<?> kind : Catalog.KINDS) {
      tree.put(kind.listName(), kind.allShown(snapshot).toList());
    }
    return tree;
  }

  private static <T extends CatalogItem> Map<String, @Nullable Object> change(
      ItemChange<T> change) {
    boolean isNew = change.before().isEmpty();
    return Json.fields(
        "kind", change.kind().noun().toLowerCase(Locale.ROOT),
        "id", change.id(),
        "action", isNew ? "add" : change.after().isPresent() ? "change" : "remove",
        "before", change.before().map(change.kind()::shown),
        "after", change.after().map(change.kind()::shown));
  }
}
