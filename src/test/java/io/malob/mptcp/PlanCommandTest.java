package io.malob.mptcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanCommandTest {
  private static final String RING =
      """
      "network": {"switches": {"a": "00:00:00:00:00:00:00:01", "b": "00:00:00:00:00:00:00:02",
                               "c": "00:00:00:00:00:00:00:03"},
        "links": [{"a": "a", "a_port": 1, "b": "b", "b_port": 1, "mbps": 10},
                  {"a": "b", "a_port": 2, "b": "c", "b_port": 1, "mbps": 10},
                  {"a": "c", "a_port": 2, "b": "a", "b_port": 2, "mbps": 20}]}
      """;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private int run(String document, String... arguments) throws IOException {
    return PlanCommand.run(
        arguments,
        new ByteArrayInputStream(document.getBytes(StandardCharsets.UTF_8)),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
  }

  private JsonNode printed() throws IOException {
    return new ObjectMapper().readTree(out.toByteArray());
  }

  @Test
  void linksCounts_areThoseOfThePaths() throws IOException {
    assertEquals(0, run("{\"method\": \"balanced\", " + RING + "}"));
    JsonNode plan = printed();
    assertEquals(6, plan.path("paths").size());
    Map<String, Integer> counts = new HashMap<>();
    for (JsonNode path : plan.path("paths")) {
      JsonNode switches = path.path("switches");
      for (int i = 1; i < switches.size(); i++) {
        String from = switches.path(i - 1).asText();
        String to = switches.path(i).asText();
        counts.merge(from.compareTo(to) < 0 ? from + to : to + from, 1, Integer::sum);
      }
    }
    for (JsonNode link : plan.path("links")) {
      String a = link.path("a").asText();
      String b = link.path("b").asText();
      String pair = a.compareTo(b) < 0 ? a + b : b + a;
      assertEquals(counts.get(pair), link.path("subflows").asInt(), pair);
    }
    assertEquals(4, plan.path("maximum").asInt());
    assertTrue(plan.path("proven_optimal").asBoolean());
  }

  @Test
  void travelledLinks_areCountedByWhereSubflowsEnd() throws IOException {
    assertEquals(
        0,
        run(
            "{\"count\": \"travelled\", \"traffic\": [{\"from\": \"a.host\", \"to\": \"b.host\"}],"
                + RING
                + "}"));
    JsonNode plan = printed();
    double sum = 0;
    for (JsonNode link : plan.path("links")) {
      sum += link.path("subflows").asDouble();
    }
    // one sub-flow straight from a to b, the other by way of c
    assertEquals(3, sum);
  }

  @Test
  void planForIpv6_supposesHostsOfIpv6_andSaysWhatTheyRun() throws IOException {
    assertEquals(0, run("{\"family\": \"ipv6\"," + RING + "}"));
    JsonNode plan = printed();
    assertEquals("ipv6", plan.path("family").asText());
    JsonNode host = plan.path("hosts").path(0);
    assertEquals("fd00::1/64", host.path("address").asText());
    assertEquals(
        "ip addr replace fd00::b/128 dev eth0 preferred_lft 0 nodad",
        host.path("commands").path(1).asText());
    assertEquals(
        "ip mptcp endpoint add fd00::b dev eth0 subflow fullmesh",
        host.path("commands").path(2).asText());
  }

  @Test
  void svg_isWritten(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("plan.svg");
    assertEquals(0, run("{" + RING + "}", "--svg", file.toString()));
    assertTrue(Files.readString(file).contains("</svg>"));
  }

  @Test
  void svg_thatCannotBeWritten_isAnError(@TempDir Path directory) throws IOException {
    assertEquals(1, run("{" + RING + "}", "--svg", directory.resolve("no/where").toString()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | network | required",
        "{'network': {'switches': {}}} | network.switches | object",
        "{'network': {'switches': {'a': 'x'}}} | network.switches.a | datapath id",
        "{'network': {'switches': {'a': '00:00:00:00:00:00:00:01'}, 'links': [{'a': 'a', 'a_port': 1, 'b': 'z',"
            + " 'b_port': 1}]}} | network.links[0].b | no switch z",
        "{'network': {'switches': {'a': '00:00:00:00:00:00:00:01'}, 'links': [{'a': 'a', 'a_port': 1, 'b': 'a',"
            + " 'b_port': 2}]}} | network.links[0].a_port | two different switches",
        "{'weights': 'load', 'network': {'switches': {'a': '00:00:00:00:00:00:00:01'}}} | weights | controller",
        "{'vlans': [7], 'network': {'switches': {'a': '00:00:00:00:00:00:00:01'}}} | vlans | VLAN 7 has no hosts",
        "{'hosts': [{'id': 'h', 'address': '10.0.0.1'}], 'network': {'switches': {'a': '00:00:00:00:00:00:00:01'}}}"
            + " | hosts.h.switch | required",
        "{'hosts': [{'id': 'h', 'address': '10.0.0.1', 'switch': 'q'}], 'network': {'switches':"
            + " {'a': '00:00:00:00:00:00:00:01'}}} | hosts[0].switch | no switch q",
        "{'traffic': [{'from': 'x', 'to': 'y'}], 'count': 'travelled', 'network': {'switches':"
            + " {'a': '00:00:00:00:00:00:00:01'}}} | traffic | no host x",
      })
  void mistake_isTold(String document, String field, String words) throws IOException {
    assertEquals(2, run(document.replace('\'', '"')));
    assertEquals(field, printed().path("field").asText());
    assertTrue(printed().path("error").asText().contains(words), printed().toString());
  }

  @Test
  void networkInTwoParts_namesSwitches() throws IOException {
    assertEquals(
        2,
        run(
            "{\"network\": {\"switches\": {\"left\": \"00:00:00:00:00:00:00:01\","
                + " \"right\": \"00:00:00:00:00:00:00:02\"}}}"));
    String error = printed().path("error").asText();
    assertTrue(error.contains("left") && error.contains("right"), error);
  }
}
