package io.malob.state.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.json.RejectedException;
import io.malob.store.MemoryStore;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpMonitorTest {
  private final Catalog catalog = Catalog.open(new MemoryStore(Runnable::run));

  HttpMonitorTest() throws IOException {}

  private Map<String, @Nullable Object> create(String... more) throws RejectedException {
    Fields fields = Fields.of("id", "h");
    for (int i = 0; i < more.length; i += 2) {
      fields = fields.with(more[i], more[i + 1]);
    }
    return Catalog.MONITORS.shown(catalog.create(Catalog.MONITORS, fields).item());
  }

  @Test
  void httpMonitor_asksForTheRootAnd200_unlessToldOtherwise() throws RejectedException {
    Map<String, @Nullable Object> fields = create("type", "HTTP");

    assertEquals("GET", fields.get("http_method"));
    assertEquals("/", fields.get("url_path"));
    assertEquals("200", fields.get("expected_codes"));
    assertEquals(null, fields.get("expected_body"));
  }

  @Test
  void monitorThatBecomesATcpMonitor_hasNoHttpFieldsAnyMore() throws RejectedException {
    var unused = create("type", "HTTP", "url_path", "/up");

    Monitor monitor = catalog.update(Catalog.MONITORS, "h", Fields.of("type", "TCP"));

    assertEquals(null, Catalog.MONITORS.shown(monitor).get("url_path"));
  }

  @ParameterizedTest
  @CsvSource({
    "http_method, PUT",
    "url_path, up",
    "url_path, /a b",
    "url_path, /%zz",
    "url_path, /a#b",
    "url_path, /ä",
    "expected_codes, 600",
    "expected_codes, 204-200",
    "expected_codes, '200,'",
    "expected_codes, all"
  })
  void valueThatMeansNothing_isRefused_namingTheField(String field, String value) {
    RejectedException refused =
        assertThrows(RejectedException.class, () -> create("type", "HTTP", field, value));

    assertEquals(Optional.of(field), refused.field());
  }

  @Test
  void fieldOfHttp_isRefusedForOtherTypes() {
    RejectedException refused =
        assertThrows(RejectedException.class, () -> create("type", "PING", "url_path", "/up"));

    assertEquals(Optional.of("url_path"), refused.field());
  }

  @Test
  void statusCodes_areSinglesAndRanges() throws RejectedException {
    StatusCodes codes = StatusCodes.parse("expected_codes", "200, 301-303");

    assertTrue(codes.contains(200) && codes.contains(301) && codes.contains(303));
    assertFalse(codes.contains(201) || codes.contains(304));
  }
}
