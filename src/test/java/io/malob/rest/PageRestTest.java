package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.store.MemoryStore;
import java.io.ByteArrayInputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PageRestTest {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private static RestServer server;

  @BeforeAll
  static void start() throws Exception {
    server = new RestServer(new MemoryStore(Runnable::run));
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  private static HttpResponse<byte[]> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(server.fullUri(path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return CLIENT.send(request.build(), BodyHandlers.ofByteArray());
  }

  private static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  @ParameterizedTest
  @CsvSource({
    "/ui/, text/html",
    "/ui/index.html, text/html",
    "/ui/page.css, text/css",
    "/ui/icon.svg, image/svg+xml",
    "/ui/js/main.js, text/javascript",
    "/ui/lib/cytoscape.esm.min.mjs, text/javascript"
  })
  void file_hasItsType(String path, String type) throws Exception {
    HttpResponse<byte[]> response = get(path);
    assertEquals(200, response.statusCode());
    assertTrue(header(response, "Content-Type").startsWith(type), header(response, "Content-Type"));
    assertTrue(response.body().length > 50);
  }

  @Test
  void folder_withoutSlash_leadsToTheOneWith() throws Exception {
    HttpResponse<byte[]> response = get("/ui");
    assertEquals(301, response.statusCode());
    assertEquals(server.fullUri("/ui/").toString(), header(response, "Location"));
    assertEquals(
        server.fullUri("/ui/").toString().replace("http:", "https:"),
        header(get("/ui", "X-Forwarded-Proto", "https"), "Location"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/ui/nothing.html",
        "/ui/js/",
        "/ui/../logback.xml",
        "/ui/..%2flogback.xml",
        "/ui/%2e%2e/floodlightdefault.properties",
        "/ui//etc/passwd.txt",
        "/ui/js/main.class"
      })
  void file_thatIsNotOfThePage_isNotThere(String path) throws Exception {
    assertEquals(404, get(path).statusCode());
  }

  @Test
  void answer_allowsNothingButTheControllersOwn() throws Exception {
    for (String path : new String[] {"/ui/", "/ui/nothing.html"}) {
      HttpResponse<byte[]> response = get(path);
      String policy = header(response, "Content-Security-Policy");
      assertTrue(policy.startsWith("default-src 'none'; script-src 'self';"), policy);
      assertTrue(policy.contains("frame-ancestors 'none'"), policy);
      assertFalse(policy.contains("unsafe"), policy);
      assertEquals("nosniff", header(response, "X-Content-Type-Options"));
    }
  }

  @Test
  void file_thatTheBrowserHas_isNotSentAgain() throws Exception {
    HttpResponse<byte[]> first = get("/ui/");
    assertEquals("no-cache", header(first, "Cache-Control"));
    HttpResponse<byte[]> second = get("/ui/", "If-None-Match", header(first, "ETag"));
    assertEquals(304, second.statusCode());
    assertEquals(0, second.body().length);
    assertEquals(200, get("/ui/", "If-None-Match", "\"other\"").statusCode());
  }

  @Test
  void file_isCompressedForWhoTakesThat() throws Exception {
    HttpResponse<byte[]> plain = get("/ui/lib/cytoscape.esm.min.mjs");
    HttpResponse<byte[]> zipped = get("/ui/lib/cytoscape.esm.min.mjs", "Accept-Encoding", "gzip");
    assertEquals("gzip", header(zipped, "Content-Encoding"));
    assertTrue(zipped.body().length < plain.body().length / 2);
    assertArrayEquals(
        plain.body(), new GZIPInputStream(new ByteArrayInputStream(zipped.body())).readAllBytes());
    assertFalse(header(plain, "ETag").equals(header(zipped, "ETag")));
  }

  @Test
  void page_cannotBeChanged() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(server.fullUri("/ui/"))
            .POST(HttpRequest.BodyPublishers.ofString("1"))
            .build();
    assertEquals(405, CLIENT.send(request, BodyHandlers.discarding()).statusCode());
  }
}
