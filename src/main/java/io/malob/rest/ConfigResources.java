package io.malob.rest;

import com.google.common.collect.ImmutableMap;
import io.malob.module.TextFormat;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogChange;
import io.malob.state.catalog.CatalogException;
import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.CatalogKind;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.CatalogTree;
import io.malob.state.catalog.Fields;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The whole catalog as one tree. Safe for use by several threads. */
final class ConfigResources {
  /** Room for as many items as there can be. */
  static final int MOST_BYTES = 16 * 1024 * 1024;

  private static final ImmutableMap<String, UnaryOperator<String>> NAMES =
      Catalog.KINDS.stream()
          .collect(
              ImmutableMap.toImmutableMap(
                  CatalogKind::listName, kind -> FieldNames.of(kind)::here));

  private final Catalog catalog;
  private final List<TextFormat> formats;

  ConfigResources(Catalog catalog) {
    this.catalog = catalog;
    this.formats =
        ServiceLoader.load(TextFormat.class, TextFormat.class.getClassLoader()).stream()
            .map(ServiceLoader.Provider::get)
            .collect(Collectors.toList());
  }

  /** Answers a request to {@code /config}. */
  Reply answer(Call call) throws IOException, RefusedException {
    try {
      return switch (call.method()) {
        case "GET" -> get(call);
        case "POST", "PUT" -> put(call);
        default -> throw RefusedException.method(call.method(), "GET", "POST", "PUT");
      };
    } catch (CatalogException e) {
      throw RefusedException.of(e);
    }
  }

  private Reply get(Call call) throws RefusedException {
    call.checkNoParameters();
    Map<String, Object> tree = shown(catalog.snapshot());
    Optional<TextFormat> format = asked(call, "Accept");
    Object body =
        format.isPresent()
            ? new Reply.Text(format.get().mediaType(), format.get().write(tree))
            : tree;
    return Reply.ok(body).withTag(EntityTag.of(tree));
  }

  private Reply put(Call call) throws IOException, RefusedException, CatalogException {
    boolean dryRun = dryRun(call.query());
    Optional<String> ifMatch = call.headers().get("If-Match");
    CatalogTree tree = CatalogTree.of(read(call));
    List<CatalogChange> changes =
        catalog.replace(tree, now -> EntityTag.check(ifMatch, shown(now)), dryRun);
    return Reply.ok(
        Map.of(
            "changes", changes.stream().map(ConfigResources::change).collect(Collectors.toList())));
  }

  private static boolean dryRun(String query) throws RefusedException {
    String given = QueryParameters.read(query, Set.of("dry_run")).text("dry_run").orElse("false");
    if (!given.equals("true") && !given.equals("false")) {
      throw ParameterFormat.refused("dry_run", "true or false", given);
    }
    return given.equals("true");
  }

  private Map<CatalogKind<?>, List<Fields>> read(Call call) throws IOException, RefusedException {
    Map<String, List<Map<String, @Nullable Object>>> given =
        JsonFields.readLists(json(call), NAMES);
    Map<CatalogKind<?>, List<Fields>> lists = new LinkedHashMap<>();
    for (CatalogKind<?> kind : Catalog.KINDS) {
      @Nullable List<Map<String, @Nullable Object>> items = given.get(kind.listName());
      if (items != null) {
        List<Fields> fields = new ArrayList<>();
        for (Map<String, @Nullable Object> item : items) {
          fields.add(fields(kind, item, kind.listName() + "[" + fields.size() + "]."));
        }
        lists.put(kind, fields);
      }
    }
    return lists;
  }

  private static Fields fields(
      CatalogKind<?> kind, Map<String, @Nullable Object> item, String place)
      throws RefusedException {
    Map<String, @Nullable String> fields = new LinkedHashMap<>();
    for (Map.Entry<String, @Nullable Object> field : item.entrySet()) {
      @Nullable Object value = field.getValue();
      if ((value instanceof List || value instanceof Map) && !kind.takesParts(field.getKey())) {
        String name = place + field.getKey();
        throw new RefusedException(400, name + " must be a text or a number", name);
      }
      fields.put(field.getKey(), value == null ? null : Fields.text(value));
    }
    return Fields.of(fields);
  }

  private byte[] json(Call call) throws IOException, RefusedException {
    byte[] body = call.body().bytes(MOST_BYTES);
    Optional<TextFormat> format = asked(call, "Content-Type");
    if (format.isEmpty()) {
      if (call.headers().get("Content-Type").orElse("").contains("yaml")) {
        throw new RefusedException(415, "this controller reads JSON only", null);
      }
      return body;
    }
    try {
      return format.get().toJson(body);
    } catch (IOException e) {
      throw new RefusedException(400, "the body is not valid YAML: " + e.getMessage(), null);
    }
  }

  private Optional<TextFormat> asked(Call call, String header) {
    String value = call.headers().get(header).orElse("");
    return formats.stream().filter(format -> value.contains(format.mediaType())).findFirst();
  }

  private static Map<String, Object> shown(CatalogSnapshot snapshot) {
    Map<String, Object> tree = new LinkedHashMap<>();
    for (CatalogKind<?> kind : Catalog.KINDS) {
      tree.put(
          kind.listName(),
          kind.in(snapshot).values().stream()
              .map(CatalogItem::fields)
              .collect(Collectors.toList()));
    }
    return tree;
  }

  private static Map<String, @Nullable Object> change(CatalogChange change) {
    boolean isNew = change.before().isEmpty();
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("kind", change.kind().noun().toLowerCase(Locale.ROOT));
    line.put("id", change.id());
    line.put("action", isNew ? "add" : change.after().isPresent() ? "change" : "remove");
    line.put("before", change.before().map(CatalogItem::fields).orElse(null));
    line.put("after", change.after().map(CatalogItem::fields).orElse(null));
    return line;
  }
}
