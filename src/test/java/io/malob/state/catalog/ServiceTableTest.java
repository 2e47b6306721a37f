package io.malob.state.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.json.RejectedException.Reason;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The rules for the services table. */
class ServiceTableTest {
  private CatalogFixture fixture;
  private Catalog catalog;

  @BeforeEach
  void open() throws Exception {
    fixture = CatalogFixture.inMemory();
    catalog = fixture.catalog;
  }

  /** The table with nothing but the default entry, which takes turns. */
  private void clear() throws Exception {
    for (String id : List.of("http", "ftp", "bioapp")) {
      catalog.delete(Catalog.SERVICES, id);
    }
    catalog.update(Catalog.SERVICES, "default", Fields.of("algorithm", "RR"));
  }

  @Test
  void newTable_isThatOfTheThesis() {
    assertEquals(
        List.of("HTTP 80 SL-PS", "FTP 21 HT-PS", "BioApp 6789 CPU+SPL", "Default null SL-PS"),
        fixture.now().services().values().stream()
            .map(entry -> entry.name() + " " + entry.port() + " " + entry.algorithm().name())
            .toList());
    assertTrue(
        fixture.now().services().values().stream().allMatch(entry -> entry.protocol() == null));
    assertTrue(fixture.now().services().get("default").isDefault());
  }

  /** An operator deletes what was shipped, and puts it back as the thesis has it. */
  @Test
  void shippedEntries_areEntriesLikeAllOthers() throws Exception {
    clear();
    assertEquals(Set.of("default"), fixture.now().services().keySet());
    Fields bioApp = Fields.of("service_name", "BioApp ", "algorithm", "3", "port", "6789");
    assertTrue(catalog.create(Catalog.SERVICES, bioApp).isNew());
    assertFalse(catalog.create(Catalog.SERVICES, bioApp).isNew());
  }

  @Test
  void sameService_isThereAlready_evenWithLessSaid() throws Exception {
    clear();
    Fields http = Fields.of("service_name", "HTTP", "port", "80", "algorithm", "LC");
    Service service = catalog.create(Catalog.SERVICES, http).item();
    CatalogSnapshot before = fixture.now();
    Creation<Service> again = catalog.create(Catalog.SERVICES, http.with("id", service.id()));
    assertFalse(again.isNew());
    assertSame(service, again.item());
    assertSame(service, fixture.service("port", "80", "algorithm", "lc+sph"));
    assertSame(before, fixture.now());
  }

  @Test
  void takenPort_isRefused_alsoForAChange() throws Exception {
    clear();
    fixture.service("id", "http", "service_name", "HTTP", "port", "80", "algorithm", "LC");
    fixture.service("id", "ftp", "port", "21", "algorithm", "LC");
    refusedPort("port", "80", "algorithm", "RR");
    refusedPort("port", "80", "algorithm", "LC", "service_name", "Web");
    refusedPort("port", "80", "algorithm", "LC", "id", "web");
    fixture.refused(
        Reason.CONFLICT,
        "port",
        () -> catalog.update(Catalog.SERVICES, "ftp", Fields.of("port", "80")));
    fixture.service("port", "80", "protocol", "tcp", "algorithm", "RR");
  }

  @Test
  void withoutPort_itIsTheDefaultEntry() throws Exception {
    clear();
    assertSame(
        fixture.now().services().get("default"),
        fixture.service("service_name", "Other", "algorithm", "RR"));
    refusedPort("algorithm", "LC");
    catalog.update(Catalog.SERVICES, "default", Fields.of("algorithm", "LC"));
    Vip vip = fixture.vip("address", "10.0.0.100");
    assertEquals("LC+SPH", fixture.now().algorithmFor(vip, null, Protocol.TCP, 1).name());
  }

  @Test
  void defaultEntry_staysWhatItIs() throws Exception {
    clear();
    fixture.refused(Reason.CONFLICT, null, () -> catalog.delete(Catalog.SERVICES, "default"));
    fixture.refused(
        Reason.INVALID,
        "port",
        () -> catalog.update(Catalog.SERVICES, "default", Fields.of("port", "80")));
    fixture.refused(
        Reason.INVALID,
        "protocol",
        () -> catalog.update(Catalog.SERVICES, "default", Fields.of("protocol", "tcp")));
    fixture.service("id", "http", "port", "80", "algorithm", "LC");
    fixture.refused(
        Reason.INVALID,
        "port",
        () -> catalog.update(Catalog.SERVICES, "http", Fields.of("port", null)));
    fixture.refused(Reason.INVALID, "algorithm", () -> fixture.service("port", "81"));
  }

  @Test
  void hasService_countsEntriesOfTheProtocolOrOfAll_notTheDefault() throws Exception {
    clear();
    fixture.service("port", "21", "algorithm", "RR");
    fixture.service("port", "53", "protocol", "udp", "algorithm", "RR");

    assertTrue(fixture.now().hasService(Protocol.TCP, 21));
    assertTrue(fixture.now().hasService(Protocol.UDP, 53));
    assertFalse(fixture.now().hasService(Protocol.TCP, 53));
    assertFalse(fixture.now().hasService(Protocol.TCP, 80));
  }

  private void refusedPort(String... fields) {
    fixture.refused(Reason.CONFLICT, "port", () -> fixture.service(fields));
  }
}
