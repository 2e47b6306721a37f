package io.malob.state.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.json.RejectedException.Reason;
import io.malob.store.FileStore;
import io.malob.store.Store;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The catalog on the disk. */
class StoredCatalogTest {
  private static final int WRITES_BEFORE_KILL = 60;

  @TempDir Path directory;

  @Test
  void catalog_isTheSameAfterARestart() throws Exception {
    CatalogTables before;
    try (Store store = store()) {
      CatalogFixture fixture = new CatalogFixture(Catalog.open(store));
      fixture.vip("id", "gone", "address", "10.0.0.99");
      fixture.vip("id", "v", "name", "Wäb \"x\"", "address", "10.0.0.100", "protocol", "icmp");
      fixture.pool("id", "p", "name", "", "vip_id", "v", "lb_method", "LC");
      fixture.member("id", "m", "address", "10.0.0.1", "port", "0", "pool_id", "p");
      fixture.member("id", "n", "address", "10.0.0.2", "weight", "9", "admin_state", "drain");
      fixture.vip("id", "w", "address", "10.0.0.101", "allowed_sources", "10.0.0.0/8, 172.16.0.9");
      fixture.pool("id", "q", "slow_start", "60", "session_persistence", "SOURCE_IP");
      fixture.member("id", "o", "address", "10.0.0.3", "weight", "0", "backup", "true");
      fixture.catalog.update(Catalog.VIPS, "w", Fields.of("connection_limit", "7"));
      fixture.catalog.update(Catalog.MEMBERS, "o", Fields.of("connection_limit", "8"));
      fixture.vip("id", "x", "address", "10.0.0.102", "port", "80", "protocol", "tcp");
      fixture.catalog.update(Catalog.VIPS, "x", Fields.of("placement", "proactive"));
      fixture.service("id", "s", "port", "65535", "algorithm", "WRR");
      fixture.catalog.update(Catalog.SERVICES, "default", Fields.of("algorithm", "LC"));
      fixture.catalog.delete(Catalog.VIPS, "gone");
      before = fixture.now().tables();
    }
    assertEquals(before, reloaded().tables());
    assertEquals(List.of("m", "n", "o"), List.copyOf(reloaded().members().keySet()));
    // a member keeps port 0 when the pool that made it an ICMP type is gone
    try (Store store = store()) {
      Catalog.open(store).delete(Catalog.POOLS, "p");
    }
    assertEquals(0, reloaded().members().get("m").port());
    assertEquals(List.of("catalog.json", "catalog.json.last-good", "catalog.lock"), files());
  }

  /** Its services table was made by an earlier version, or by an operator. */
  @Test
  void storedCatalog_getsNoShippedServices() throws Exception {
    Files.writeString(
        directory.resolve("catalog.json"),
        "{\"version\":1,\"last_vip_number\":0,\"last_member_number\":0,\"vips\":[],"
            + "\"pools\":[],\"members\":[],\"services\":[{\"id\":\"default\","
            + "\"service_name\":\"Default\",\"protocol\":null,\"port\":null,"
            + "\"algorithm\":\"RR+SPH\"}]}");
    assertEquals(List.of("default"), List.copyOf(reloaded().services().keySet()));
    assertEquals("RR+SPH", reloaded().services().get("default").algorithm().name());
  }

  @Test
  void memberStoredByAnEarlierVersion_isUp() throws Exception {
    Files.writeString(
        directory.resolve("catalog.json"),
        "{\"version\":1,\"last_vip_number\":0,\"last_member_number\":1,\"vips\":[],"
            + "\"pools\":[],\"services\":[],\"members\":[{\"id\":\"m\",\"address\":\"10.0.0.1\","
            + "\"port\":null,\"pool_id\":null,\"weight\":1,\"number\":1}]}");
    assertEquals(AdminState.UP, reloaded().members().get("m").adminState());
  }

  /** The files are as those versions have written them. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void catalogOfEachFormat_isRead_andWrittenInTheLatest(int format) throws Exception {
    Path file = directory.resolve("catalog.json");
    try (InputStream earlier =
        StoredCatalogTest.class.getResourceAsStream(
            "/state-files/earlier/catalog-" + format + ".json")) {
      Files.copy(earlier, file);
    }
    CatalogSnapshot before = reloaded();
    assertEquals("10.0.0.100", before.vips().get("web").address().toString());
    assertEquals(
        format < 4 ? PlacementMode.REACTIVE : PlacementMode.AUTO,
        before.vips().get("web").placement());
    assertEquals("web", before.pools().get("web-servers").vipId());
    assertEquals(3, before.members().get("m1").weight());
    assertEquals(
        format == 1 ? AdminState.UP : AdminState.DRAIN, before.members().get("m2").adminState());
    assertEquals(format < 5 ? "m1" : "first", before.members().get("m1").name());
    assertEquals(format < 5 ? null : 8081, before.members().get("m1").monitorPort());
    assertEquals(format < 5 ? null : "shop", before.pools().get("web-servers").loadBalancerId());
    assertEquals(format < 5 ? 0 : 1, before.loadBalancers().size());
    assertEquals("WRR", before.services().get("shop").algorithm().name().substring(0, 3));
    try (Store store = store()) {
      new CatalogFixture(Catalog.open(store)).pool("id", "new");
    }
    assertTrue(Files.readString(file).contains("\"version\" : 5"));
    assertEquals(before.loadBalancers(), reloaded().loadBalancers());
    assertEquals(before.vips(), reloaded().vips());
    assertEquals(before.members(), reloaded().members());
  }

  @Test
  void missingFile_isACatalogWithTheShippedServicesAlone() throws Exception {
    assertEquals(4, reloaded().services().size());
    assertTrue(reloaded().vips().isEmpty());
    assertEquals(CatalogTables.empty(), reloaded().tables());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{\"version\":1}",
        "not json",
        "{\"version\":1,\"vips\":[{\"id\":\"v\"",
        "{\"version\":1,\"last_vip_number\":0,\"last_member_number\":0,\"vips\":[],\"members\":[],"
            + "\"services\":[],\"pools\":[{\"id\":\"p\",\"vip_id\":\"none\"}]}"
      })
  void damagedFile_isLeftAsItIs_andIsNoEmptyCatalog(String text) throws Exception {
    Files.writeString(directory.resolve("catalog.json"), text);
    IOException e = assertThrows(IOException.class, this::reloaded);
    assertTrue(e.getMessage().contains(directory.resolve("catalog.json") + " is damaged"));
    assertTrue(e.getMessage().contains("there is no good copy of it"), e.getMessage());
    assertEquals(List.of("catalog.json", "catalog.lock"), files());
    assertEquals(text, Files.readString(directory.resolve("catalog.json")));
  }

  /** The place is that of the item, or of its field; what the copy has is the latest version. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"last_vip | \"lost_vip | line 3, column 3: lost_vip_number is not known",
        "\"10.0.0.1\" | \"10.0x0.1\" | members[1].address is not valid",
        "\"weight\" | \"wieght\" | members[0].wieght is not valid",
        "\"number\" : 1 | \"number\" : x | not valid JSON",
        "\"pools\" | \"pool_\" | pool_ is not known",
        "\"id\" : \"n\" | \"id\" : \"m\" | members[1].id is a duplicate",
        "\"pool_id\" : \"p\" | \"pool_id\" : \"q\" | pool_id is not valid",
        "\"vips\" : [ | \"vips\" : { | not valid JSON",
        "\"proactive\" | \"Otto\" | vips[0].placement is not valid",
        "\"tcp\" | \"icmp\" | vips[0].protocol is not valid"
      })
  void oneWrongByte_isNamed_andTheCopyRestoresAll(String right, String wrong, String what)
      throws Exception {
    try (Store store = store()) {
      CatalogFixture fixture = new CatalogFixture(Catalog.open(store));
      fixture.vip("id", "v", "address", "10.0.0.100", "protocol", "tcp", "port", "80");
      fixture.catalog.update(Catalog.VIPS, "v", Fields.of("placement", "proactive"));
      fixture.pool("id", "p");
      fixture.member("id", "m", "address", "10.0.0.2", "pool_id", "p");
      fixture.member("id", "n", "address", "10.0.0.1", "weight", "9");
    }
    CatalogTables before = reloaded().tables();
    Path file = directory.resolve("catalog.json");
    Path copy = directory.resolve("catalog.json.last-good");
    String text = Files.readString(file);
    int at = text.indexOf(right);
    assertTrue(at >= 0, text);
    String spoiled = text.substring(0, at) + wrong + text.substring(at + right.length());
    Files.writeString(file, spoiled);

    String message = assertThrows(IOException.class, this::reloaded).getMessage();

    assertTrue(message.contains(what), message);
    int line = (int) spoiled.substring(0, at).lines().count();
    assertTrue(message.contains("line " + line + ", column "), message);
    assertTrue(message.contains("\"cp -p " + copy + " " + file + "\" restores it"), message);
    Files.copy(copy, file, StandardCopyOption.REPLACE_EXISTING);
    assertEquals(before, reloaded().tables());
  }

  /** Earlier versions accepted them in notes. */
  @Test
  void controlCharactersInNotes_areReadAsBlanks() throws Exception {
    try (Store store = store()) {
      new CatalogFixture(Catalog.open(store)).pool("id", "p", "description", "two|lines");
    }
    Path file = directory.resolve("catalog.json");
    Files.writeString(file, Files.readString(file).replace("two|lines", "two\\nlines"));
    assertEquals("two lines", reloaded().pools().get("p").notes().description());
  }

  @Test
  void fileOfALaterVersion_isLeftAlone() throws Exception {
    Files.writeString(directory.resolve("catalog.json"), "{\"version\":6}");
    assertThrows(IOException.class, this::reloaded);
    assertEquals("{\"version\":6}", Files.readString(directory.resolve("catalog.json")));
  }

  @Test
  void halfWrittenNewFile_doesNotCount() throws Exception {
    try (Store store = store()) {
      new CatalogFixture(Catalog.open(store)).pool("id", "p");
    }
    Files.writeString(directory.resolve("catalog.json.new"), "{\"version\":1,\"vi");
    assertEquals("[p]", reloaded().pools().keySet().toString());
  }

  @Test
  void secondStoreInTheDirectory_isRefused() throws Exception {
    try (Store store = store()) {
      Catalog.open(store);
      IOException e = assertThrows(IOException.class, this::reloaded);
      assertTrue(e.getMessage().startsWith("another controller uses the data directory"));
      Catalog.open(store);
    }
    reloaded();
  }

  /** Root may write anywhere, so that a directory in the way stands for a disk that refuses. */
  @Test
  void failedWrite_changesNothing_andALaterOneSucceeds() throws Exception {
    try (Store store = store()) {
      CatalogFixture fixture = new CatalogFixture(Catalog.open(store));
      fixture.pool("id", "p");
      Files.createDirectory(directory.resolve("catalog.json.new"));
      fixture.refused(Reason.NOT_STORED, null, () -> fixture.pool("id", "q"));
      fixture.refused(Reason.NOT_STORED, null, () -> fixture.catalog.delete(Catalog.POOLS, "p"));
      Files.delete(directory.resolve("catalog.json.new"));
      fixture.pool("id", "q");
    }
    assertEquals("[p, q]", reloaded().pools().keySet().toString());
  }

  @Test
  @Timeout(60)
  void acknowledgedWrites_surviveKill() throws Exception {
    Process writer =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                EndlessCatalogWriter.class.getName(),
                directory.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String last = null;
    try (BufferedReader acknowledged = writer.inputReader(StandardCharsets.UTF_8)) {
      int count = 0;
      String line = acknowledged.readLine();
      while (line != null) {
        if (line.startsWith("m")) {
          last = line;
          count++;
          if (count == WRITES_BEFORE_KILL) {
            writer.toHandle().destroyForcibly(); // SIGKILL; what it had said can still be read
          }
        }
        line = acknowledged.readLine();
      }
      assertTrue(count >= WRITES_BEFORE_KILL, "wrote " + count);
    } finally {
      writer.destroyForcibly();
      assertTrue(writer.waitFor(20, TimeUnit.SECONDS));
    }
    assertNotEquals(null, last);
    CatalogSnapshot after = reloaded();
    for (int i = 0; i <= Integer.parseInt(last.substring(1)); i++) {
      assertTrue(after.members().containsKey("m" + i), "m" + i);
    }
    assertTrue(files().stream().noneMatch(name -> name.contains("damaged")));
  }

  private Store store() {
    return FileStore.inDirectory(directory, Runnable::run);
  }

  private CatalogSnapshot reloaded() throws IOException {
    try (Store store = store()) {
      return Catalog.open(store).snapshot();
    }
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().collect(Collectors.toList());
    }
  }
}
