package io.malob.controller;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.controller.module.ModuleSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Streams of events and one thread for all else, over real HTTP. */
class LiveStreamsTest {
  private static final int STREAMS = 6;

  @Test
  void streams_asManyAsThereMayBe_leaveTheOnlyThreadToOthers() throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    List<Socket> sockets = new ArrayList<>();
    try (InputStream shipped =
            Objects.requireNonNull(
                LiveStreamsTest.class.getResourceAsStream("/floodlightdefault.properties"));
        EmbeddedController controller =
            EmbeddedController.start(
                ModuleSettings.parse(new String(shipped.readAllBytes(), UTF_8))
                    .overlaidWith(EmbeddedControllerTest.FREE_PORTS)
                    .overlaidWith(Map.of("io.malob.controller.rest.RestModule.maxThreads", "1")))) {
      String base = "http://127.0.0.1:" + controller.httpPort();
      for (int i = 0; i < STREAMS; i++) {
        sockets.add(stream(controller.httpPort()));
      }
      assertEquals(503, status(client, base + "/wm/malob/events"));
      for (int i = 0; i < 10; i++) {
        assertEquals(200, status(client, base + "/wm/core/health/json"));
      }
      for (Socket socket : sockets) {
        awaitEvents(socket);
      }
      sockets.get(0).close();
      long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (!hasRoom(controller.httpPort())) {
        assertTrue(System.nanoTime() < giveUp, "a stream that is gone leaves no room");
        Thread.sleep(200);
      }
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private static int status(HttpClient client, String uri) throws Exception {
    return client
        .send(HttpRequest.newBuilder(URI.create(uri)).build(), BodyHandlers.ofString())
        .statusCode();
  }

  private static Socket stream(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(20_000);
    socket
        .getOutputStream()
        .write("GET /wm/malob/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(US_ASCII));
    String head = new String(socket.getInputStream().readNBytes(12), US_ASCII);
    assertEquals("HTTP/1.1 200", head);
    return socket;
  }

  private static boolean hasRoom(int port) throws IOException {
    try (Socket socket = stream(port)) {
      return socket.isConnected();
    } catch (AssertionError e) {
      return false;
    }
  }

  /** Two seconds' events: they go on. */
  private static void awaitEvents(Socket socket) throws IOException {
    BufferedReader reader =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
    int rates = 0;
    while (rates < 2) {
      String line = Objects.requireNonNull(reader.readLine(), "the stream has ended");
      rates += line.equals("event: rates") ? 1 : 0;
    }
  }
}
