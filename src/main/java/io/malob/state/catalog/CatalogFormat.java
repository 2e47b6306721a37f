package io.malob.state.catalog;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** The JSON text of a whole catalog: one list for each kind, with the numbers for cookies. */
final class CatalogFormat {
  /**
   * 2: members have an {@code admin_state}, which version 1 would take for damage. 3: there are
   * health monitors, backups, allowed sources and limits, and members may have no weight.
   */
  private static final int VERSION = 3;

  private static final String NUMBER = "number";
  private static final ObjectMapper JSON = new ObjectMapper();

  private CatalogFormat() {}

  /** The text is no catalog, or one with contradictions in it. */
  static final class DamagedException extends Exception {
    private static final long serialVersionUID = 1L;

    DamagedException(String message) {
      super(message);
    }
  }

  /** The bytes for a snapshot. */
  static byte[] write(CatalogSnapshot snapshot) throws IOException {
    CatalogTables tables = snapshot.tables();
    ObjectNode root = JSON.createObjectNode();
    root.put("version", VERSION);
    root.put("last_vip_number", tables.lastVipNumber());
    root.put("last_member_number", tables.lastMemberNumber());
    writeAll(root.putArray("vips"), tables.vips(), Vip::number);
    writeAll(root.putArray("pools"), tables.pools(), pool -> 0);
    writeAll(root.putArray("members"), tables.members(), Member::number);
    writeAll(root.putArray("services"), tables.services(), service -> 0);
    writeAll(root.putArray("health_monitors"), tables.monitors(), monitor -> 0);
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(root);
  }

  private static <T extends CatalogItem> void writeAll(
      ArrayNode list, Map<String, T> items, ToIntFunction<T> numberOf) {
    for (T item : items.values()) {
      ObjectNode object = list.addObject();
      item.fields().forEach(object::putPOJO);
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
    JsonNode root = parse(bytes);
    int version = root.path("version").asInt();
    if (version > VERSION) {
      throw new IOException(
          "the catalog has format " + version + " of a later version; this one knows " + VERSION);
    }
    if (version < 1) {
      throw new DamagedException("no version in it");
    }
    CatalogTables tables =
        new CatalogTables(
            readAll(root, "vips", Catalog.VIPS, Vip::number, Vip.MAX_NUMBER),
            readAll(root, "pools", Catalog.POOLS, null, 0),
            readAll(root, "members", Catalog.MEMBERS, Member::number, Member.MAX_NUMBER),
            withDefault(readAll(root, "services", Catalog.SERVICES, null, 0)),
            version < 3 ? Map.of() : readAll(root, "health_monitors", Catalog.MONITORS, null, 0),
            lastNumber(root, "last_vip_number", Vip.MAX_NUMBER),
            lastNumber(root, "last_member_number", Member.MAX_NUMBER));
    CatalogSnapshot snapshot = new CatalogSnapshot(tables, null);
    checkAll(snapshot, Catalog.VIPS);
    checkAll(snapshot, Catalog.POOLS);
    checkAll(snapshot, Catalog.MEMBERS);
    checkAll(snapshot, Catalog.SERVICES);
    checkAll(snapshot, Catalog.MONITORS);
    return snapshot;
  }

  private static JsonNode parse(byte[] bytes) throws DamagedException, IOException {
    try {
      return JSON.readTree(bytes);
    } catch (JsonProcessingException e) {
      throw new DamagedException(e.getOriginalMessage());
    }
  }

  private static int lastNumber(JsonNode root, String field, int most) throws DamagedException {
    int number = root.path(field).asInt(-1);
    if (number < 0 || number > most) {
      throw new DamagedException(field + " is missing or out of range");
    }
    return number;
  }

  private static <T extends CatalogItem> Map<String, T> readAll(
      JsonNode root,
      String list,
      CatalogKind<T> kind,
      @Nullable ToIntFunction<T> numberOf,
      int mostNumber)
      throws DamagedException {
    JsonNode nodes = root.path(list);
    if (!nodes.isArray()) {
      throw new DamagedException(list + " is missing");
    }
    Map<String, T> items = new LinkedHashMap<>();
    Set<Integer> numbers = new HashSet<>();
    for (JsonNode node : nodes) {
      T item = readItem(list, node, kind);
      int number = numberOf == null ? 0 : numberOf.applyAsInt(item);
      boolean goodNumber =
          numberOf == null || (number >= 1 && number <= mostNumber && numbers.add(number));
      if (items.put(item.id(), item) != null || !goodNumber) {
        throw new DamagedException(list + ": id or number of " + item.id() + " is not its own");
      }
    }
    return Collections.unmodifiableMap(items);
  }

  private static <T extends CatalogItem> T readItem(String list, JsonNode node, CatalogKind<T> kind)
      throws DamagedException {
    Map<String, @Nullable String> values = new LinkedHashMap<>();
    Iterator<String> names = node.fieldNames();
    while (names.hasNext()) {
      String name = names.next();
      JsonNode value = node.path(name);
      values.put(name, value.isNull() ? null : Fields.text(parts(value)));
    }
    values.remove(NUMBER);
    try {
      FieldReader reader = new FieldReader(Fields.of(values), kind.fieldNames());
      String id = reader.required("id", null, FieldFormat::id);
      return kind.read(reader, id, node.path(NUMBER).asInt(0), null);
    } catch (CatalogException e) {
      throw new DamagedException(list + ": " + e.getMessage());
    }
  }

  private static Object parts(JsonNode value) {
    if (value.isObject()) {
      Map<String, String> parts = new LinkedHashMap<>();
      value.fieldNames().forEachRemaining(name -> parts.put(name, value.path(name).asText()));
      return parts;
    }
    List<String> items = new ArrayList<>();
    value.forEach(each -> items.add(each.asText()));
    return value.isArray() ? items : value.asText();
  }

  private static Map<String, Service> withDefault(Map<String, Service> services) {
    return services.containsKey(Service.DEFAULT_ID)
        ? services
        : CatalogTables.plus(services, Service.defaultEntry());
  }

  private static <T extends CatalogItem> void checkAll(
      CatalogSnapshot snapshot, CatalogKind<T> kind) throws DamagedException {
    for (T item : kind.in(snapshot).values()) {
      try {
        kind.check(snapshot, item);
      } catch (CatalogException e) {
        throw new DamagedException(kind.noun() + " " + item.id() + ": " + e.getMessage());
      }
    }
  }
}
