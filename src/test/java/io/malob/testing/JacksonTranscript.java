package io.malob.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.cfg.PackageVersion;
import io.malob.file.DamagedException;
import io.malob.json.Json;
import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * What our code reads, writes and refuses with the Jackson of its class loader: the first line is
 * Jackson's version, and all others are the same with every version that our code works with.
 */
public final class JacksonTranscript implements Callable<List<String>> {
  private static final String FOLDER = "/state-files/";

  /** What reads each state file that modules have. */
  private static final Map<String, String> FORMATS =
      Map.of(
          "catalog.json", "io.malob.state.catalog.CatalogFormat",
          "capacities.json", "io.malob.state.network.CapacityFormat",
          "agents.json", "io.malob.state.report.AgentTableFormat",
          "agents-heard.json", "io.malob.state.report.GuardFormat",
          "mptcp.json", "io.malob.mptcp.AppliedFormat");

  /** A record, of which Jackson 2.11 sees nothing without our writer. */
  public record Line(
      @JsonProperty("switch") DatapathId switchId,
      Optional<Thread.State> lastState,
      OptionalInt none,
      @JsonUnwrapped Map<String, Integer> more) {
    Line(int port) {
      this(
          DatapathId.of(1),
          Optional.of(Thread.State.NEW),
          OptionalInt.empty(),
          Map.of("port", port));
    }
  }

  /** A bean, which every version of Jackson could write. */
  public static final class Bean {
    public int getPort() {
      return 1;
    }
  }

  private final List<String> lines = new ArrayList<>();

  @Override
  public List<String> call() throws Exception {
    lines.add(PackageVersion.VERSION.toString());
    values();
    texts();
    for (String file : FORMATS.keySet().stream().sorted().toList()) {
      stateFile(file, Class.forName(FORMATS.get(file)));
    }
    return lines;
  }

  private void values() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("numbers", Arrays.asList(1, -2L, 0.5, 1e-7, 1e21, 2.0E9, 4.9e-324, Double.NaN, 0.1f));
    map.put("texts", List.of("ü \" \\ / \u0001 \u2028 \ud83d\ude00 </script>", ""));
    map.put("others", Arrays.asList(null, true, Thread.State.NEW, new int[] {1}, Map.of()));
    map.put("tree", Json.object().put("x", 1).putPOJO("y", List.of("z")));
    for (Object value :
        List.of(
            map,
            new Line(1),
            List.of(new Bean()),
            Map.of("a", new Line(1)),
            Json.object().putPOJO("a", new Bean()),
            Optional.of(1))) {
      try {
        lines.add(Json.text(value));
        lines.add(new String(Json.bytes(value), UTF_8));
        lines.add(new String(Json.indentedBytes(value), UTF_8));
      } catch (IllegalStateException e) {
        lines.add("refused: " + e.getMessage());
      }
    }
  }

  private void texts() {
    int limit = JsonInput.MAX_DEPTH;
    for (String text :
        List.of(
            "",
            " [1, -0.0, 1e400, 12345678901234567890, \"\\u00fc\", {\"a\": null}] ",
            "{\"a\":1,\"a\":2}",
            "[1] x",
            "[1] [2]",
            "[01]",
            "[NaN]",
            "[1,]",
            "{\"a\"}",
            "[".repeat(limit) + "]".repeat(limit),
            "[".repeat(limit + 1) + "]".repeat(limit + 1),
            "{\"a\":".repeat(200_000),
            "1".repeat(1_000),
            "1".repeat(1_001))) {
      lines.add(read(text));
    }
  }

  private static String read(String text) {
    try {
      return shown(JsonInput.ofRequest(text.getBytes(UTF_8)));
    } catch (RejectedException e) {
      return "refused " + e.field();
    }
  }

  private static String shown(JsonInput<RejectedException> value) throws RejectedException {
    if (!value.isObject() && !value.isArray()) {
      return value.isNull() ? "null" : value.text();
    }
    List<String> parts = new ArrayList<>();
    if (value.isArray()) {
      for (JsonInput<RejectedException> element : value.elements()) {
        parts.add(shown(element));
      }
      return parts.toString();
    }
    for (Map.Entry<String, JsonInput<RejectedException>> field : value.fields().entrySet()) {
      parts.add(field.getKey() + ": " + shown(field.getValue()));
    }
    return "{" + String.join(", ", parts) + "}";
  }

  private void stateFile(String name, Class<?> format) throws Exception {
    byte[] whole;
    try (InputStream in = JacksonTranscript.class.getResourceAsStream(FOLDER + name)) {
      whole = in.readAllBytes();
    }
    Method reader = open(format, "read");
    Object value = reader.invoke(null, (Object) whole);
    if (!name.equals("agents.json")) { // that one is written by scripts
      lines.add(new String((byte[]) open(format, "write").invoke(null, value), UTF_8));
    }
    for (int at = 0; at < whole.length; at += 1 + whole.length / 400) {
      byte[] spoiled = whole.clone();
      spoiled[at] ^= 1;
      lines.add(name + " " + at + " " + refusal(reader, spoiled));
      lines.add(name + " " + at + " " + refusal(reader, Arrays.copyOf(whole, at)));
    }
  }

  private static Method open(Class<?> format, String name) {
    Method method =
        Stream.of(format.getDeclaredMethods())
            .filter(each -> each.getName().equals(name))
            .findFirst()
            .orElseThrow();
    method.setAccessible(true);
    return method;
  }

  /** Versions of Jackson differ by some columns in where they see that a text is no JSON. */
  private static String refusal(Method reader, byte[] file) throws Exception {
    try {
      reader.invoke(null, (Object) file);
      return "read";
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof DamagedException damaged) {
        return String.valueOf(damaged.getMessage())
            .replaceFirst(", column [0-9]+: (not valid|a name is)", ": $1")
            .replaceFirst("(not valid JSON at line [0-9]+), column [0-9]+", "$1");
      }
      throw e;
    }
  }
}
