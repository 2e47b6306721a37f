package io.malob.state.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.Algorithm;
import io.malob.state.catalog.CatalogException.Reason;
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

  @Test
  void newTable_hasTheDefaultEntryOnly() {
    assertEquals(
        "[Service[id=default, name=Default, protocol=null, port=null, algorithm="
            + Algorithm.DEFAULT
            + "]]",
        fixture.now().services().values().toString());
  }

  @Test
  void sameService_isThereAlready_evenWithLessSaid() throws Exception {
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
