package io.malob.controller.staticentries;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.resource.ResourceRoutable;
import io.malob.store.MemoryStore;
import io.malob.testing.ScriptedSwitch;
import io.malob.testing.Stub;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.types.DatapathId;
import org.restlet.Context;
import org.restlet.Request;
import org.restlet.Response;
import org.restlet.Restlet;
import org.restlet.data.MediaType;
import org.restlet.data.Method;

/** Entries for a connected switch that takes no messages for a while, because it does not read. */
class StuckSwitchTest {
  private static final DatapathId SWITCH = DatapathId.of(1);

  private final List<String> taken = new ArrayList<>();

  /** So many messages the switch still takes. */
  private int room;

  private @Nullable IOFSwitch connected =
      Stub.of(IOFSwitch.class)
          .on("getOFFactory", with -> ScriptedSwitch.FACTORY)
          .on("write", with -> write((OFFlowMod) with[0]))
          .make();

  private final StaticEntries entries =
      new StaticEntries(
          Stub.of(IOFSwitchService.class).on("getActiveSwitch", with -> connected).make(),
          new MemoryStore(Runnable::run));
  private final Restlet restlet =
      new ResourceRoutable("/wm/staticentrypusher", StaticEntryResource.routes(entries))
          .getRestlet(new Context());

  StuckSwitchTest() throws IOException {}

  private boolean write(OFFlowMod message) {
    if (room == 0) {
      return false;
    }
    room--;
    taken.add(message.getCommand() + " " + message.getPriority());
    return true;
  }

  @Test
  void changeThatTheSwitchHasNotTaken_is202AndSaysSo() {
    assertAnswer(
        202,
        "{\"status\":\"Entry stored until its switch accepts it\",\"in_force\":false}",
        post("one", 9));
    room = 1;
    assertAnswer(202, "{\"status\":\"Entry one deleted\",\"in_force\":false}", delete("one"));
    assertEquals(List.of("ADD 9"), taken);
    room = 9;
    assertAnswer(200, "{\"status\":\"Entry pushed\"}", post("two", 8));
    assertEquals(List.of("ADD 9", "DELETE_STRICT 9", "ADD 8"), taken, "nothing overtakes");
    assertAnswer(200, "{\"status\":\"Entry two deleted\"}", delete("two"));
  }

  @Test
  void clearThatTheSwitchHasNotTaken_is202AndSaysSo() {
    room = 2;
    post("one", 9);
    post("two", 8);
    assertAnswer(202, "{\"status\":\"2 entries deleted\",\"in_force\":false}", clear());
    room = 2;
    assertAnswer(200, "{\"status\":\"0 entries deleted\"}", clear());
  }

  @Test
  void whatTheSwitchHasNotTaken_isWrittenOnceItReads() throws Exception {
    post("one", 9);
    post("one", 10);
    post("two", 8);
    entries.catchUp();
    assertEquals(List.of(), taken);
    room = 9;
    entries.catchUp();
    assertEquals(List.of("ADD 10", "DELETE_STRICT 9", "ADD 8"), taken);
    entries.catchUp();
    assertEquals(3, taken.size(), "once");
  }

  @Test
  void switchThatComesBackAndTakesOnlySome_getsTheRestLater() throws Exception {
    room = 9;
    post("one", 9);
    post("two", 8);
    taken.clear();
    room = 1;
    entries.rewrite(SWITCH);
    assertEquals(List.of("ADD 9"), taken);
    room = 9;
    entries.catchUp();
    assertEquals(List.of("ADD 9", "ADD 8"), taken);
  }

  @Test
  void switchThatGoesBeforeItHasTakenAnything_getsWhatIsLeftWhenItIsBack() throws Exception {
    @Nullable IOFSwitch away = connected;
    post("one", 9);
    post("two", 8);
    delete("one");
    connected = null;
    assertAnswer(
        200, "{\"status\":\"Entry stored until its switch accepts it\"}", post("three", 7));
    entries.catchUp();
    connected = away;
    room = 9;
    entries.rewrite(SWITCH);
    assertEquals(List.of("DELETE_STRICT 9", "ADD 8", "ADD 7"), taken);
  }

  private Response post(String name, int priority) {
    return answer(
        Method.POST,
        "json",
        "{\"switch\":\"1\",\"name\":\"" + name + "\",\"priority\":" + priority + "}");
  }

  private Response delete(String name) {
    return answer(Method.DELETE, "json", "{\"name\":\"" + name + "\"}");
  }

  private Response clear() {
    return answer(Method.POST, "clear/all/json", "");
  }

  private Response answer(Method method, String path, String body) {
    Request request = new Request(method, "/wm/staticentrypusher/" + path);
    request.getResourceRef().setBaseRef("/wm/staticentrypusher");
    request.setEntity(body, MediaType.APPLICATION_JSON);
    Response response = new Response(request);
    restlet.handle(request, response);
    return response;
  }

  private static void assertAnswer(int status, String text, Response response) {
    assertEquals(text, response.getEntityAsText());
    assertEquals(status, response.getStatus().getCode());
  }
}
