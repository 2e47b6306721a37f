package io.malob.state.network;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.json.RejectedException;
import io.malob.store.FileStore;
import io.malob.store.MemoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

class ConfiguredCapacitiesTest {
  private static final PortId PORT = new PortId(DatapathId.of(1), OFPort.of(2));
  private static final PortId OTHER = new PortId(DatapathId.of(0xffL << 56), OFPort.of(1));

  @TempDir Path directory;

  @Test
  void capacities_areThereAfterARestart() throws Exception {
    ConfiguredCapacities capacities = open();
    capacities.set(PORT, 50e6);
    capacities.set(OTHER, 0.5);
    assertEquals(Map.of(PORT, 50e6, OTHER, 0.5), open().all());
  }

  @Test
  void capacity_thatIsSetAgain_tellsWhatItWas() throws Exception {
    ConfiguredCapacities capacities = open();
    assertEquals(Optional.empty(), capacities.set(PORT, 1));
    assertEquals(Optional.of(1.0), capacities.set(PORT, 2));
    assertEquals(Map.of(PORT, 2.0), open().all());
  }

  @Test
  void capacity_thatIsTakenAway_isGoneForGood() throws Exception {
    ConfiguredCapacities capacities = open();
    capacities.set(PORT, 1);
    assertEquals(Optional.of(1.0), capacities.remove(PORT));
    assertEquals(Optional.empty(), capacities.remove(PORT));
    assertEquals(Map.of(), open().all());
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY, 1.1e13})
  void capacity_thatCannotBe_isRefused(double bitsPerSecond) throws Exception {
    ConfiguredCapacities capacities = open();
    assertThrows(IllegalArgumentException.class, () -> capacities.set(PORT, bitsPerSecond));
    assertTrue(capacities.all().isEmpty());
  }

  @Test
  void capacity_thatCannotBeStored_changesNothing() throws Exception {
    ConfiguredCapacities capacities = open();
    capacities.set(PORT, 1);
    Files.createDirectory(directory.resolve("capacities.json.new"));
    assertThrows(RejectedException.class, () -> capacities.set(PORT, 2));
    assertThrows(RejectedException.class, () -> capacities.remove(PORT));
    assertEquals(Map.of(PORT, 1.0), capacities.all());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "{\"version\":2,\"capacities\":[]}",
        "{\"version\":1}",
        "{\"version\":1,\"capacities\":[{\"switch\":\"x\",\"port\":1,\"bits_per_second\":1}]}",
        "{\"version\":1,\"capacities\":[{\"switch\":\"1\",\"port\":1}]}"
      })
  void file_thatIsDamaged_isRefused_andTheCopyRestoresIt(String text) throws Exception {
    open().set(PORT, 50e6);
    Path file = directory.resolve("capacities.json");
    Files.writeString(file, text);
    String message = assertThrows(IOException.class, this::open).getMessage();
    assertTrue(message.startsWith(file + " is damaged: "), message);
    assertTrue(message.contains(text.isEmpty() ? "the file is empty" : "line 1, column "), message);
    assertEquals(text, Files.readString(file));
    Path copy = directory.resolve("capacities.json.last-good");
    assertTrue(message.contains("\"cp -p " + copy + " " + file + "\" restores it"), message);
    Files.copy(copy, file, StandardCopyOption.REPLACE_EXISTING);
    assertEquals(Map.of(PORT, 50e6), open().all());
  }

  /** As two controllers would have them; they are told of nothing here. */
  @Test
  void changesOfTwo_areBothKept() throws Exception {
    MemoryStore store = new MemoryStore(never -> {});
    ConfiguredCapacities ours = ConfiguredCapacities.open(store);
    ConfiguredCapacities theirs = ConfiguredCapacities.open(store);
    theirs.set(PORT, 1);
    assertEquals(Optional.empty(), ours.set(OTHER, 2));
    assertEquals(Map.of(PORT, 1.0, OTHER, 2.0), ours.all());
    assertEquals(Optional.of(1.0), theirs.remove(PORT));
    assertEquals(Map.of(OTHER, 2.0), theirs.all());
  }

  @Test
  void changeOfAnother_isSeen() throws Exception {
    MemoryStore store = new MemoryStore(Runnable::run);
    ConfiguredCapacities ours = ConfiguredCapacities.open(store);
    ConfiguredCapacities.open(store).set(PORT, 1);
    assertEquals(Map.of(PORT, 1.0), ours.all());
  }

  private ConfiguredCapacities open() throws IOException {
    return ConfiguredCapacities.open(FileStore.inDirectory(directory, Runnable::run));
  }
}
