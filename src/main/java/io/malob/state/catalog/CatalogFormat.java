package io.malob.state.catalog;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import java.util.function.ToIntFunction;

/** The JSON text of a whole catalog: one array for each kind, with the numbers for cookies. */
final class CatalogFormat {
  /**
   * 2: members have an {@code admin_state}, which version 1 would treat as damage. 3: there are
   * health monitors, backups, allowed sources and limits, and members may have no weight. 4: VIPs
   * have a {@code placement}. 5: there are load balancers, VIPs, pools and monitors have an {@code
   * admin_state}, and items have notes.
   */
  private static final int VERSION = 5;

  private static final String NUMBER = "number";

  /** Values that a missing field stands for; without a name, the id is one. */
  private static final Set<Object> EMPTY = Set.of("", List.of(), Map.of());

  private static final Set<String> FIELDS =
      Set.of(
          "version",
          "last_vip_number",
          "last_member_number",
          "load_balancers",
          "vips",
          "pools",
          "members",
          "services",
          "health_monitors");

  private CatalogFormat() {}

  /** The bytes for a snapshot. */
  static byte[] write(CatalogSnapshot snapshot) throws IOException {
    CatalogTables tables = snapshot.tables();
    ObjectNode root = Json.object();
    root.put("version", VERSION);
    root.put("last_vip_number", tables.lastVipNumber());
    root.put("last_member_number", tables.lastMemberNumber());
    writeAll(root.putArray("load_balancers"), tables.loadBalancers(), balancer -> 0);
    writeAll(root.putArray("vips"), tables.vips(), Vip::number);
    writeAll(root.putArray("pools"), tables.pools(), pool -> 0);
    writeAll(root.putArray("members"), tables.members(), Member::number);
    writeAll(root.putArray("services"), tables.services(), service -> 0);
    writeAll(root.putArray("health_monitors"), tables.monitors(), monitor -> 0);
    return Json.indentedBytes(root);
  }

  private static <T extends CatalogItem> void writeAll(
      ArrayNode list, Map<String, T> items, ToIntFunction<T> numberOf) {
    for (T item : items.values()) {
      ObjectNode object = list.addObject();
      item.fields()
          .forEach(
              (name, value) -> {
                if (value != null && (name.equals("name") || !EMPTY.contains(value))) {
                  object.putPOJO(name, value);
                }
              });
      if (numberOf.applyAsInt(item) != 0) {
        object.put(NUMBER, numberOf.applyAsInt(item));
      }
    }
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
    CatalogTables tables =
        new CatalogTables(
            version < 5 ? Map.of() : readAll(root, "load_balancers", Catalog.LOAD_BALANCERS, 0),
            readAll(root, "vips", Catalog.VIPS, Vip.MAX_NUMBER),
            readAll(root, "pools", Catalog.POOLS, 0),
            readAll(root, "members", Catalog.MEMBERS, Member.MAX_NUMBER),
            withDefault(readAll(root, "services", Catalog.SERVICES, 0)),
            version < 3 ? Map.of() : readAll(root, "health_monitors", Catalog.MONITORS, 0),
            root.get("last_vip_number").whole(0, Vip.MAX_NUMBER),
            root.get("last_member_number").whole(0, Member.MAX_NUMBER));
    CatalogSnapshot snapshot = new CatalogSnapshot(tables, null);
    checkAll(root, "load_balancers", snapshot, Catalog.LOAD_BALANCERS);
    checkAll(root, "vips", snapshot, Catalog.VIPS);
    checkAll(root, "pools", snapshot, Catalog.POOLS);
    checkAll(root, "members", snapshot, Catalog.MEMBERS);
    checkAll(root, "services", snapshot, Catalog.SERVICES);
    checkAll(root, "health_monitors", snapshot, Catalog.MONITORS);
    return snapshot;
  }

  private static <T extends CatalogItem> Map<String, T> readAll(
      JsonInput<DamagedException> root, String list, CatalogKind<T> kind, int maxNumber)
      throws DamagedException {
    Map<String, T> items = new LinkedHashMap<>();
    Set<Integer> numbers = new HashSet<>();
    for (JsonInput<DamagedException> node : root.get(list).elements()) {
      int number = maxNumber == 0 ? 0 : node.get(NUMBER).whole(1, maxNumber);
      if (maxNumber != 0 && !numbers.add(number)) {
        throw DamagedException.at(node.get(NUMBER), "is a duplicate");
      }
      T item = readItem(node, number, kind);
      if (items.put(item.id(), item) != null) {
        throw DamagedException.at(node.get("id"), "is a duplicate");
      }
    }
    return Collections.unmodifiableMap(items);
  }

  private static <T extends CatalogItem> T readItem(
      JsonInput<DamagedException> node, int number, CatalogKind<T> kind) throws DamagedException {
    Map<String, JsonInput<DamagedException>> fields = node.fields();
    fields.remove(NUMBER);
    try {
      // earlier versions accepted control characters in notes
      FieldReader reader =
          new FieldReader(kind.fields(fields).withoutControls(), kind.fieldNames());
      String id = reader.required("id", null, FieldFormat::id);
      return kind.read(reader, id, number, null);
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

  private static Map<String, Service> withDefault(Map<String, Service> services) {
    return services.containsKey(Service.DEFAULT_ID)
        ? services
        : CatalogTables.plus(services, Service.defaultEntry());
  }

  private static <T extends CatalogItem> void checkAll(
      JsonInput<DamagedException> root, String list, CatalogSnapshot snapshot, CatalogKind<T> kind)
      throws DamagedException {
    int index = 0;
    for (T item : kind.in(snapshot).values()) {
      try {
        kind.check(snapshot, item);
      } catch (RejectedException e) {
        // an added default service has no position in the file
        List<JsonInput<DamagedException>> nodes = root.get(list).elements();
        throw index < nodes.size()
            ? damaged(nodes.get(index), e)
            : DamagedException.in(root, e.toString());
      }
      index++;
    }
  }
}
