package io.malob.rest;

import io.malob.json.RejectedException;
import io.malob.state.catalog.AdminState;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A member in OpenStack's form; a member with weight 0 is drained. */
final class LbaasMember extends LbaasFormat<Member> {
  private static final String NONE = "0";

  LbaasMember() {
    super(
        "member",
        Catalog.MEMBERS,
        "id",
        "address",
        "protocol_port",
        "weight",
        "backup",
        "admin_state_up");
  }

  @Override
  Map<String, @Nullable String> read(Map<String, @Nullable String> given) throws RejectedException {
    Map<String, @Nullable String> fields = new LinkedHashMap<>();
    copy(given, "id", fields, "id");
    copy(given, "address", fields, "address");
    copy(given, "protocol_port", fields, "port");
    copy(given, "backup", fields, "backup");
    @Nullable String up = given.get("admin_state_up");
    boolean drained = NONE.equals(given.get("weight"));
    if (given.containsKey("weight") && !drained) {
      copy(given, "weight", fields, "weight");
      fields.put("admin_state", AdminState.UP.text());
    }
    if (drained) {
      fields.put("admin_state", AdminState.DRAIN.text());
    }
    if (up != null && !up.equals("true") && !up.equals("false")) {
      throw ParameterFormat.refused("admin_state_up", "true or false", up);
    }
    if ("false".equals(up)) {
      fields.put("admin_state", AdminState.DOWN.text());
    } else if ("true".equals(up) && !drained) {
      fields.put("admin_state", AdminState.UP.text());
    }
    return fields;
  }

  @Override
  Map<String, @Nullable Object> shown(Member member, CatalogSnapshot catalog, LbaasStatus status) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("id", member.id());
    shown.put("name", member.id());
    shown.put("address", member.address().toString());
    shown.put("protocol_port", member.port());
    shown.put("weight", member.adminState() == AdminState.DRAIN ? 0 : member.weight());
    shown.put("backup", member.backup());
    shown.put("admin_state_up", member.adminState() != AdminState.DOWN);
    shown.put("provisioning_status", "ACTIVE");
    shown.put("operating_status", status.of(member));
    return shown;
  }
}
