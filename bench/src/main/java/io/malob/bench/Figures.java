package io.malob.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The figures of a benchmark, some of them with a target, as text and as JSON. */
final class Figures {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private final List<Figure> figures = new ArrayList<>();

  private record Figure(
      String key, String name, double value, String unit, @Nullable String target, boolean holds) {}

  /** Only the load of the machine before the measurement. */
  Figures() {
    add("load_average_before", "load average before", loadAverage(), "");
  }

  /** Adds a figure. The key is its name in JSON; the unit may be empty. */
  void add(String key, String name, double value, String unit) {
    figures.add(new Figure(key, name, value, unit, null, true));
  }

  /** Adds a count. */
  void addCount(String key, String name, long value) {
    add(key, name, (double) value, "");
  }

  /** Adds a figure that has to meet a target, which is shown beside it. */
  void add(String key, String name, double value, String unit, String target, boolean holds) {
    figures.add(new Figure(key, name, value, unit, target, holds));
  }

  /** Adds a figure that has to stay below a limit. */
  void addBelow(String key, String name, double value, String unit, double limit) {
    add(key, name, value, unit, "< " + number(limit, "") + " " + unit, value < limit);
  }

  /** Adds a count with an exact target. */
  void addExactly(String key, String name, long value, long expected) {
    add(key, name, (double) value, "", Long.toString(expected), value == expected);
  }

  /** Prints the figures, optionally writes them to a file, and returns the exit code. */
  int publish(String benchmark, Map<String, ?> parameters, ProcessOptions options)
      throws IOException {
    ObjectNode root = JSON.createObjectNode().put("benchmark", benchmark);
    root.set("parameters", JSON.valueToTree(parameters));
    describeMachine(root.putObject("machine"));
    ObjectNode all = root.putObject("figures");
    figures.forEach(figure -> describe(figure, all.putObject(figure.key())));
    String json = JSON.writeValueAsString(root) + "\n";
    Path out = options.output.out;
    if (out != null) {
      Files.writeString(out.resolve(benchmark + ".json"), json);
    }
    System.out.print(options.output.json ? json : text());
    return figures.stream().allMatch(Figure::holds) ? Main.DONE : Main.FAILED;
  }

  private static void describe(Figure figure, ObjectNode node) {
    node.put("value", figure.value()).put("unit", figure.unit());
    if (figure.target() != null) {
      node.put("target", figure.target()).put("met", figure.holds());
    }
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    for (Figure figure : figures) {
      String target =
          figure.target() == null
              ? ""
              : String.format("%-5s(%s)", figure.holds() ? "ok" : "MISS", figure.target());
      text.append(
          String.format(
                  Locale.ROOT,
                  "%-42s%12s %-5s%s",
                  figure.name(),
                  number(figure.value(), figure.unit()),
                  figure.unit(),
                  target)
              .stripTrailing());
      text.append('\n');
    }
    return text.toString();
  }

  private static String number(double value, String unit) {
    boolean whole = unit.equals("/s") || (unit.isEmpty() && value == Math.rint(value));
    return String.format(Locale.ROOT, whole ? "%.0f" : unit.equals("MB") ? "%.1f" : "%.2f", value);
  }

  /** The machine of the measurement, and its current load. */
  static void describeMachine(ObjectNode node) {
    node.put("processors", Runtime.getRuntime().availableProcessors())
        .put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"))
        .put("java", System.getProperty("java.version"))
        .put("load_average", loadAverage());
  }

  /** The load average of the last minute; negative if the system has none. */
  private static double loadAverage() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }
}
