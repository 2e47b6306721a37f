package io.malob.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.json.RejectedException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restlet.Context;
import org.restlet.Request;
import org.restlet.Response;
import org.restlet.Restlet;
import org.restlet.data.MediaType;
import org.restlet.data.Method;
import org.restlet.representation.InputRepresentation;
import org.restlet.representation.Representation;

/** The table of routes behind Restlet: what is dispatched, and what is answered without it. */
class RouteTableTest {
  private static final String BASE = "/wm/things";

  /** What resources were asked for, in order. */
  private final List<String> asked = new ArrayList<>();

  private final RouteTable routes =
      new RouteTable()
              .get("", call -> asked("all"))
              .get("items", Set.of("limit"), call -> asked("items " + call.parameter("limit")))
              .post("items", call -> asked("new " + call.json().get("name").string()))
              .get("items/{id}", call -> asked("one " + call.variable("id")))
              .put("items/{id}", call -> asked("put " + call.variable("id")).withStatus(201))
              .get("items/{id}/parts/{part}", call -> asked(call.variables().toString()))
              .changeByGet("clear/{which}", call -> asked("clear"))
              .delete("clear/{which}", call -> Reply.nothing())
              .stream(
                  "events", call -> Reply.ok(new Endless()).withHeader("Cache-Control", "no-store"))
              .get("state", call -> Reply.text("text/plain", "ü").withTag("\"t1\"").revalidated())
              .get("broken", RouteTableTest::broken);

  private Reply asked(String what) {
    asked.add(what);
    return Reply.ok(List.of(what));
  }

  private static Reply broken(Call call) {
    throw new IllegalStateException("a bug");
  }

  private static final class Endless implements StreamedBody {
    @Override
    public String mediaType() {
      return "text/plain";
    }

    @Override
    public void write(OutputStream out) throws IOException {
      out.write('x');
    }

    @Override
    public void close() {
      // holds nothing
    }
  }

  private static Request request(String method, String path) {
    Request request = new Request(Method.valueOf(method), "http://localhost" + BASE + path);
    request.getResourceRef().setBaseRef("http://localhost" + BASE);
    return request;
  }

  private Response handle(Request request) {
    Restlet restlet = new ResourceRoutable(BASE, routes).getRestlet(new Context());
    Response response = new Response(request);
    restlet.handle(request, response);
    return response;
  }

  private Response send(String method, String path) {
    return handle(request(method, path));
  }

  private static int status(Response response) {
    return response.getStatus().getCode();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET | '' | all",
        "GET | / | all",
        "GET | /items | items Optional.empty",
        "GET | /items/ | items Optional.empty",
        "GET | /items?limit=7 | items Optional[7]",
        "HEAD | /items | items Optional.empty",
        "GET | /items/a%2Fb | one a/b",
        "GET | /items/7/parts/x%20y/ | {id=7, part=x y}",
        "PUT | /items/7 | put 7"
      })
  void request_comesToItsResource(String method, String path, String expected) {
    Response response = send(method, path);
    assertTrue(response.getStatus().isSuccess(), response.getEntityAsText());
    assertEquals(List.of(expected), asked);
  }

  @Test
  void reply_isSentAsItIs() {
    assertEquals("[\"put 7\"]", send("PUT", "/items/7").getEntityAsText());
    assertEquals(201, status(send("PUT", "/items/7")));
    assertEquals(204, status(send("DELETE", "/clear/x")));
    Response text = send("GET", "/state");
    assertEquals("ü", text.getEntityAsText());
    assertEquals("text/plain", text.getEntity().getMediaType().getName());
    assertEquals("UTF-8", text.getEntity().getCharacterSet().getName());
    assertEquals("no-cache", text.getCacheDirectives().get(0).getName());
  }

  @Test
  void reply_thatTheClientHas_isNotSentAgain() {
    Request same = request("GET", "/state");
    same.getHeaders().add("If-None-Match", "\"t1\"");
    assertEquals(304, status(handle(same)));
    Request other = request("GET", "/state");
    other.getHeaders().add("If-None-Match", "\"t2\"");
    assertEquals(200, status(handle(other)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/item", "/items/1/parts", "//items", "/items/1/2/3/4", "x", "/clear"})
  void pathThatIsNotThere_is404(String path) {
    assertEquals(404, status(send("GET", path)));
    assertEquals(List.of(), asked);
  }

  @Test
  void emptySegment_isASegment() {
    send("GET", "/items//");
    assertEquals(List.of("one "), asked);
  }

  @Test
  void pathThatIsNotThere_canBeAnsweredWithThoseThatAre() throws Exception {
    RouteTable listing =
        RouteTable.listing()
            .get("a/b/c", call -> Reply.nothing())
            .get("a/{x}/d", call -> Reply.nothing())
            .get("e", call -> Reply.nothing());
    assertEquals("there is nothing at /x here, only a, e", sentence(listing, "/x"));
    assertEquals("there is nothing at /a here, only b, {x}", sentence(listing, "/a"));
    assertEquals("there is nothing at /a/b/x here, only c, d", sentence(listing, "/a/b/x"));
    assertEquals("there is nothing at /e/x here, only a, e", sentence(listing, "/e/x"));
  }

  private static String sentence(RouteTable table, String path) {
    Response response = new Response(request("GET", path));
    new ResourceRoutable(BASE, table)
        .getRestlet(new Context())
        .handle(response.getRequest(), response);
    assertEquals(404, status(response));
    return response.getEntityAsText().replaceAll("\\{\"error\":\"(.*)\",\"field\":null\\}", "$1");
  }

  @ParameterizedTest
  @CsvSource({
    "DELETE, /items, GET POST",
    "OPTIONS, /items/1, GET PUT",
    "POST, /events, GET",
    "HEAD, /events, GET",
    "HEAD, /clear/x, DELETE GET"
  })
  void methodThatIsNotThere_is405WithThoseThatAre(String method, String path, String allowed) {
    Response response = send(method, path);
    assertEquals(405, status(response));
    Set<String> names = new TreeSet<>();
    response.getAllowedMethods().forEach(each -> names.add(each.getName()));
    assertEquals(allowed, String.join(" ", names));
    assertEquals(
        "{\"error\":\"" + BASE + path + " does not allow " + method + "\",\"field\":null}",
        response.getEntityAsText());
  }

  @ParameterizedTest
  @CsvSource({
    "/items?colour=red, colour",
    "/items?limit=, limit",
    "/items?limit=1&limit=2, limit",
    "/items/1?limit=1, limit"
  })
  void parameterThatIsUnknownEmptyOrThereTwice_is400WithItsName(String path, String name) {
    Response response = send("GET", path);
    assertEquals(400, status(response));
    assertTrue(
        response.getEntityAsText().endsWith("\"field\":\"" + name + "\"}"),
        response.getEntityAsText());
    assertEquals(List.of(), asked);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/old?_=1", "/old?a&a", "/old?x=%zz"})
  void parameters_canBeIgnored(String path) {
    RouteTable ignoring = RouteTable.ignoringParameters().get("old", call -> Reply.ok("there"));
    Response response = new Response(request("GET", path));
    new ResourceRoutable(BASE, ignoring)
        .getRestlet(new Context())
        .handle(response.getRequest(), response);
    assertEquals(200, status(response));
  }

  @Test
  void urlThatIsNotWellEncoded_is400() {
    assertEquals(400, status(send("GET", "/items?limit=%zz")));
  }

  @Test
  void body_isReadAsJsonAndHasALimit() {
    Request good = request("POST", "/items");
    good.setEntity("{\"name\":\"x\"}", MediaType.TEXT_PLAIN);
    assertEquals("[\"new x\"]", handle(good).getEntityAsText());
    Request wrong = request("POST", "/items");
    wrong.setEntity("{\"name\":1}", MediaType.APPLICATION_JSON);
    assertEquals(
        "{\"error\":\"name must be a string, not 1\",\"field\":\"name\"}",
        handle(wrong).getEntityAsText());
    assertEquals(400, status(send("POST", "/items")), "no body");
    Request large = request("POST", "/items");
    large.setEntity(" ".repeat(RequestBody.USUAL_BYTES + 1), MediaType.APPLICATION_JSON);
    assertEquals(413, status(handle(large)));
  }

  @Test
  void bodyThatBreaksOff_is400() {
    Request request = request("POST", "/items");
    request.setEntity(
        new InputRepresentation(
            new InputStream() {
              @Override
              public int read() throws IOException {
                throw new IOException("gone");
              }

              @Override
              public int read(byte[] bytes, int from, int count) throws IOException {
                return read();
              }
            }));
    assertEquals(400, status(handle(request)));
  }

  @Test
  void bug_is500WithoutItsWords() {
    Response response = send("GET", "/broken");
    assertEquals(500, status(response));
    assertEquals(
        "{\"error\":\"internal error in the controller; see its log\",\"field\":null}",
        response.getEntityAsText());
  }

  /** The embedded server asks for the effect and checks permissions; Floodlight's does not. */
  @Test
  void changeByGet_isAWriteAndIsRefusedInFloodlight() {
    ResourceRoutable resources = new ResourceRoutable(BASE, routes);
    assertEquals(Effect.WRITE, resources.effectOf("GET", "/clear/x"));
    assertEquals(Effect.WRITE, resources.effectOf("GET", "/cle%61r/x/"));
    assertEquals(Effect.READ, resources.effectOf("GET", "/items"));
    assertEquals(Effect.READ, resources.effectOf("GET", "/nothing"));
    assertEquals(Effect.READ, resources.effectOf("HEAD", "/events"));
    assertEquals(403, status(send("GET", "/clear/x")));
    assertEquals(List.of(), asked);
    Call.Head head = new Call.Head("GET", "", BASE + "/clear/x", "", name -> Optional.empty());
    assertEquals(200, resources.answer(head, "/clear/x", maxBytes -> new byte[0]).status());
    assertEquals(List.of("clear"), asked);
  }

  @Test
  void stream_isPassedOnAsItIs() throws Exception {
    Response response = send("GET", "/events");
    Representation entity = response.getEntity();
    assertEquals("x", entity.getText());
    assertEquals("no-store", response.getCacheDirectives().get(0).getName());
  }

  @Test
  void rejection_isAnswered() {
    RouteTable one =
        new RouteTable()
            .get(
                "x",
                call -> {
                  throw RejectedException.conflict("name", "it is taken");
                });
    Response response = new Response(request("GET", "/x"));
    new ResourceRoutable(BASE, one)
        .getRestlet(new Context())
        .handle(response.getRequest(), response);
    assertEquals(409, status(response));
    assertEquals("{\"error\":\"it is taken\",\"field\":\"name\"}", response.getEntityAsText());
  }

  @Test
  void routeThatIsThereTwice_isABug() {
    assertThrows(
        IllegalArgumentException.class, () -> routes.get("items", call -> Reply.nothing()));
  }
}
