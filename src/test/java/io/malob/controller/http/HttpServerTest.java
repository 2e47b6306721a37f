package io.malob.controller.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.controller.access.RequestHead;
import io.malob.json.RejectedException;
import io.malob.resource.Reply;
import io.malob.resource.RequestBody;
import io.malob.resource.StreamedBody;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The HTTP server over real sockets, with clients of all kinds. */
class HttpServerTest {
  private static final int LARGE_BYTES = 8 * 1024 * 1024;
  private static final int MAX_BODY_BYTES = 64 * 1024;
  private static final String HOST = "Host: 127.0.0.1\r\n";

  private final List<Socket> sockets = new ArrayList<>();
  private final HttpClient client = HttpClient.newHttpClient();
  private final CountDownLatch gate = new CountDownLatch(1);
  private final CountDownLatch gated = new CountDownLatch(1);
  private final AtomicInteger streamsEnded = new AtomicInteger();
  private final AtomicInteger released = new AtomicInteger();
  private HttpServer server;

  /** Bodies of {@code /refused} are not read; all is a matter of the path. */
  private HttpHandler.Exchange judge(RequestHead head) {
    return new HttpHandler.Exchange() {
      @Override
      public OptionalInt bodyLimit() {
        return head.path().equals("/refused")
            ? OptionalInt.empty()
            : OptionalInt.of(MAX_BODY_BYTES);
      }

      @Override
      public HttpHandler.Wait waitsFor() {
        String query = head.head().query();
        return query.isEmpty()
            ? HttpHandler.Wait.NOTHING
            : HttpHandler.Wait.valueOf(query.substring("wait=".length()));
      }

      @Override
      public Reply answer(RequestBody body) {
        try {
          return HttpServerTest.this.answer(head.path(), body);
        } catch (IOException | InterruptedException | RejectedException e) {
          return Reply.nothing().withStatus(500);
        }
      }
    };
  }

  /** Answers {@code /echo}, {@code /large}, {@code /stream}, {@code /gated}, and says OK else. */
  private Reply answer(String path, RequestBody body)
      throws IOException, InterruptedException, RejectedException {
    return switch (path) {
      case "/echo" -> {
        String sent = new String(body.bytes(), US_ASCII);
        yield text(sent.isEmpty() ? "nothing" : sent);
      }
      case "/large" -> Reply.document("application/octet-stream", new byte[LARGE_BYTES]);
      case "/stream" -> Reply.ok(new Endless());
      case "/lines" -> Reply.ok(new Lines());
      case "/unchanged" -> Reply.ok(new Lines()).withStatus(304);
      case "/gated" -> {
        gated.countDown();
        gate.await();
        yield text("late");
      }
      case "/refused" -> Reply.nothing().withStatus(403);
      case "/nothing" -> Reply.nothing();
      case "/fail" -> throw new IllegalStateException("on purpose");
      default -> text("OK");
    };
  }

  private static Reply text(String text) {
    return Reply.text("text/plain", text);
  }

  /** More than fits into one piece, and an end that was not flushed. */
  private final class Lines implements StreamedBody {
    @Override
    public String mediaType() {
      return "text/plain";
    }

    @Override
    public void write(OutputStream out) throws IOException {
      for (int i = 0; i < 100_000; i++) {
        out.write((i + "\n").getBytes(US_ASCII));
      }
      out.write("end".getBytes(US_ASCII));
    }

    @Override
    public void close() {
      released.incrementAndGet();
    }
  }

  /** A stream of events that never ends. */
  private final class Endless implements StreamedBody {
    @Override
    public String mediaType() {
      return "text/plain";
    }

    @Override
    public void write(OutputStream out) throws IOException {
      try {
        while (true) {
          out.write(new byte[LARGE_BYTES / 64]);
          out.flush();
        }
      } finally {
        streamsEnded.incrementAndGet();
      }
    }

    @Override
    public void close() {
      // holds nothing
    }
  }

  private void start(HttpLimits limits) {
    server =
        new HttpServer(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            Optional.empty(),
            limits,
            this::judge);
  }

  /** One thread, one stream, short times. */
  private static HttpLimits limits(int connections, int seconds) {
    long nanos = TimeUnit.SECONDS.toNanos(seconds);
    return new HttpLimits(
        1, 1, 1, connections, connections, connections, nanos, nanos, nanos, 1024 * 1024);
  }

  @AfterEach
  void stop() throws Exception {
    gate.countDown();
    for (Socket socket : sockets) {
      socket.close();
    }
    server.close();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(8 * 1024);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
    socket.setSoTimeout(20_000);
    sockets.add(socket);
    return socket;
  }

  private Socket send(String text) throws IOException {
    Socket socket = connect();
    socket.getOutputStream().write(text.getBytes(US_ASCII));
    return socket;
  }

  /** Everything until the server closes the connection. */
  private static String all(Socket socket) throws IOException {
    return new String(socket.getInputStream().readAllBytes(), US_ASCII);
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.port() + path);
  }

  private String get(String path) throws Exception {
    return client.send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString()).body();
  }

  private static void await(String what, BooleanSupplier condition) throws Exception {
    long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < giveUp, what);
      Thread.sleep(20);
    }
  }

  /** A slow client would take the only thread for ten minutes: no test of times is needed. */
  @Test
  @Timeout(value = 2, unit = TimeUnit.MINUTES)
  void slowClientsOfEveryKind_takeNoThread() throws Exception {
    start(limits(2_000, 600));
    for (int i = 0; i < 200; i++) {
      send("GET / HTTP/1.1\r\n" + HOST + "X-Half: ");
      send("POST /echo HTTP/1.1\r\n" + HOST + "Content-Length: 1000\r\n\r\nhalf");
    }
    for (int i = 0; i < 20; i++) {
      send("GET /large HTTP/1.1\r\n" + HOST + "\r\n");
    }
    send("GET /stream HTTP/1.1\r\n" + HOST + "\r\n");

    for (int i = 0; i < 50; i++) {
      assertEquals("OK", get("/"));
    }
    assertTrue(server.heldBytes() <= 1024 * 1024 + LARGE_BYTES, server.heldBytes() + " bytes");
    assertTrue(server.connectionCount() > 380, server.connectionCount() + " connections");
  }

  @ParameterizedTest
  @CsvSource({
    "GET / HTTP/1.1|X-Half: , 408",
    "POST /echo HTTP/1.1|Host: a|Content-Length: 9||half, 408"
  })
  void requestThatIsNotCompleteInTime_is408AndClosed(String half, int status) throws Exception {
    start(limits(10, 1));
    String answer = all(send(half.replace("|", "\r\n")));
    assertTrue(answer.startsWith("HTTP/1.1 " + status), answer);
    assertTrue(answer.contains("{\"error\":\"The request was not complete within 1 s\""), answer);
    await("closed", () -> server.connectionCount() == 0);
  }

  @Test
  void connectionWithoutARequest_isClosedWithoutAWord() throws Exception {
    start(limits(10, 1));
    assertEquals("", all(connect()));
  }

  @ParameterizedTest
  @CsvSource({"/large", "/stream"})
  void responseThatIsNotTaken_isGivenUpAndForgotten(String path) throws Exception {
    start(limits(10, 1));
    send("GET " + path + " HTTP/1.1\r\n" + HOST + "\r\n");
    await("taken up", () -> server.connectionCount() == 1);
    await("given up", () -> server.connectionCount() == 0);
    await("freed", () -> server.heldBytes() == 0);
    if (path.equals("/stream")) {
      await("its thread is free", () -> streamsEnded.get() == 1);
    }
  }

  @Test
  void responsesThatAreNotTaken_holdOneMoreThanTheLimitAtMost() throws Exception {
    start(limits(100, 60));
    for (int i = 0; i < 30; i++) {
      send("GET /large HTTP/1.1\r\n" + HOST + "\r\n");
    }
    await("the first give way", () -> server.connectionCount() <= 2);
    assertEquals("OK", get("/"));
    assertTrue(server.heldBytes() <= 2L * LARGE_BYTES, server.heldBytes() + " bytes");
  }

  @Test
  void limit_allOweARequest_theSlowestGivesWay() throws Exception {
    start(limits(4, 60));
    Socket first = send("GET / HTTP/1.1\r\n");
    Thread.sleep(50);
    for (int i = 0; i < 3; i++) {
      send("GET / HTTP/1.1\r\n");
    }
    await("all are there", () -> server.connectionCount() == 4);
    Thread.sleep(1_100); // longer than any client that is not slow needs
    assertEquals("OK", get("/"));
    assertEquals("", all(first));
    assertEquals(4, server.connectionCount());
  }

  @Test
  void limit_allAreBusy_theNextIsToldSo() throws Exception {
    start(limits(2, 60));
    Socket one = send("GET /gated HTTP/1.1\r\n" + HOST + "\r\n");
    Socket other = send("GET /gated HTTP/1.1\r\n" + HOST + "\r\n");
    await("both are there", () -> server.connectionCount() == 2);
    String answer = all(send("GET / HTTP/1.1\r\n" + HOST + "\r\n"));
    assertTrue(answer.startsWith("HTTP/1.1 503 Service Unavailable\r\n"), answer);
    assertTrue(answer.contains("retry-after: 1\r\n"), answer);
    assertTrue(
        answer.endsWith(
            "{\"error\":\"This address has 2 connections, the maximum\"," + "\"field\":null}"),
        answer);
    gate.countDown();
    assertTrue(new String(one.getInputStream().readNBytes(12), US_ASCII).endsWith("200"));
    assertTrue(new String(other.getInputStream().readNBytes(12), US_ASCII).endsWith("200"));
  }

  @Test
  void requests_oneAfterTheOtherOrAtOnce_areAnsweredInOrder() throws Exception {
    start(limits(10, 10));
    String post = "POST /echo HTTP/1.1\r\n" + HOST + "Content-Length: 3\r\n\r\n";
    String chunked = "POST /echo HTTP/1.1\r\n" + HOST + "Transfer-Encoding: chunked\r\n\r\n";
    Socket socket =
        send(
            post
                + "one"
                + chunked
                + "2\r\ntw\r\n1\r\no\r\n0\r\n\r\n"
                + "HEAD / HTTP/1.1\r\n"
                + HOST
                + "\r\nGET /nothing HTTP/1.1\r\n"
                + HOST
                + "\r\nPOST /echo HTTP/1.1\r\n"
                + HOST
                + "Connection: close\r\nContent-Length: 5\r\n\r\nthree");
    List<String> answers = List.of(all(socket).split("HTTP/1.1 "));
    assertEquals(6, answers.size(), answers.toString());
    assertTrue(answers.get(1).endsWith("\r\n\r\none"), answers.get(1));
    assertTrue(answers.get(2).endsWith("\r\n\r\ntwo"), answers.get(2));
    assertTrue(answers.get(3).startsWith("200"), answers.get(3));
    assertTrue(answers.get(3).endsWith("\r\n\r\n"), answers.get(3));
    assertTrue(answers.get(4).startsWith("204"), answers.get(4));
    assertTrue(answers.get(4).endsWith("\r\n\r\n"), answers.get(4));
    assertTrue(answers.get(5).endsWith("\r\n\r\nthree"), answers.get(5));
  }

  /** Codings have names in any case (RFC 9110, section 8.4.1). */
  @ParameterizedTest
  @ValueSource(strings = {"gzip", "GZIP", "deflate", "Deflate"})
  void body_encoded_isDecoded(String coding) throws Exception {
    start(limits(10, 10));
    ByteArrayOutputStream encoded = new ByteArrayOutputStream();
    try (OutputStream out =
        coding.equalsIgnoreCase("gzip")
            ? new GZIPOutputStream(encoded)
            : new DeflaterOutputStream(encoded)) {
      out.write("decoded".getBytes(US_ASCII));
    }
    Socket socket =
        send(
            "POST /echo HTTP/1.1\r\n"
                + HOST
                + "Connection: close\r\nContent-Encoding: "
                + coding
                + "\r\nContent-Length: "
                + encoded.size()
                + "\r\n\r\n");
    socket.getOutputStream().write(encoded.toByteArray());
    String answer = all(socket);
    assertTrue(answer.endsWith("\r\n\r\ndecoded"), answer);
  }

  @Test
  void stream_thatEnds_isCompleteAndTheConnectionGoesOn() throws Exception {
    start(limits(10, 10));
    for (int i = 0; i < 3; i++) {
      String lines = get("/lines");
      assertEquals(100_001, lines.lines().count());
      assertTrue(lines.startsWith("0\n1\n") && lines.endsWith("\n99999\nend"));
    }
    assertEquals(1, server.connectionCount());
  }

  @ParameterizedTest
  @CsvSource({"GET, /lines", "HEAD, /lines", "GET, /unchanged"})
  void content_evenIfItIsNotSent_isReleased(String method, String path) throws Exception {
    start(limits(10, 10));
    HttpRequest request =
        HttpRequest.newBuilder(uri(path)).method(method, BodyPublishers.noBody()).build();
    for (int i = 1; i <= 3; i++) {
      client.send(request, BodyHandlers.ofString());
      int sent = i;
      await("released", () -> released.get() == sent);
    }
  }

  @Test
  void stream_ofHttp10_endsWithTheConnection() throws Exception {
    start(limits(10, 10));
    Socket socket = send("GET /stream HTTP/1.0\r\n\r\n");
    InputStream in = socket.getInputStream();
    String head = new String(in.readNBytes(300), US_ASCII);
    assertTrue(head.startsWith("HTTP/1.1 200 OK\r\n"), head);
    assertTrue(head.contains("connection: close"), head);
    assertTrue(!head.contains("chunked"), head);
  }

  @Test
  void streams_asManyAsThereMayBe_theNextIs503AndOthersGoOn() throws Exception {
    start(limits(10, 60));
    Socket first = send("GET /stream HTTP/1.1\r\n" + HOST + "\r\n");
    assertEquals("HTTP/1.1 200", new String(first.getInputStream().readNBytes(12), US_ASCII));
    HttpResponse<String> second =
        client.send(HttpRequest.newBuilder(uri("/stream")).build(), BodyHandlers.ofString());
    assertEquals(503, second.statusCode());
    assertEquals("OK", get("/"));
    first.close();
    await("its thread is free", () -> streamsEnded.get() == 1);
  }

  @ParameterizedTest
  @CsvSource({
    "NONSENSE, 400",
    "GET /%zz HTTP/1.1|Host: a||, 400",
    "GET / HTTP/1.1|Host: a:b||, 400",
    "GET / HTTP/1.1|Host: a|Host: b||, 400",
    "GET / HTTP/1.1|Host: [::1%/x/]||, 400",
    "GET / HTTP/1.1|Host: a?b||, 400",
    "GET / HTTP/1.1|Host: a#b||, 400",
    "GET / HTTP/1.1|Content-Length: x||, 400",
    "POST /echo HTTP/1.1|Host: a|Content-Length: 65537||, 413",
    "POST /echo HTTP/1.1|Host: a|Expect: 100-continue|Content-Length: 65537||, 413"
  })
  void requestThatCannotBe_isRefusedInJsonAndClosed(String request, int status) throws Exception {
    start(limits(10, 5));
    String answer = all(send(request.replace("|", "\r\n") + "\r\n\r\n"));
    assertTrue(answer.startsWith("HTTP/1.1 " + status), answer);
    assertTrue(answer.contains("\r\n\r\n{\"error\":\""), answer);
  }

  @Test
  void longHeaders_areRefused() throws Exception {
    start(limits(10, 5));
    String line = all(send("GET /" + "x".repeat(9_000) + " HTTP/1.1\r\n" + HOST + "\r\n"));
    assertTrue(line.startsWith("HTTP/1.1 414"), line);
    String header =
        all(send("GET / HTTP/1.1\r\n" + HOST + "X: " + "x".repeat(17_000) + "\r\n\r\n"));
    assertTrue(header.startsWith("HTTP/1.1 431"), header);
  }

  @Test
  void bodyInChunksThatIsTooLarge_isRefusedWhileItIsSent() throws Exception {
    start(limits(10, 5));
    HttpRequest request =
        HttpRequest.newBuilder(uri("/echo"))
            .POST(
                BodyPublishers.ofInputStream(
                    () -> new java.io.ByteArrayInputStream(new byte[70_000])))
            .build();
    assertEquals(413, client.send(request, BodyHandlers.ofString()).statusCode());
  }

  @ParameterizedTest
  @CsvSource({
    "Content-Length: 60000||half",
    "Content-Length: 20000000||half",
    "Content-Length: 60000|Expect: 100-continue|",
    "Transfer-Encoding: chunked||4|half|"
  })
  void body_thatItsRestletDoesNotWant_isNotWaitedFor(String rest) throws Exception {
    start(limits(10, 60));
    Socket socket = send("POST /refused HTTP/1.1\r\n" + HOST + rest.replace("|", "\r\n") + "\r\n");
    String answer = all(socket);
    assertTrue(answer.startsWith("HTTP/1.1 403"), answer);
    assertTrue(answer.contains("connection: close\r\n"), answer);
    assertEquals(0, server.heldBytes());
    await("closed", () -> server.connectionCount() == 0);
  }

  /** So that the client reads the answer before it has sent all. */
  @Test
  void body_thatItsRestletDoesNotWant_mayBeSentAllTheSame() throws Exception {
    start(limits(10, 60));
    HttpRequest request =
        HttpRequest.newBuilder(uri("/refused"))
            .POST(BodyPublishers.ofByteArray(new byte[LARGE_BYTES]))
            .build();
    assertEquals(403, client.send(request, BodyHandlers.ofString()).statusCode());
  }

  @Test
  void bodiesThatWaitForAThread_holdOneMoreThanTheLimitAtMost() throws Exception {
    start(limits(100, 60));
    send("GET /gated HTTP/1.1\r\n" + HOST + "\r\n");
    gated.await();
    String post =
        "POST /echo HTTP/1.1\r\n" + HOST + "Content-Length: " + MAX_BODY_BYTES + "\r\n\r\n";
    int room = 1024 * 1024 / MAX_BODY_BYTES + 1;
    for (int i = 1; i <= room; i++) {
      send(post + "x".repeat(MAX_BODY_BYTES));
      long held = (long) i * MAX_BODY_BYTES;
      await("waits", () -> server.heldBytes() == held);
    }
    for (int i = 0; i < 5; i++) {
      String refused = all(send(post + "x".repeat(MAX_BODY_BYTES)));
      assertTrue(refused.startsWith("HTTP/1.1 503 "), refused);
    }
    assertEquals((long) room * MAX_BODY_BYTES, server.heldBytes());

    gate.countDown();
    await("freed", () -> server.heldBytes() == 0);
  }

  @ParameterizedTest
  @CsvSource({"SWITCH, NOTHING", "SWITCH, STORE", "STORE, NOTHING"})
  void requestsThatWait_delayNoneThatWaitForSomethingElse(String some, String others)
      throws Exception {
    start(limits(100, 60));
    List<Socket> waiting = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      waiting.add(send("GET /gated?wait=" + some + " HTTP/1.1\r\n" + HOST + "\r\n"));
    }
    gated.await();
    for (int i = 0; i < 10; i++) {
      assertEquals("OK", get("/?wait=" + others));
    }
    if (some.equals("SWITCH")) {
      await(
          "13 are told so", () -> waiting.stream().filter(HttpServerTest::hasAnswer).count() == 13);
    }
  }

  private static boolean hasAnswer(Socket socket) {
    try {
      return socket.getInputStream().available() > 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void streams_asManyAsThereMayBe_thoseThatAreNotReadGiveWay() throws Exception {
    start(limits(10, 60));
    Socket slow = send("GET /stream HTTP/1.1\r\n" + HOST + "\r\n");
    assertEquals("HTTP/1.1 200", new String(slow.getInputStream().readNBytes(12), US_ASCII));
    Thread.sleep(1_500); // longer than any client that is not slow needs
    assertEquals(100_001, get("/lines").lines().count());
    await("its thread is free", () -> streamsEnded.get() == 1);
  }

  @Test
  void expectContinue_isToldToGoOn() throws Exception {
    start(limits(10, 5));
    HttpRequest request =
        HttpRequest.newBuilder(uri("/echo"))
            .expectContinue(true)
            .POST(BodyPublishers.ofString("body"))
            .build();
    assertEquals("body", client.send(request, BodyHandlers.ofString()).body());
  }

  @Test
  void resourceThatFails_isAnsweredAndTheConnectionGoesOn() throws Exception {
    start(limits(10, 5));
    HttpResponse<String> failed =
        client.send(HttpRequest.newBuilder(uri("/fail")).build(), BodyHandlers.ofString());
    assertEquals(500, failed.statusCode());
    assertEquals("OK", get("/"));
    assertEquals(1, server.connectionCount());
  }

  @Test
  void close_whileClientsAreConnected_endsThemAndFreesThePort() throws Exception {
    start(limits(10, 60));
    Socket half = send("GET / HTTP/1.1\r\n");
    Socket stream = send("GET /stream HTTP/1.1\r\n" + HOST + "\r\n");
    assertEquals("HTTP/1.1 200", new String(stream.getInputStream().readNBytes(12), US_ASCII));
    server.close();
    assertEquals("", all(half));
    await("the stream's thread ends", () -> streamsEnded.get() == 1);
  }

  @Test
  void close_whileARequestIsHandled_answersItAndRefusesFurtherOnes() throws Exception {
    start(limits(10, 60));
    Socket late = send("PUT /gated HTTP/1.1\r\n" + HOST + "Content-Length: 0\r\n\r\n");
    Socket tooLate = connect();
    gated.await();
    await("connected", () -> server.connectionCount() == 2);
    Thread closing = new Thread(server::close);
    closing.start();
    await(
        "it does not wait for the request", () -> closing.getState() == Thread.State.TIMED_WAITING);
    tooLate.getOutputStream().write(("GET / HTTP/1.1\r\n" + HOST + "\r\n").getBytes(US_ASCII));
    assertEquals("HTTP/1.1 503", new String(tooLate.getInputStream().readNBytes(12), US_ASCII));
    gate.countDown();
    String answer = all(late);
    assertTrue(answer.startsWith("HTTP/1.1 200"), answer);
    assertTrue(answer.endsWith("late"), answer);
    String refusal = all(tooLate);
    assertTrue(refusal.contains("{\"error\":\"The controller is stopping\""), refusal);
    closing.join();
  }
}
