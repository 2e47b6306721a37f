package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.common.hash.Hashing;
import io.malob.controller.module.ModuleSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Who may use the REST interface, over real HTTP. */
@Tag("real-time")
class AccessTest {
  private static final String REST = "io.malob.controller.rest.RestModule.";
  private static final String SWITCHES = "/wm/core/controller/switches/json";
  private static final String ADMIN = "malob_the-admins-own";
  private static final String READER = "malob_the-readers-own";

  private final HttpClient client = HttpClient.newHttpClient();
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final Logger root = (Logger) LoggerFactory.getLogger("io.malob");

  @TempDir Path data;

  @BeforeEach
  void listen() {
    lines.start();
    root.addAppender(lines);
  }

  @AfterEach
  void stopListening() {
    root.detachAppender(lines);
  }

  private void writeTokens(String permissions) throws IOException {
    Path file = data.resolve("tokens.json");
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)));
    Files.writeString(
        file,
        String.format(
            "{\"tokens\":[{\"name\":\"ops\",\"role\":\"admin\",\"sha256\":\"%s\"},"
                + "{\"name\":\"grafana\",\"role\":\"read-only\",\"sha256\":\"%s\"}]}",
            sha256(ADMIN), sha256(READER)));
  }

  private static String sha256(String text) {
    return Hashing.sha256().hashString(text, StandardCharsets.UTF_8).toString();
  }

  private EmbeddedController start(Map<String, String> more) throws Exception {
    return EmbeddedController.start(
        ModuleSettings.parse("")
            .overlaidWith(EmbeddedControllerTest.FREE_PORTS)
            .overlaidWith(Map.of("*.data", data.toString()))
            .overlaidWith(more));
  }

  private HttpResponse<String> ask(
      EmbeddedController controller, String method, String path, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + controller.httpPort() + path))
            .method(method, BodyPublishers.noBody());
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  /** What is answered to a request written by hand: the client above chooses Host itself. */
  private static String statusLine(EmbeddedController controller, String method, String host)
      throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), controller.httpPort())) {
      String request = method + " " + SWITCHES + " HTTP/1.1\r\nHost: " + host + "\r\n";
      socket
          .getOutputStream()
          .write((request + "Connection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return answer.substring(0, answer.indexOf("\r\n"));
    }
  }

  /** The answer to a head written by hand, lines separated by "|". */
  private static String answer(EmbeddedController controller, String head) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), controller.httpPort())) {
      String request = head.replace("|", "\r\n") + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  private List<String> logged() {
    return List.copyOf(lines.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @ParameterizedTest
  @CsvSource({"malob_the-readers-own, 200", "malob_nobodys, 401", "notused, 401"})
  void tokenOfOpenStacksClients_isInAHeaderOfItsOwn(String token, int status) throws Exception {
    writeTokens("rw-------");
    try (EmbeddedController controller = start(Map.of())) {
      assertEquals(status, ask(controller, "GET", SWITCHES, "X-Auth-Token", token).statusCode());
    }
  }

  @Test
  void openStacksClientWithoutOurToken_isToldThatKeystonesAreNotAccepted() throws Exception {
    writeTokens("rw-------");
    try (EmbeddedController controller = start(Map.of())) {
      HttpResponse<String> response = ask(controller, "GET", "/v2.0/lbaas/pools");
      assertEquals(401, response.statusCode());
      assertTrue(response.body().startsWith("{\"faultcode\":\"Client\""), response.body());
      assertTrue(response.body().contains("Keystone"), response.body());
      assertEquals(404, ask(controller, "GET", "/v2.0").statusCode(), "needs no token");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "GET, , 401",
    "GET, malob_nobodys, 401",
    "GET, malob_the-readers-own, 200",
    "GET, malob_the-admins-own, 200",
    "POST, , 401",
    "POST, malob_the-readers-own, 403",
    "POST, malob_the-admins-own, 405"
  })
  void request_withTokens_isAnsweredByRole(String method, String token, int status)
      throws Exception {
    writeTokens("rw-------");
    try (EmbeddedController controller = start(Map.of())) {
      HttpResponse<String> response =
          token == null
              ? ask(controller, method, SWITCHES)
              : ask(controller, method, SWITCHES, "Authorization", "Bearer " + token);
      assertEquals(status, response.statusCode(), response.body());
      assertTrue(status == 200 || response.body().startsWith("{\"error\":\""), response.body());
      assertEquals(
          status == 401 ? List.of("Bearer realm=\"MALOB\"") : List.of(),
          response.headers().allValues("WWW-Authenticate"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/wm/core/health/json", "/wm/core/health/json/"})
  void health_withTokens_needsNone(String path) throws Exception {
    writeTokens("rw-------");
    try (EmbeddedController controller = start(Map.of())) {
      assertEquals(200, ask(controller, "GET", path).statusCode());
      assertEquals(401, ask(controller, "POST", path).statusCode());
    }
  }

  @Test
  void tokens_thatCome_countWithoutRestartAndDeletingThemLetsNobodyIn() throws Exception {
    try (EmbeddedController controller = start(Map.of())) {
      assertEquals(200, ask(controller, "GET", SWITCHES).statusCode());
      writeTokens("rw-------");
      awaitStatus(controller, READER, 200, 401);
      Files.delete(data.resolve("tokens.json"));
      awaitStatus(controller, READER, 401, 401);
    }
  }

  private void awaitStatus(EmbeddedController controller, String token, int with, int without)
      throws Exception {
    for (int i = 0; i < 100; i++) {
      int given = ask(controller, "GET", SWITCHES, "Authorization", "Bearer " + token).statusCode();
      if (given == with && ask(controller, "GET", SWITCHES).statusCode() == without) {
        return;
      }
      Thread.sleep(50);
    }
    throw new AssertionError("the file of tokens is not looked at again");
  }

  @Test
  void wrongTokens_tooMany_get429WithRetryAfterAndTheRightOneStillCounts() throws Exception {
    writeTokens("rw-------");
    try (EmbeddedController controller = start(Map.of())) {
      HttpResponse<String> last = null;
      for (int i = 0; i < 12; i++) {
        last = ask(controller, "GET", SWITCHES, "Authorization", "Bearer malob_guess" + i);
      }
      assertEquals(429, last.statusCode(), last.body());
      assertTrue(last.headers().firstValue("Retry-After").isPresent());
      assertEquals(
          200, ask(controller, "GET", SWITCHES, "Authorization", "Bearer " + ADMIN).statusCode());
    }
  }

  @Test
  void write_isAuditedBeforeAndAfterItAndNoTokenIsLogged() throws Exception {
    writeTokens("rw-------");
    try (EmbeddedController controller = start(Map.of())) {
      ask(controller, "DELETE", SWITCHES, "Authorization", "Bearer " + ADMIN);
      ask(controller, "DELETE", SWITCHES, "Authorization", "Bearer malob_guess");
      ask(controller, "DELETE", SWITCHES, "Authorization", "Bearer malob_guess");
      ask(controller, "DELETE", SWITCHES, "Authorization", "Bearer " + READER);
      ask(controller, "GET", SWITCHES, "Authorization", "Bearer " + READER);
    }
    String request = " from=127.0.0.1 method=DELETE path=\"" + SWITCHES + "\"";
    assertEquals(
        List.of(
            "audit request=1 who=ops" + request,
            "audit_result request=1 status=405",
            "access_refused who=nobody" + request + " status=401 count=1",
            "access_refused who=grafana" + request + " status=403 count=1"),
        lines.list.stream()
            .filter(line -> line.getLoggerName().equals("io.malob.audit"))
            .map(ILoggingEvent::getFormattedMessage)
            .toList());
    assertFalse(logged().stream().anyMatch(line -> line.contains("malob_")), logged().toString());
  }

  @Test
  void write_fromAPageOfAnotherSite_is403() throws Exception {
    try (EmbeddedController controller = start(Map.of())) {
      String own = "http://127.0.0.1:" + controller.httpPort();
      assertEquals(
          403, ask(controller, "POST", SWITCHES, "Origin", "http://evil.example").statusCode());
      assertEquals(403, ask(controller, "POST", SWITCHES, "Origin", "null").statusCode());
      assertEquals(405, ask(controller, "POST", SWITCHES, "Origin", own).statusCode());
      assertEquals(405, ask(controller, "POST", SWITCHES).statusCode());
    }
  }

  @Test
  void request_underANameThatIsNotTheControllers_is403() throws Exception {
    try (EmbeddedController controller = start(Map.of(REST + "hostNames", "malob.example"))) {
      assertEquals("HTTP/1.1 200 OK", statusLine(controller, "GET", "malob.example:8080"));
      assertEquals("HTTP/1.1 200 OK", statusLine(controller, "GET", "localhost"));
      assertEquals(
          "HTTP/1.1 403 Forbidden", statusLine(controller, "GET", "rebound.evil.example:8080"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "GET /wm/core/health/json HTTP/1.1, 400",
    "GET /wm/core/health/json HTTP/1.0, 200",
    "GET http://127.0.0.1/wm/core/health/json HTTP/1.1, 400",
    "GET http://127.0.0.1/wm/core/health/json HTTP/1.1|Host: 127.0.0.1, 200",
    "GET http://evil.example/wm/core/health/json HTTP/1.1|Host: 127.0.0.1, 403",
    "GET http://127.0.0.1/wm/core/health/json HTTP/1.1|Host: evil.example, 200",
    "GET http://a@127.0.0.1/wm/core/health/json HTTP/1.1|Host: 127.0.0.1, 400",
    "GET ftp://127.0.0.1/wm/core/health/json HTTP/1.1|Host: 127.0.0.1, 400",
    "POST /wm/x HTTP/1.1|Host: lb.example:8080|Origin: http://lb.example:3000, 403",
    "POST /wm/x HTTP/1.1|Host: lb.example:8080|Origin: http://lb.example:8080, 404",
    "POST /wm/x HTTP/1.1|Host: 127.0.0.1:8080|Origin: https://lb.example, 404",
    "POST /wm/x HTTP/1.1|Host: 127.0.0.1:8080|Origin: https://alt.example:8443, 404",
    "POST /wm/x HTTP/1.1|Host: alt.example:8443|Origin: https://alt.example, 403",
    "GET /wm/core/switch/all/flow/json HTTP/1.1|Host: localhost|Origin: http://evil.example, 403",
    "GET /wm/core/switch/all/flow/json HTTP/1.1|Host: localhost|Sec-Fetch-Site: cross-site, 403",
    "GET /wm/core/switch/all/flow/json HTTP/1.1|Host: localhost|Sec-Fetch-Site: same-origin, 200",
    "GET /wm/core/health/json HTTP/1.1|Host: localhost|Sec-Fetch-Site: cross-site, 200",
  })
  void head_isCheckedForItsHostAndOrigin(String head, int status) throws Exception {
    try (EmbeddedController controller =
        start(Map.of(REST + "hostNames", "lb.example, alt.example:8443"))) {
      String answer = answer(controller, head);
      assertTrue(answer.startsWith("HTTP/1.1 " + status + " "), answer);
      assertFalse(answer.toLowerCase(Locale.ROOT).contains("<html"), answer);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "GET /wm/core/health/json HTTP/1.1|Host: a.example, 403",
    "GET /wm/core/health/json HTTP/1.1|Host: localhost, 200",
    "GET /wm/nothing HTTP/1.1|Host: localhost, 404",
    "GET /%zz HTTP/1.1|Host: localhost, 400"
  })
  void answers_areNeitherKeptNorTakenForAnotherType(String head, int status) throws Exception {
    try (EmbeddedController controller = start(Map.of())) {
      String answer = answer(controller, head).toLowerCase(Locale.ROOT);
      assertTrue(answer.startsWith("http/1.1 " + status + " "), answer);
      assertTrue(answer.contains("\r\nx-content-type-options: nosniff\r\n"), answer);
      assertTrue(answer.contains("\r\ncache-control: no-store\r\n"), answer);
      assertFalse(answer.contains("strict-transport-security"), answer);
    }
  }

  /** A path in Host would be that of the request, and some paths are open to everyone. */
  @ParameterizedTest
  @ValueSource(
      strings = {"[::1%/ui/]", "[::1%/wm/core/health/json?]", "[::1%/wm/malob/reports#]", "a?b"})
  void hostWithAPath_opensNothing(String host) throws Exception {
    writeTokens("rw-------");
    try (EmbeddedController controller = start(Map.of())) {
      assertEquals("HTTP/1.1 400 Bad Request", statusLine(controller, "GET", host));
      assertEquals("HTTP/1.1 400 Bad Request", statusLine(controller, "POST", host));
    }
  }

  @ParameterizedTest
  @CsvSource({"Content-MD5: x, 404", "'If-Range: W/\"', 404", "If-Range: x, 404"})
  void headerThatIsNotUsed_isIgnored_withoutALineOfTheLog(String header, int status)
      throws Exception {
    Logger restlet = (Logger) LoggerFactory.getLogger("org.restlet");
    restlet.addAppender(lines);
    try (EmbeddedController controller = start(Map.of())) {
      int before = logged().size();
      String answer = answer(controller, "GET /ui/ HTTP/1.1|Host: localhost|" + header);
      assertTrue(answer.startsWith("HTTP/1.1 " + status + " "), answer);
      assertEquals(before, logged().size());
    } finally {
      restlet.detachAppender(lines);
    }
  }

  @Test
  void linkFollowedFromAnotherSite_isARead() throws Exception {
    try (EmbeddedController controller = start(Map.of())) {
      String head =
          "GET "
              + SWITCHES
              + " HTTP/1.1|Host: localhost|Sec-Fetch-Site: cross-site"
              + "|Sec-Fetch-Mode: navigate|Sec-Fetch-Dest: ";
      assertTrue(answer(controller, head + "document|Sec-Fetch-User: ?1").contains(" 200 OK"));
      assertTrue(answer(controller, head + "document").contains(" 403 "));
      assertTrue(answer(controller, head + "iframe|Sec-Fetch-User: ?1").contains(" 403 "));
    }
  }

  @Test
  void start_offLoopbackWithoutTokens_isRefusedNamingTheSettings() {
    FloodlightModuleException refused =
        assertThrows(
            FloodlightModuleException.class, () -> start(Map.of(REST + "host", "0.0.0.0")));
    String message = refused.getMessage();
    for (String named : List.of(REST + "host", "tokens", "certificate", "insecure=true")) {
      assertTrue(message.contains(named), message);
    }
  }

  @Test
  void start_offLoopbackWithTokens_servesOnlyThem() throws Exception {
    writeTokens("rw-------");
    try (EmbeddedController controller = start(Map.of(REST + "host", "0.0.0.0"))) {
      assertEquals(401, ask(controller, "GET", SWITCHES).statusCode());
    }
  }

  @Test
  void start_offLoopbackSaidToBeInsecure_servesEveryone() throws Exception {
    try (EmbeddedController controller =
        start(Map.of(REST + "host", "0.0.0.0", REST + "insecure", "true"))) {
      assertEquals(200, ask(controller, "GET", SWITCHES).statusCode());
    }
  }

  @Test
  void start_tokensThatOthersCanRead_isRefused() throws Exception {
    writeTokens("rw-r--r--");
    UncheckedIOException refused = assertThrows(UncheckedIOException.class, () -> start(Map.of()));
    assertTrue(String.valueOf(refused.getMessage()).contains("chmod 600"), refused.toString());
  }
}
