package io.malob.controller.staticentries;

import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import io.malob.resource.Call;
import io.malob.resource.Demand;
import io.malob.resource.Reply;
import io.malob.resource.RequestBody;
import io.malob.resource.RouteTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/** The static entries over HTTP, with Floodlight's paths. Safe for use by several threads. */
record StaticEntryResource(StaticEntries entries) {
  /** The routes to these entries. Floodlight clears them by GET. */
  static RouteTable routes(StaticEntries entries) {
    StaticEntryResource resource = new StaticEntryResource(entries);
    return RouteTable.ignoringParameters()
        .get("json", call -> Reply.ok(listed(entries.list(null))))
        .post("json", resource::post)
        .delete("json", resource::delete)
        // a body that is too large gets an error of this resource
        .demanding("json", new Demand(2 * RequestBody.USUAL_BYTES, false))
        .get("list/{switch}/json", call -> Reply.ok(listed(entries.list(switchOrAll(call)))))
        .changeByGet("clear/{switch}/json", resource::clear)
        .post("clear/{switch}/json", resource::clear)
        .delete("clear/{switch}/json", resource::clear);
  }

  private static @Nullable DatapathId switchOrAll(Call call) throws RejectedException {
    String text = call.variable("switch");
    return text.equals("all") ? null : StaticEntry.switchId("switch", text);
  }

  private Reply clear(Call call) throws RejectedException {
    List<StaticEntry> gone = entries.clear(switchOrAll(call));
    return changed(gone.size() + " entries deleted", gone);
  }

  private Reply post(Call call) throws IOException, RejectedException {
    StaticEntry entry = StaticEntry.of(StaticEntry.strings(body(call)));
    boolean told = entries.put(entry);
    return changed(
        told ? "Entry pushed" : "Entry stored until its switch accepts it", List.of(entry));
  }

  private Reply delete(Call call) throws IOException, RejectedException {
    String name = body(call).get("name").text().trim();
    StaticEntry gone =
        entries
            .remove(name)
            .orElseThrow(
                () -> RejectedException.notFound("name", "There is no entry \"" + name + "\""));
    return changed("Entry " + name + " deleted", List.of(gone));
  }

  /** A body that is too large is answered with 400 here, like every other wrong one. */
  private static JsonInput<RejectedException> body(Call call)
      throws IOException, RejectedException {
    try {
      return call.json();
    } catch (RejectedException e) {
      throw RejectedException.invalid(e.field().orElse(null), e.sentence());
    }
  }

  /** A connected switch may not have accepted the change yet. */
  private Reply changed(String status, List<StaticEntry> changed) {
    Map<String, String> body = Map.of("status", status);
    boolean isBehind =
        changed.stream().map(StaticEntry::switchId).distinct().anyMatch(entries::isBehind);
    return isBehind ? Reply.pending(body) : Reply.ok(body);
  }

  /** As in Floodlight: for each switch a list of objects, each with the entry under its name. */
  private static Map<String, List<Map<String, Object>>> listed(List<StaticEntry> entries) {
    Map<String, List<Map<String, Object>>> bySwitch = new LinkedHashMap<>();
    for (StaticEntry entry : entries) {
      bySwitch
          .computeIfAbsent(entry.switchId().toString(), any -> new ArrayList<>())
          .add(Map.of(entry.name(), entry.fields()));
    }
    return bySwitch;
  }
}
