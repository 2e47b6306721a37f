package io.malob.state.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.malob.algorithm.AddressText;
import io.malob.state.network.ServerValue;
import io.malob.state.report.Report.Stamp;
import java.io.IOException;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * Reads the JSON of one signed report, token by token and strictly: unknown, repeated or missing
 * fields make it malformed; impossible values make it absurd.
 */
final class ReportReader {
  static final int MAX_PORTS = 64;
  static final int MAX_LINKS = 64;
  private static final int MAX_CONNECTIONS = 10_000_000;

  /** A terabit per second. */
  private static final double MAX_MBPS = 1_000_000;

  /** The year 3000, so that arithmetic with time stamps cannot overflow. */
  private static final long MAX_MILLIS = 32_503_680_000_000L;

  private static final double BPS_PER_MBPS = 1e6;
  private static final ImmutableMap<String, ServerValue> VALUES =
      Maps.uniqueIndex(EnumSet.allOf(ServerValue.class), ServerValue::field);
  private static final Pattern BOOT = Pattern.compile("[0-9a-f]{16}");
  private static final JsonFactory JSON = new JsonFactory();

  private final JsonParser parser;
  private final Set<String> seen = new HashSet<>();
  private String agent = "";
  private String boot = "";
  private long sequence;
  private long timeMillis;
  private long uptimeMillis;
  private Report.@Nullable Content content;

  private ReportReader(JsonParser parser) {
    this.parser = parser;
  }

  /**
   * The report of this JSON.
   *
   * @param agent the agent that has signed it
   */
  static Report read(byte[] json, String agent) throws RejectedReportException {
    try (JsonParser parser = JSON.createParser(json)) {
      ReportReader reader = new ReportReader(parser);
      Report report = reader.report();
      if (!reader.agent.equals(agent)) {
        throw malformed("agent is not the one in the first line", "agent");
      }
      return report;
    } catch (IOException e) {
      // Jackson's messages are about its own sources
      throw malformed("the report is not valid JSON", null);
    }
  }

  private Report report() throws IOException, RejectedReportException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw malformed("the report must be a JSON object", null);
    }
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      field(parser.getText());
    }
    if (parser.nextToken() != null) {
      throw malformed("the JSON object is followed by other content", null);
    }
    for (String name : new String[] {"agent", "boot", "sequence", "time_ms", "uptime_ms"}) {
      if (!seen.contains(name)) {
        throw malformed(name + " is missing", name);
      }
    }
    if (content == null) {
      throw malformed("server or links is required", null);
    }
    return new Report(new Stamp(boot, sequence, timeMillis, uptimeMillis), content);
  }

  private void field(String name) throws IOException, RejectedReportException {
    once(seen, name);
    JsonToken first = parser.nextToken();
    switch (name) {
      case "agent" -> agent = text(name);
      case "boot" -> boot = text(name);
      case "sequence" -> sequence = whole(name, 1, Long.MAX_VALUE / 2);
      case "time_ms" -> timeMillis = whole(name, 0, MAX_MILLIS);
      case "uptime_ms" -> uptimeMillis = whole(name, 0, MAX_MILLIS);
      case "server" -> setContent(first == JsonToken.START_OBJECT ? server() : null, name);
      case "links" -> setContent(first == JsonToken.START_ARRAY ? links() : null, name);
      default -> throw malformed(shown(name) + " is not known", null);
    }
    if (name.equals("boot") && !BOOT.matcher(boot).matches()) {
      throw malformed("boot must be 16 hexadecimal digits", name);
    }
  }

  private void setContent(Report.@Nullable Content given, String name)
      throws RejectedReportException {
    if (given == null || content != null) {
      throw malformed("one of server (an object) and links (an array) is required", name);
    }
    content = given;
  }

  private Report.Server server() throws IOException, RejectedReportException {
    ImmutableMap.Builder<ServerValue, Double> values = ImmutableMap.builder();
    Optional<Boolean> answers = Optional.empty();
    ImmutableMap<Integer, Integer> connections = ImmutableMap.of();
    Set<String> given = new HashSet<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.getText();
      once(given, name);
      parser.nextToken();
      switch (name) {
        case "answers" -> answers = Optional.of(flag("server.answers"));
        case "connections" -> connections = connections();
        default -> {
          @Nullable ServerValue value = VALUES.get(name);
          if (value == null) {
            throw malformed("server." + shown(name) + " is not known", null);
          }
          values.put(value, value.ofField(number("server." + name, value.max())));
        }
      }
    }
    return new Report.Server(values.build(), answers, connections);
  }

  private ImmutableMap<Integer, Integer> connections() throws IOException, RejectedReportException {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw malformed("server.connections must be an object", "server.connections");
    }
    ImmutableMap.Builder<Integer, Integer> connections = ImmutableMap.builder();
    Set<String> given = new HashSet<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String port = parser.getText();
      once(given, port);
      parser.nextToken();
      if (given.size() > MAX_PORTS) {
        throw absurd("server.connections");
      }
      connections.put(port(port), (int) whole("server.connections", 0, MAX_CONNECTIONS));
    }
    return connections.build();
  }

  private static int port(String text) throws RejectedReportException {
    // as agents write it: no sign, no leading zeros
    if (text.matches("[1-9][0-9]{0,4}")) {
      int port = Integer.parseInt(text);
      if (port <= 0xffff) {
        return port;
      }
    }
    throw malformed("server.connections: " + shown(text) + " is not a port", "server.connections");
  }

  private Report.Links links() throws IOException, RejectedReportException {
    ImmutableList.Builder<Report.Throughput> links = ImmutableList.builder();
    int count = 0;
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      if (parser.currentToken() != JsonToken.START_OBJECT || ++count > MAX_LINKS) {
        throw malformed("links must be an array of at most " + MAX_LINKS + " objects", "links");
      }
      links.add(link());
    }
    return new Report.Links(links.build());
  }

  private Report.Throughput link() throws IOException, RejectedReportException {
    @Nullable IPAddress<?> neighbour = null;
    OptionalDouble up = OptionalDouble.empty();
    OptionalDouble down = OptionalDouble.empty();
    Set<String> given = new HashSet<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.getText();
      once(given, name);
      parser.nextToken();
      switch (name) {
        case "neighbour" -> neighbour = address(text("links.neighbour"), "links.neighbour");
        case "up_mbps" -> up = OptionalDouble.of(mbps("links.up_mbps"));
        case "down_mbps" -> down = OptionalDouble.of(mbps("links.down_mbps"));
        default -> throw malformed("links." + shown(name) + " is not known", null);
      }
    }
    if (neighbour == null) {
      throw malformed("links.neighbour is missing", "links.neighbour");
    }
    return new Report.Throughput(neighbour, up, down);
  }

  private double mbps(String name) throws IOException, RejectedReportException {
    return number(name, MAX_MBPS) * BPS_PER_MBPS;
  }

  static IPAddress<?> address(String text, String name) throws RejectedReportException {
    return AddressText.parse(text)
        .orElseThrow(() -> malformed(name + " must be an IPv4 or IPv6 address", name));
  }

  private String text(String name) throws IOException, RejectedReportException {
    if (parser.currentToken() != JsonToken.VALUE_STRING) {
      throw malformed(name + " must be a string", name);
    }
    return parser.getText();
  }

  private boolean flag(String name) throws IOException, RejectedReportException {
    if (!parser.currentToken().isBoolean()) {
      throw malformed(name + " must be a boolean", name);
    }
    return parser.getBooleanValue();
  }

  private long whole(String name, long min, long max) throws IOException, RejectedReportException {
    if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT) {
      throw malformed(name + " must be a whole number", name);
    }
    if (parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
      throw absurd(name);
    }
    long value = parser.getLongValue();
    if (value < min || value > max) {
      throw absurd(name);
    }
    return value;
  }

  private double number(String name, double max) throws IOException, RejectedReportException {
    if (!parser.currentToken().isNumeric()) {
      throw malformed(name + " must be a number", name);
    }
    return plausible(parser.getDoubleValue(), name, max);
  }

  /** The value if it is from 0 to the max. */
  static double plausible(double value, String name, double max) throws RejectedReportException {
    // written so that NaN fails, too
    if (value >= 0 && value <= max) {
      return value == 0 ? 0 : value; // not -0.0
    }
    throw absurd(name);
  }

  private static void once(Set<String> given, String name) throws RejectedReportException {
    if (!given.add(name)) {
      throw malformed(shown(name) + " is a duplicate field", null);
    }
  }

  private static String shown(String name) {
    return name.matches("[A-Za-z0-9_.-]{1,32}") ? name : "a name that cannot be shown";
  }

  static RejectedReportException malformed(String sentence, @Nullable String field) {
    return new RejectedReportException(Rejection.MALFORMED, sentence, field);
  }

  private static RejectedReportException absurd(String name) {
    return new RejectedReportException(Rejection.ABSURD, name + " has an impossible value", name);
  }
}
