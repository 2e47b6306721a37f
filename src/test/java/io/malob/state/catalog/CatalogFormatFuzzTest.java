package io.malob.state.catalog;

import io.malob.file.DamagedException;
import io.malob.store.MemoryStore;
import io.malob.testing.FuzzCorpus;
import io.malob.testing.ReaderFuzz;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class CatalogFormatFuzzTest {
  @Test
  void corpus_isReadOrDamaged_howeverItIsSpoiled() throws Exception {
    FuzzCorpus.run("catalog.txt", 5_000, CatalogFuzz::fuzzerTestOneInput);
  }

  @Test
  void spoiledCatalog_isReadOrDamaged() throws Exception {
    Catalog catalog = Catalog.open(new MemoryStore(Runnable::run));
    CatalogFixture fixture = new CatalogFixture(catalog);
    fixture.pool("id", "p");
    catalog.create(
        Catalog.VIPS,
        Fields.of("id", "v", "protocol", "tcp", "address", "10.0.0.100", "port", "80"));
    catalog.update(Catalog.POOLS, "p", Fields.of("vip_id", "v"));
    catalog.create(
        Catalog.MEMBERS,
        Fields.of("id", "m", "address", "10.0.0.1", "port", "8080", "pool_id", "p", "weight", "3"));
    catalog.create(Catalog.MONITORS, Fields.of("id", "h", "pool_id", "p", "type", "TCP"));
    catalog.create(
        Catalog.LOAD_BALANCERS,
        Fields.of("id", "l", "address", "10.0.0.100", "tags", "a,b", "external_ids", "k=v"));
    catalog.update(Catalog.POOLS, "p", Fields.of("load_balancer_id", "l"));
    String file = new String(CatalogFormat.write(catalog.snapshot()), StandardCharsets.UTF_8);
    new ReaderFuzz(file)
        .check(CatalogFormat::read, e -> e instanceof DamagedException || e instanceof IOException);
  }
}
