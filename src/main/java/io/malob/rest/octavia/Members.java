package io.malob.rest.octavia;

import io.malob.json.RejectedException;
import io.malob.rest.octavia.Attributes.When;
import io.malob.state.catalog.AdminState;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogDraft;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Fields;
import io.malob.state.catalog.Member;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The members of a pool. Weight 0 drains. */
final class Members extends ObjectType<Member> {
  static final Attributes<Member> ATTRIBUTES =
      new Attributes<>(Catalog.MEMBERS)
          .copied(When.NEW, "address", "protocol_port")
          .copied(When.ANY, "weight", "backup", "monitor_address", "monitor_port")
          .shown(
              "weight",
              (member, view) -> member.adminState() == AdminState.DRAIN ? 0 : member.weight())
          .kept(When.NEW, "subnet_id")
          .shown("vnic_type", (member, view) -> "normal")
          .refusedAndHidden("there is no network service that makes ports", "request_sriov")
          .filteredBy(
              "address",
              "protocol_port",
              "weight",
              "backup",
              "monitor_address",
              "monitor_port",
              "subnet_id");

  private final String poolId;

  Members(String poolId) {
    super("member", Catalog.MEMBERS, ATTRIBUTES);
    this.poolId = poolId;
  }

  @Override
  boolean hasDescription() {
    return false;
  }

  @Override
  Collection<Member> all(CatalogSnapshot catalog) {
    return catalog.membersOfPool(poolId);
  }

  @Override
  Optional<Member> find(CatalogSnapshot catalog, String id) {
    return Catalog.MEMBERS.find(catalog, id).filter(member -> poolId.equals(member.poolId()));
  }

  @Override
  String create(CatalogDraft draft, Body body) throws RejectedException {
    return draft.create(Catalog.MEMBERS, ofNew(body)).id();
  }

  /** Adds members. */
  void createAll(CatalogDraft draft, List<Body> bodies) throws RejectedException {
    List<Fields> members = new ArrayList<>();
    for (Body body : bodies) {
      checkNew(body);
      members.add(ofNew(body));
    }
    draft.createAll(Catalog.MEMBERS, members);
  }

  private Fields ofNew(Body body) throws RejectedException {
    body.required("address");
    body.required("protocol_port");
    return changesOfNew(body, Map.of()).put("pool_id", poolId).fields();
  }

  @Override
  void update(CatalogDraft draft, Member member, Body body) throws RejectedException {
    draft.update(Catalog.MEMBERS, member.id(), ofChange(member, body));
  }

  private Fields ofChange(Member member, Body body) throws RejectedException {
    Changes changes = changes(body);
    boolean isDrained = member.adminState() == AdminState.DRAIN;
    if (isDrained && body.text("weight") != null && !body.has("admin_state_up")) {
      changes.put("admin_state", "0".equals(body.text("weight")) ? "drain" : "up");
    }
    return changes.fields();
  }

  /**
   * Makes these the members of the pool: those at the same address and port are changed, others
   * added, and the rest deleted unless the new ones are additional.
   */
  void replace(CatalogDraft draft, List<Body> wanted, boolean areAdditional)
      throws RejectedException {
    Map<String, Member> rest = new HashMap<>();
    for (Member member : all(draft.snapshot())) {
      rest.put(member.address() + " " + member.port(), member);
    }
    List<Body> added = new ArrayList<>();
    Map<String, Fields> changed = new LinkedHashMap<>();
    for (Body body : wanted) {
      String place = body.required("address") + " " + body.required("protocol_port");
      @Nullable Member there = rest.remove(place);
      if (there == null) {
        added.add(body);
      } else {
        checkNew(body);
        changed.put(there.id(), ofChange(there, body));
      }
    }
    if (!areAdditional) {
      draft.deleteAll(Catalog.MEMBERS, rest.values().stream().map(Member::id).toList());
    }
    draft.updateAll(Catalog.MEMBERS, changed);
    createAll(draft, added);
  }
}
