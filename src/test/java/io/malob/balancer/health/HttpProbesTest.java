package io.malob.balancer.health;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.malob.json.RejectedException;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Fields;
import io.malob.state.catalog.HttpCheck;
import io.malob.store.MemoryStore;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv4Address;

/** HTTP checks of a real server on this machine. */
class HttpProbesTest {
  private static final IPv4Address HERE = IPv4Address.of("127.0.0.1");

  private final BlockingQueue<Probe> answers = new LinkedBlockingQueue<>();
  private final HttpProbes checks = new HttpProbes(answers::add);
  private final List<String> asked = new ArrayList<>();
  private final HttpServer server;

  HttpProbesTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void serve(int status, byte[] body) {
    server.createContext(
        "/",
        exchange -> {
          asked.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
          exchange.getResponseHeaders().add("Location", "/elsewhere");
          exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
          try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
          }
        });
  }

  /** What a monitor with these fields asks. */
  private static HttpCheck check(String... namesAndValues) throws RejectedException, IOException {
    Catalog catalog = Catalog.open(new MemoryStore(Runnable::run));
    Map<String, @Nullable String> fields = new LinkedHashMap<>();
    fields.put("type", "HTTP");
    for (int i = 0; i < namesAndValues.length; i += 2) {
      fields.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    @Nullable HttpCheck check = catalog.create(Catalog.MONITORS, Fields.of(fields)).item().http();
    if (check == null) {
      throw new AssertionError("a monitor of type HTTP without a check");
    }
    return check;
  }

  private @Nullable Probe ask(HttpCheck check, int port) {
    return checks.start(new HttpProbes.Target(1, HERE, port, check, Duration.ofSeconds(5)));
  }

  private boolean passes(HttpCheck check) throws InterruptedException {
    @Nullable Probe probe = ask(check, server.getAddress().getPort());
    @Nullable Probe answered = answers.poll(10, TimeUnit.SECONDS);
    assertEquals(probe, answered);
    return answered != null && answered.hasPassed();
  }

  @Test
  void statusThatIsExpected_passes_andAnotherOneDoesNot() throws Exception {
    serve(204, new byte[0]);

    assertTrue(passes(check("expected_codes", "200-204", "url_path", "/up?deep=1")));
    assertFalse(passes(check()));
    assertTrue(passes(check("expected_codes", "200,204", "http_method", "HEAD")));

    assertEquals(List.of("GET /up?deep=1", "GET /", "HEAD /"), asked);
  }

  @Test
  void redirect_isNotFollowed() throws Exception {
    serve(302, new byte[0]);

    assertTrue(passes(check("expected_codes", "302")));
    assertEquals(1, asked.size());
  }

  @Test
  void textInTheBody_isLookedFor() throws Exception {
    serve(200, "all is wéll here".getBytes(UTF_8));

    assertTrue(passes(check("expected_body", "wéll")));
    assertFalse(passes(check("expected_body", "ill")));
  }

  @Test
  void bodyBeyondTheLimit_isNotRead() throws Exception {
    byte[] body = new byte[HttpCheck.MAX_BODY_BYTES + 100];
    body[HttpCheck.MAX_BODY_BYTES - 1] = 'a';
    body[HttpCheck.MAX_BODY_BYTES] = 'b';
    serve(200, body);

    assertTrue(passes(check("expected_body", "a")));
    assertFalse(passes(check("expected_body", "b")));
  }

  @Test
  void serverThatRefuses_fails() throws Exception {
    serve(200, new byte[0]);
    assertTrue(passes(check()));
    server.stop(0);

    assertFalse(passes(check()));
  }

  @Test
  void questionThatIsWithdrawn_makesRoomAgain() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      @Nullable Probe probe = ask(check(), silent.getLocalPort());
      assertEquals(1, checks.pending());

      if (probe != null) {
        probe.withdraw();
      }

      assertEquals(probe, answers.poll(10, TimeUnit.SECONDS));
      assertEquals(0, checks.pending());
    }
  }

  @Test
  void questionsBeyondTheBound_areNotAsked() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      List<Probe> probes = new ArrayList<>();
      HttpCheck check = check();
      for (int i = 0; i < HttpProbes.MAX_PENDING; i++) {
        @Nullable Probe probe = ask(check, silent.getLocalPort());
        if (probe != null) {
          probes.add(probe);
        }
      }

      assertNull(ask(check, silent.getLocalPort()));
      probes.forEach(Probe::withdraw);
      assertEquals(HttpProbes.MAX_PENDING, probes.size());
    }
  }
}
