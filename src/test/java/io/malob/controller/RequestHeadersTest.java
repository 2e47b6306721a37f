package io.malob.controller;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.malob.controller.module.ModuleSettings;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restlet.engine.header.HeaderConstants;
import org.slf4j.LoggerFactory;

/** Requests with values of headers that mean nothing. Restlet lists all headers of HTTP. */
class RequestHeadersTest {
  /** The server itself reads these: others values of them are refused, or change the meaning. */
  private static final List<String> OF_THE_SERVER =
      List.of("Connection", "Content-Length", "Expect", "Host", "Transfer-Encoding", "Upgrade");

  private static List<String> names() throws IllegalAccessException {
    List<String> names = new ArrayList<>();
    for (Field constant : HeaderConstants.class.getFields()) {
      if (constant.getName().startsWith("HEADER_")) {
        names.add((String) constant.get(null));
      }
    }
    names.removeAll(OF_THE_SERVER);
    return names;
  }

  private static String status(EmbeddedController controller, String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), controller.httpPort())) {
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
      String answer = new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
      return answer.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length());
    }
  }

  /** With a body, whose headers are parsed then. */
  private static String request(String method, String path, String header) {
    return method
        + " "
        + path
        + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        + header
        + "\r\nContent-Length: 2\r\n\r\n{}";
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"x", "", ";", ",", "=", "\"", "/", "é", "0", "-1", "bytes=x-y", "a/b;c=\"", "%zz"})
  void anyHeader_whateverItsValue_isNoErrorOfTheController(String value) throws Exception {
    List<String> requests = new ArrayList<>();
    for (String name : names()) {
      requests.add(request("GET", "/wm/core/health/json", name + ": " + value));
      requests.add(request("POST", "/wm/nothing", name + ": " + value));
    }
    assertEquals(List.of(), errors(requests));
  }

  @Test
  void anyTargetMethodAndHost_isNoErrorOfTheController() throws Exception {
    List<String> requests = new ArrayList<>();
    for (String path :
        List.of(
            "//", "/%00", "/?%", "*", "/..", "/a:b", "http://localhost/x", "http:x", "/;/", "?")) {
      requests.add(request("GET", path, "X: y"));
      requests.add(request("OPTIONS", "/wm/core" + path, "X: y"));
    }
    for (String host :
        List.of("", "[", "[::1", "[::1]x", ":", "a:99999", "a:-1", "%", "é", "a/b")) {
      requests.add("GET / HTTP/1.1\r\nConnection: close\r\nHost: " + host + "\r\n\r\n");
    }
    for (String method : List.of("X", "get", "PATCH", "TRACE", "CONNECT", "!")) {
      requests.add(request(method, "/wm/core/health/json", "X: y"));
    }
    assertEquals(List.of(), errors(requests));
  }

  /** The requests that are answered with 5xx, or logged. */
  private static List<String> errors(List<String> requests) throws Exception {
    Logger root = (Logger) LoggerFactory.getLogger("ROOT");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    List<String> wrong = new ArrayList<>();
    try (EmbeddedController controller =
        EmbeddedController.start(
            ModuleSettings.parse("").overlaidWith(EmbeddedControllerTest.FREE_PORTS))) {
      root.addAppender(lines);
      for (String request : requests) {
        String status = status(controller, request);
        if (status.startsWith("5") || !said(lines).isEmpty()) {
          wrong.add(request + " -> " + status + " " + said(lines));
        }
        lines.list.clear();
      }
    } finally {
      root.detachAppender(lines);
    }
    return wrong;
  }

  private static List<String> said(ListAppender<ILoggingEvent> lines) {
    return List.copyOf(lines.list).stream()
        .filter(line -> !line.getLoggerName().equals("io.malob.audit"))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }
}
