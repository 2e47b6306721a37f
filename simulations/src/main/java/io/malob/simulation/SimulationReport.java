package io.malob.simulation;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The results of a simulation: a table for people, and every value by name with its unit for
 * programs. It does not describe the machine, because the machine does not matter.
 */
final class SimulationReport {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private final String experiment;
  private final Map<String, Object> parameters;
  private final Map<String, Metric> metrics = new LinkedHashMap<>();
  private final List<List<String>> lines = new ArrayList<>();
  private final List<String> remarks = new ArrayList<>();

  private record Metric(double value, String unit) {}

  /**
   * No results yet.
   *
   * @param header of the table
   */
  SimulationReport(String experiment, Map<String, Object> parameters, List<String> header) {
    this.experiment = experiment;
    this.parameters = parameters;
    lines.add(header);
  }

  /** Adds a value for programs. */
  void metric(String key, double value, String unit) {
    metrics.put(key, new Metric(value, unit));
  }

  /** Adds a line to the table. */
  void line(List<String> cells) {
    lines.add(cells);
  }

  /** Adds a sentence below the table. */
  void remark(String sentence) {
    remarks.add(sentence);
  }

  /** A number of a table. */
  static String number(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  /** A part of a table, from 0 to 1, in percent. */
  static String percent(double part) {
    return String.format(Locale.ROOT, "%.0f %%", 100 * part);
  }

  /** Prints the results, and optionally writes them to a file. */
  void publish(OutputOptions output) throws IOException {
    output.publish(experiment, json(), text());
  }

  /** The results as JSON. */
  String json() throws IOException {
    ObjectNode root = JSON.createObjectNode().put("experiment", experiment);
    root.put("simulation", true);
    root.set("parameters", JSON.valueToTree(parameters));
    ObjectNode all = root.putObject("metrics");
    metrics.forEach(
        (key, metric) ->
            all.putObject(key).put("value", metric.value()).put("unit", metric.unit()));
    return JSON.writeValueAsString(root) + "\n";
  }

  /** The results as a table: its first column to the left, the others to the right. */
  String text() {
    StringBuilder text = new StringBuilder("simulation " + experiment + " " + parameters + "\n\n");
    for (List<String> line : lines) {
      StringBuilder row = new StringBuilder();
      for (int column = 0; column < line.size(); column++) {
        int width = width(column);
        row.append(String.format("%" + (column == 0 ? "-" : "") + width + "s  ", line.get(column)));
      }
      text.append(row.toString().stripTrailing()).append('\n');
    }
    remarks.forEach(sentence -> text.append('\n').append(sentence).append('\n'));
    return text.toString();
  }

  private int width(int column) {
    return lines.stream().mapToInt(line -> line.get(column).length()).max().orElse(1);
  }
}
