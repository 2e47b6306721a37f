package io.malob.controller.staticentries;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.file.DamagedException;
import io.malob.json.RejectedException;
import io.malob.store.MemoryStore;
import io.malob.store.Store;
import io.malob.testing.ScriptedSwitch;
import io.malob.testing.Stub;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.types.DatapathId;

/** Static entries of two controllers that share a store; one is the switch's master. */
class SharedEntriesTest {
  private static final DatapathId SWITCH = DatapathId.of(1);

  private final Store store = new MemoryStore(Runnable::run);
  private final Controller left = new Controller();
  private final Controller right = new Controller();

  SharedEntriesTest() throws IOException {}

  private final class Controller {
    final List<String> written = new ArrayList<>();
    final StaticEntries entries;
    boolean isMaster;

    Controller() throws IOException {
      IOFSwitch sw =
          Stub.of(IOFSwitch.class)
              .on("getOFFactory", with -> ScriptedSwitch.FACTORY)
              .on("write", with -> write((OFFlowMod) with[0]))
              .make();
      entries =
          new StaticEntries(
              Stub.of(IOFSwitchService.class)
                  .on("getActiveSwitch", with -> isMaster ? sw : null)
                  .make(),
              store);
    }

    private boolean write(OFFlowMod message) {
      return written.add(message.getCommand() + " " + message.getPriority());
    }

    void becomesMaster() {
      isMaster = true;
      entries.rewrite(SWITCH);
    }

    List<String> names() {
      return entries.list(null).stream().map(StaticEntry::name).toList();
    }
  }

  private static StaticEntry entry(String name, int priority) throws RejectedException {
    return StaticEntry.of(
        Map.of("switch", "1", "name", name, "priority", Integer.toString(priority)));
  }

  private void bothFollow() {
    left.entries.follow();
    right.entries.follow();
  }

  @Test
  void entryOfOneController_isKnownToTheOther_andWrittenByTheMaster() throws Exception {
    bothFollow();
    left.becomesMaster();
    assertTrue(!right.entries.put(entry("one", 9)), "not accepted from this controller");
    right.entries.put(entry("one", 10));
    assertEquals(List.of("one"), left.names());
    right.entries.remove("one");
    assertEquals(List.of("ADD 9", "ADD 10", "DELETE_STRICT 9", "DELETE_STRICT 10"), left.written);
    assertEquals(List.of(), left.names());
    assertEquals(List.of(), right.written);
  }

  @Test
  void newMaster_writesAllRules_andDeletesOnlyThoseThatBelongToNoEntry() throws Exception {
    bothFollow();
    left.becomesMaster();
    left.entries.put(entry("kept", 9));
    left.entries.put(entry("gone", 8));
    left.entries.put(entry("replaced", 7));
    left.entries.remove("gone");
    left.entries.remove("replaced");
    left.entries.put(entry("instead", 7));
    right.becomesMaster();
    assertEquals(List.of("DELETE_STRICT 8", "ADD 9", "ADD 7"), right.written);
  }

  @Test
  void entryInThePlaceOfARemovedOne_getsItsRuleBack() throws Exception {
    left.becomesMaster();
    left.entries.put(entry("one", 9));
    left.entries.put(entry("two", 9));
    left.entries.remove("two");
    left.entries.remove("one");
    assertEquals(List.of("ADD 9", "ADD 9", "ADD 9", "DELETE_STRICT 9"), left.written);
  }

  @Test
  void changesOfTwoControllersThatDoNotKnowEachOthers_areBothMade() throws Exception {
    left.entries.put(entry("left", 9));
    right.entries.put(entry("right", 8));
    left.entries.remove("right");
    assertEquals(List.of("left"), left.names());
    assertEquals(List.of("left"), new Controller().names(), "those of a controller that starts");
  }

  @Test
  void damagedDocument_isNamedByItsEntry() {
    DamagedException e =
        assertThrows(
            DamagedException.class,
            () ->
                EntryFormat.read(
                    "{\"entries\":[{\"switch\":\"1\",\"name\":\"a\",\"priority\":\"-1\"}]}"
                        .getBytes(StandardCharsets.UTF_8)));
    assertTrue(
        e.getMessage()
            .endsWith(
                "entries[0] is no entry: priority must be a number from 0 to 65535, but is \"-1\""),
        e.getMessage());
  }
}
