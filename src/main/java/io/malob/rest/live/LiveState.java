package io.malob.rest.live;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.json.Json;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogKind;
import io.malob.state.catalog.CatalogSnapshot;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state at one moment: links and members have the same positions as their numbers in {@link
 * LiveRates}. Immutable; equal if it shows the same, as a catalog is new only if it has changed.
 *
 * @param topology switches and links
 * @param links the links, in order
 * @param catalog load balancers, VIPs, pools, members, services and monitors; its members are shown
 *     up to a limit
 * @param hosts the hosts attached to switches
 */
record LiveState(
    Topology topology,
    ImmutableList<DirectedLink> links,
    CatalogSnapshot catalog,
    ImmutableList<SeenHost> hosts) {
  /** The max number of shown members; REST shows all. */
  static final int MAX_MEMBERS = 5_000;

  /** As a JSON object. */
  Map<String, Object> shown() {
    Map<String, @Nullable Object> shown =
        Json.fields(
            "switches", topology.switches(),
            "links", links.stream().map(LinkEnds::of).toList(),
            "hosts", hosts);
    for (CatalogKind<?> kind : Catalog.KINDS) {
      boolean isMembers = kind == Catalog.MEMBERS;
      int max = isMembers ? MAX_MEMBERS : Integer.MAX_VALUE;
      shown.put(kind.listName(), kind.allShown(catalog).limit(max).toList());
      if (isMembers) {
        shown.put("members_left_out", Math.max(0, catalog.members().size() - MAX_MEMBERS));
      }
    }
    return shown;
  }
}
