package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.hash.Hashing;
import io.malob.controller.module.ModuleSettings;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** GETs that change state are writes, and no other GET changes any. All modules, over real HTTP. */
class WritesByGetTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CLEAR = "/wm/staticentrypusher/clear/all/json";
  private static final String BROWSER = "User-Agent: Mozilla/5.0 (X11; Linux x86_64)";
  private static final String ADMIN = "malob_the-admins-own";
  private static final String READER = "malob_the-readers-own";

  /** What operators have set, as REST shows it. */
  private static final List<String> STATE =
      List.of(
          "/wm/malob/config",
          "/wm/malob/capacities",
          "/wm/malob/routes",
          "/wm/malob/mptcp",
          "/wm/malob/endhost",
          "/wm/malob/logs/levels",
          "/wm/staticentrypusher/json");

  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final Logger audit = (Logger) LoggerFactory.getLogger("io.malob.audit");

  @TempDir Path data;
  private EmbeddedController controller;

  @BeforeEach
  void start() throws Exception {
    lines.start();
    audit.addAppender(lines);
    try (InputStream shipped =
        Objects.requireNonNull(
            WritesByGetTest.class.getResourceAsStream("/floodlightdefault.properties"))) {
      controller =
          EmbeddedController.start(
              ModuleSettings.parse(new String(shipped.readAllBytes(), StandardCharsets.UTF_8))
                  .overlaidWith(EmbeddedControllerTest.FREE_PORTS)
                  .overlaidWith(Map.of("*.data", data.toString())));
    }
    Answer made =
        ask(
            "POST /wm/staticentrypusher/json",
            "{\"name\":\"kept\",\"switch\":\"00:00:00:00:00:00:00:01\",\"actions\":\"output=1\"}");
    assertEquals(200, made.status, made.body);
  }

  @AfterEach
  void stop() {
    controller.close();
    audit.detachAppender(lines);
  }

  private static final Pattern BEGUN = Pattern.compile("^audit request=(\\d+) ");

  private record Answer(int status, String body) {}

  /** Over a socket, so that headers and path are sent as they are. */
  private Answer ask(String methodAndPath, String body, String... headers) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), controller.httpPort())) {
      socket.setSoTimeout(20_000);
      StringBuilder request = new StringBuilder(methodAndPath + " HTTP/1.1\r\n");
      if (List.of(headers).stream().noneMatch(header -> header.startsWith("Host:"))) {
        request.append("Host: 127.0.0.1:").append(controller.httpPort()).append("\r\n");
      }
      request.append("Connection: close\r\nContent-Length: ").append(body.length()).append("\r\n");
      for (String header : headers) {
        request.append(header).append("\r\n");
      }
      request.append("\r\n").append(body);
      socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.UTF_8));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int bodyAt = answer.indexOf("\r\n\r\n");
      return new Answer(
          Integer.parseInt(answer.substring(9, 12)), bodyAt < 0 ? "" : answer.substring(bodyAt));
    }
  }

  private void writeTokens() throws Exception {
    Path file = data.resolve("tokens.json");
    Path made = data.resolve("new-tokens.json");
    Files.createFile(
        made, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(
        made,
        String.format(
            "{\"tokens\":[{\"name\":\"ops\",\"role\":\"admin\",\"sha256\":\"%s\"},"
                + "{\"name\":\"grafana\",\"role\":\"read-only\",\"sha256\":\"%s\"}]}",
            Hashing.sha256().hashString(ADMIN, StandardCharsets.UTF_8),
            Hashing.sha256().hashString(READER, StandardCharsets.UTF_8)));
    Files.move(made, file);
    long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (ask("GET /wm/device", "").status != 401) {
      assertTrue(System.nanoTime() < giveUp, "the tokens do not count");
      Thread.sleep(50);
    }
  }

  private boolean isEntryKept(String... headers) throws IOException {
    return ask("GET /wm/staticentrypusher/json", "", headers).body.contains("\"kept\"");
  }

  /** The lines about GETs. That of a change has the status of its result, which is another line. */
  private List<String> audited() {
    List<String> all =
        List.copyOf(lines.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
    return all.stream()
        .filter(line -> line.contains("method=GET"))
        .map(line -> withResult(line, all))
        .toList();
  }

  private static String withResult(String line, List<String> all) {
    Matcher begun = BEGUN.matcher(line);
    if (!begun.find()) {
      return line;
    }
    String result = "audit_result request=" + begun.group(1) + " ";
    List<String> results = all.stream().filter(each -> each.startsWith(result)).toList();
    assertEquals(1, results.size(), line);
    assertTrue(all.indexOf(line) < all.indexOf(results.get(0)), line);
    return begun.replaceFirst("audit ") + " " + results.get(0).substring(result.length());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Origin: http://evil.example",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
        BROWSER,
        "Host: rebound.evil.example"
      })
  void clearByGet_thatAnotherSiteCouldAskFor_isRefusedAndAudited(String header) throws Exception {
    Answer answer = ask("GET " + CLEAR, "", header);

    assertEquals(403, answer.status, answer.body);
    assertTrue(isEntryKept());
    assertEquals(
        List.of(
            "access_refused who=anyone from=127.0.0.1 method=GET path=\""
                + CLEAR
                + "\" status=403 count=1"),
        audited());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/wm/staticentrypusher/%63lear/all/json",
        "/wm/staticentrypusher//clear//all//json/",
        "/wm/staticentrypusher/clear%2Fall%2Fjson",
        "/wm/%73taticentrypusher/clear/all/json",
        "/wm/staticentrypusherclear/all/json",
        "/wm//staticentrypusher/clear/all/json",
        "/wm/staticentrypusher/list/../clear/all/json",
        "/wm/staticentrypusher/clear/all/json?x=1",
        "http://127.0.0.1/wm/staticentrypusher/clear/all/json"
      })
  void clearByGet_writtenInAnotherWay_isNoWayRoundTheChecks(String path) throws Exception {
    Answer answer = ask("GET " + path, "", "Origin: http://evil.example");

    assertTrue(answer.status >= 400, answer.status + answer.body);
    assertTrue(isEntryKept());
  }

  @ParameterizedTest
  @CsvSource({
    "X-Nothing: 1, 200",
    "Sec-Fetch-Site: same-origin, 200",
    "Sec-Fetch-Site: none, 200",
  })
  void clearByGet_ofACommandOrTheControllersOwnPage_isDoneAndAudited(String header, int status)
      throws Exception {
    assertEquals(status, ask("GET " + CLEAR, "", header).status);
    assertTrue(!isEntryKept());
    assertEquals(
        List.of("audit who=anyone from=127.0.0.1 method=GET path=\"" + CLEAR + "\" status=200"),
        audited());
  }

  @Test
  void clearByGet_withTokens_needsTheRoleAdmin() throws Exception {
    writeTokens();
    String reader = "Authorization: Bearer " + READER;
    String admin = "Authorization: Bearer " + ADMIN;

    assertEquals(401, ask("GET " + CLEAR, "").status);
    assertEquals(403, ask("GET " + CLEAR, "", reader).status);
    assertTrue(isEntryKept(reader));
    assertEquals(200, ask("GET " + CLEAR, "", admin, BROWSER).status);
    assertTrue(!isEntryKept(reader));
    assertEquals(
        List.of("who=nobody 401", "who=grafana 403", "who=ops 200"),
        audited().stream()
            .map(line -> line.replaceAll("\\w+ (who=\\w+) .* status=(\\d+).*", "$1 $2"))
            .toList());
  }

  /** The reader's GETs of all that is documented: those that write are refused, all others read. */
  @Test
  void everyDocumentedGet_readsOrIsDeclaredToWrite() throws Exception {
    ask("POST /quantum/v1.0/vips", "{\"id\":\"x\",\"address\":\"10.0.0.100\",\"port\":80}");
    writeTokens();
    String reader = "Authorization: Bearer " + READER;
    List<String> before = state(reader);
    JsonNode paths =
        JSON.readTree(ask("GET /wm/malob/openapi.json", "", reader).body.trim()).get("paths");
    Set<String> writing = new TreeSet<>();
    List<String> asked = new ArrayList<>();

    for (Map.Entry<String, JsonNode> path : paths.properties()) {
      // a stream of events has no end, and nothing but one
      if (!path.getValue().has("get") || path.getKey().equals("/wm/malob/events")) {
        continue;
      }
      String filled =
          path.getKey()
              .replace("{which}", "all")
              .replace("{switch}/{port}", "00:00:00:00:00:00:00:01/3")
              .replace("{switch}", "all")
              .replace("{stat}", "flow")
              .replaceAll("\\{[a-z]+\\}", "x");
      asked.add(filled);
      if (ask("GET " + filled, "", reader).status == 403) {
        writing.add(path.getKey());
      }
    }

    assertTrue(asked.size() > 50, asked.toString());
    assertEquals(Set.of("/wm/staticentrypusher/clear/{switch}/json"), writing);
    assertEquals(before, state(reader));
  }

  private List<String> state(String... headers) throws IOException {
    List<String> shown = new ArrayList<>();
    for (String path : STATE) {
      Answer answer = ask("GET " + path, "", headers);
      assertEquals(200, answer.status, path);
      shown.add(answer.body.substring(answer.body.indexOf("\r\n\r\n") + 4));
    }
    return shown;
  }
}
