package io.malob.controller.staticentries;

import com.google.common.collect.ImmutableMap;
import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowDeleteStrict;
import org.projectfloodlight.openflow.protocol.OFFlowModFlags;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/**
 * A rule that an operator has defined for a switch. Immutable, and valid for all versions.
 *
 * @param name its unique name
 * @param switchId its switch
 * @param active whether the switch should have it
 * @param place its rule's place in the switch, of which no other rule can have the same
 * @param cookie the cookie of its rule
 * @param fields all fields as texts, with Floodlight's names, in the order that they came
 */
record StaticEntry(
    String name,
    DatapathId switchId,
    boolean active,
    Place place,
    U64 cookie,
    ImmutableMap<String, String> fields) {
  /** What a switch tells rules apart by: a rule in the place of another one replaces it. */
  record Place(DatapathId switchId, TableId table, int priority, Match match) {}

  private static final int DEFAULT_PRIORITY = 32768;
  private static final int MAX_NAME = 256;
  private static final String ACTIONS = "actions";
  private static final String GOTO_TABLE = "instruction_goto_table";
  private static final String APPLY_ACTIONS = "instruction_apply_actions";
  private static final String WRITE_ACTIONS = "instruction_write_actions";
  private static final Set<String> OTHER_FIELDS =
      Set.of(
          "switch",
          "name",
          "table",
          "priority",
          "cookie",
          "active",
          "idle_timeout",
          "hard_timeout",
          ACTIONS,
          GOTO_TABLE,
          APPLY_ACTIONS,
          WRITE_ACTIONS);

  /** The fields of a JSON object, as texts. */
  static <X extends Exception> Map<String, String> strings(JsonInput<X> object) throws X {
    Map<String, String> strings = new LinkedHashMap<>();
    for (Map.Entry<String, JsonInput<X>> field : object.fields().entrySet()) {
      strings.put(field.getKey(), field.getValue().text());
    }
    return strings;
  }

  /** The entry of these fields. */
  static StaticEntry of(Map<String, String> fields) throws RejectedException {
    for (String field : fields.keySet()) {
      if (!OTHER_FIELDS.contains(field) && !MatchKind.exists(field)) {
        throw RejectedException.invalid(field, "There is no field \"" + field + "\"");
      }
    }
    String name = required(fields, "name").trim();
    if (name.isEmpty() || name.length() > MAX_NAME) {
      throw RejectedException.invalid("name", "name must have 1 to " + MAX_NAME + " characters");
    }
    OFFactory factory = OFFactories.getFactory(OFVersion.OF_13);
    DatapathId switchId = switchId("switch", required(fields, "switch"));
    Place place =
        new Place(
            switchId,
            TableId.of(number(fields, "table", 0, 0, 254)),
            number(fields, "priority", DEFAULT_PRIORITY, 0, 0xffff),
            MatchKind.match(factory, fields));
    StaticEntry entry =
        new StaticEntry(
            name,
            switchId,
            active(fields.getOrDefault("active", "true")),
            place,
            cookie(name, fields.get("cookie")),
            ImmutableMap.copyOf(fields));
    OFFlowAdd unused = entry.add(factory);
    return entry;
  }

  /** Reads a datapath id. */
  static DatapathId switchId(String field, String text) throws RejectedException {
    try {
      return DatapathId.of(text.trim());
    } catch (IllegalArgumentException e) {
      throw RejectedException.invalid(
          field, "\"" + text + "\" is not a datapath id like 00:00:00:00:00:00:00:01");
    }
  }

  private static String required(Map<String, String> fields, String field)
      throws RejectedException {
    String value = fields.get(field);
    if (value == null) {
      throw RejectedException.invalid(field, field + " is missing");
    }
    return value;
  }

  private static boolean active(String text) throws RejectedException {
    return switch (text.trim()) {
      case "true" -> true;
      case "false" -> false;
      default -> throw RejectedException.invalid("active", "active must be true or false");
    };
  }

  /** The message that writes the rule. */
  OFFlowAdd add(OFFactory factory) throws RejectedException {
    return factory
        .buildFlowAdd()
        .setTableId(place.table())
        .setPriority(place.priority())
        .setCookie(cookie)
        .setIdleTimeout(number(fields, "idle_timeout", 0, 0, 0xffff))
        .setHardTimeout(number(fields, "hard_timeout", 0, 0, 0xffff))
        .setFlags(Set.of(OFFlowModFlags.SEND_FLOW_REM))
        .setMatch(MatchKind.match(factory, fields))
        .setInstructions(instructions(factory))
        .build();
  }

  /** The message that deletes this rule and no other. */
  OFFlowDeleteStrict delete(OFFactory factory) throws RejectedException {
    return factory
        .buildFlowDeleteStrict()
        .setTableId(place.table())
        .setPriority(place.priority())
        .setMatch(MatchKind.match(factory, fields))
        .build();
  }

  /** Whether a message reports the end of this entry's rule. */
  boolean isRule(OFFlowRemoved removed) throws RejectedException {
    OFFactory factory = OFFactories.getFactory(removed.getVersion());
    return active
        && removed.getTableId().equals(place.table())
        && removed.getPriority() == place.priority()
        && removed.getCookie().equals(cookie)
        && removed.getMatch().equals(MatchKind.match(factory, fields));
  }

  private static int number(
      Map<String, String> fields, String field, int byDefault, int min, int max)
      throws RejectedException {
    String text = fields.get(field);
    return text == null ? byDefault : Values.number(field, text, min, max);
  }

  /** The cookie asked for, or one made of the name. */
  private static U64 cookie(String name, @Nullable String text) throws RejectedException {
    if (text == null) {
      return Cookie.of(CookieKind.STATIC_ENTRY, name.hashCode());
    }
    try {
      return U64.of(
          text.startsWith("0x")
              ? Long.parseUnsignedLong(text.substring(2), 16)
              : Long.parseLong(text.trim()));
    } catch (NumberFormatException e) {
      throw RejectedException.invalid("cookie", "cookie must be a 64-bit number");
    }
  }

  private List<OFInstruction> instructions(OFFactory factory) throws RejectedException {
    List<OFInstruction> instructions = new ArrayList<>();
    if (fields.containsKey(ACTIONS) && fields.containsKey(APPLY_ACTIONS)) {
      throw RejectedException.invalid(
          ACTIONS, ACTIONS + " and " + APPLY_ACTIONS + " mean the same: only one can be given");
    }
    for (String field : List.of(ACTIONS, APPLY_ACTIONS, WRITE_ACTIONS)) {
      String text = fields.get(field);
      if (text != null) {
        List<OFAction> actions = Actions.of(factory, field, text);
        instructions.add(
            field.equals(WRITE_ACTIONS)
                ? factory.instructions().writeActions(actions)
                : factory.instructions().applyActions(actions));
      }
    }
    if (fields.containsKey(GOTO_TABLE)) {
      int min = place.table().getValue() + 1;
      instructions.add(
          factory.instructions().gotoTable(TableId.of(number(fields, GOTO_TABLE, 0, min, 254))));
    }
    return instructions;
  }
}
