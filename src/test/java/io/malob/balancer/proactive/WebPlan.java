package io.malob.balancer.proactive;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Counting;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.api.PlacementCounts;
import io.malob.balancer.view.PoolView;
import io.malob.balancer.view.ServicePlan;
import io.malob.json.RejectedException;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Fields;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import io.malob.store.MemoryStore;
import io.malob.testing.Stub;
import java.io.IOException;
import org.projectfloodlight.openflow.types.DatapathId;

/** A VIP of port 80 at 10.0.0.100 with members at one switch, where its clients are, too. */
record WebPlan(CatalogSnapshot catalog, ServicePlan plan) {

  static WebPlan of(DatapathId edge, ImmutableList<Server> members)
      throws IOException, RejectedException {
    Catalog catalog = Catalog.open(new MemoryStore(Runnable::run));
    Vip vip =
        catalog
            .create(
                Catalog.VIPS,
                Fields.of("id", "v", "address", "10.0.0.100", "protocol", "TCP", "port", "80"))
            .item();
    Pool pool = catalog.create(Catalog.POOLS, Fields.of("id", "p", "vip_id", "v")).item();
    CatalogSnapshot snapshot = catalog.snapshot();
    Path within = Path.within(edge);
    Placer placer =
        Stub.of(Placer.class)
            .on("placeOn", with -> new Placement((Server) with[0], within, within))
            .make();
    ServicePlan plan =
        new ServicePlan(
            vip,
            pool,
            new PoolView(members, ImmutableList.of(), Counting.PLACED_SINCE),
            2,
            snapshot.choiceFor(vip, pool, Protocol.TCP, 80),
            placer,
            false,
            false,
            new ServiceProfile(),
            new PlacementCounts.Tally());
    return new WebPlan(snapshot, plan);
  }
}
