package io.malob.state.catalog;

import com.google.common.collect.ImmutableSet;
import io.malob.file.DamagedException;
import io.malob.file.StateFile;
import io.malob.json.Json;
import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import java.io.IOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The JSON text of a whole catalog: one array for each kind, with the numbers for cookies. */
final class CatalogFormat {
  /**
   * 2: members have an {@code admin_state}, which version 1 would treat as damage. 3: there are
   * health monitors, backups, allowed sources and limits, and members may have no weight. 4: VIPs
   * have a {@code placement}. 5: there are load balancers, VIPs, pools and monitors have an {@code
   * admin_state}, and items have notes; VIPs and members may have a {@code vlan}.
   */
  private static final int VERSION = 5;

  /** The first versions with kinds that were not there from the beginning. */
  private static final Map<CatalogKind<?>, Integer> FIRST_VERSIONS =
      Map.of(Catalog.MONITORS, 3, Catalog.LOAD_BALANCERS, 5);

  private static final String NUMBER = "number";

  /** Values that a missing field stands for. */
  private static final Set<Object> EMPTY = Set.of("", List.of(), Map.of());

  private static final ImmutableSet<String> FIELDS =
      Stream.concat(
              Stream.of("version", "last_vip_number", "last_member_number"),
              Catalog.KINDS.stream().map(CatalogKind::listName))
          .collect(ImmutableSet.toImmutableSet());

  private CatalogFormat() {}

  /** The bytes for a snapshot. */
  static byte[] write(CatalogSnapshot snapshot) throws IOException {
    CatalogTables tables = snapshot.tables();
    Map<String, @Nullable Object> root =
        Json.fields(
            "version", VERSION,
            "last_vip_number", tables.lastNumber(Catalog.VIPS),
            "last_member_number", tables.lastNumber(Catalog.MEMBERS));
    for (CatalogKind<?> kind : Catalog.KINDS) {
      root.put(kind.listName(), stored(tables, kind));
    }
    return Json.indentedBytes(root);
  }

  private static <T extends CatalogItem> List<?> stored(CatalogTables tables, CatalogKind<T> kind) {
    return tables.of(kind).values().stream()
        .map(
            item -> {
              Map<String, @Nullable Object> fields = kind.shown(item);
              fields.entrySet().removeIf(CatalogFormat::isEmpty);
              if (kind.maxNumber() != 0) {
                fields.put(NUMBER, kind.numberOf(item));
              }
              return fields;
            })
        .toList();
  }

  /** Without a name, the id is one, so an empty name is stored. */
  private static boolean isEmpty(Map.Entry<String, @Nullable Object> field) {
    @Nullable Object value = field.getValue();
    return value == null || (!field.getKey().equals("name") && EMPTY.contains(value));
  }

  /**
   * The snapshot of these bytes.
   *
   * @throws DamagedException if they are not what {@link #write} makes
   * @throws IOException if a later version of this program wrote them
   */
  static CatalogSnapshot read(byte[] bytes) throws DamagedException, IOException {
    JsonInput<DamagedException> root = StateFile.parse(bytes);
    int version = root.get("version").whole(1, Integer.MAX_VALUE);
    if (version > VERSION) {
      throw new IOException(
          "the catalog has format "
              + version
              + ", which a later version wrote; this version reads formats up to "
              + VERSION);
    }
    root.only(FIELDS);
    CatalogTables tables = CatalogTables.empty();
    for (CatalogKind<?> kind : Catalog.KINDS) {
      if (version >= FIRST_VERSIONS.getOrDefault(kind, 1)) {
        tables = withAll(tables, root, kind);
      }
    }
    tables =
        tables
            .withLastNumber(Catalog.VIPS, root.get("last_vip_number").whole(0, Vip.MAX_NUMBER))
            .withLastNumber(
                Catalog.MEMBERS, root.get("last_member_number").whole(0, Member.MAX_NUMBER));
    CatalogSnapshot snapshot = new CatalogSnapshot(withDefault(tables), null);
    for (CatalogKind<?> kind : Catalog.KINDS) {
      checkAll(root, snapshot, kind);
    }
    return snapshot;
  }

  private static <T extends CatalogItem> CatalogTables withAll(
      CatalogTables tables, JsonInput<DamagedException> root, CatalogKind<T> kind)
      throws DamagedException {
    int maxNumber = kind.maxNumber();
    Map<String, T> items = new LinkedHashMap<>();
    Set<Integer> numbers = new HashSet<>();
    for (JsonInput<DamagedException> node : root.get(kind.listName()).elements()) {
      int number = maxNumber == 0 ? 0 : node.get(NUMBER).whole(1, maxNumber);
      if (maxNumber != 0 && !numbers.add(number)) {
        throw DamagedException.at(node.get(NUMBER), "is a duplicate");
      }
      T item = readItem(node, number, kind);
      if (items.put(item.id(), item) != null) {
        throw DamagedException.at(node.get("id"), "is a duplicate");
      }
    }
    return tables.with(kind, Collections.unmodifiableMap(items));
  }

  private static <T extends CatalogItem> T readItem(
      JsonInput<DamagedException> node, int number, CatalogKind<T> kind) throws DamagedException {
    Map<String, JsonInput<DamagedException>> fields = node.fields();
    fields.remove(NUMBER);
    try {
      // earlier versions accepted control characters in notes
      Fields given = kind.fields(fields).withoutControls();
      @Nullable String id = given.get("id");
      if (id == null) {
        throw RejectedException.invalid("id", "id is required");
      }
      return kind.read(new FieldReader<>(kind, given, FieldFormat.ID.parse("id", id), number));
    } catch (RejectedException e) {
      throw damaged(node, e);
    }
  }

  /** Names the wrong field, if known. */
  private static DamagedException damaged(JsonInput<DamagedException> item, RejectedException e)
      throws DamagedException {
    JsonInput<DamagedException> at = item;
    if (e.field().isPresent() && item.get(e.field().get()).isThere()) {
      at = item.get(e.field().get());
    }
    return DamagedException.at(at, "is not valid: " + e.getMessage());
  }

  private static CatalogTables withDefault(CatalogTables tables) {
    Map<String, Service> services = tables.of(Catalog.SERVICES);
    return services.containsKey(Service.DEFAULT_ID)
        ? tables
        : tables.with(
            Catalog.SERVICES, CatalogTables.plus(services, List.of(Service.defaultEntry())));
  }

  private static <T extends CatalogItem> void checkAll(
      JsonInput<DamagedException> root, CatalogSnapshot snapshot, CatalogKind<T> kind)
      throws DamagedException {
    int index = 0;
    for (T item : kind.in(snapshot).values()) {
      try {
        kind.check(snapshot, item);
      } catch (RejectedException e) {
        // an added default service has no position in the file
        List<JsonInput<DamagedException>> nodes = root.get(kind.listName()).elements();
        throw index < nodes.size()
            ? damaged(nodes.get(index), e)
            : DamagedException.in(root, e.toString());
      }
      index++;
    }
  }
}
