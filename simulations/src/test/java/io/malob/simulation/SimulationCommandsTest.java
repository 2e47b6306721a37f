package io.malob.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class SimulationCommandsTest {

  /** What a command prints on stdout. */
  private static String run(String... arguments) {
    PrintStream before = System.out;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      assertEquals(Main.DONE, Main.commandLine().execute(arguments));
    } finally {
      System.setOut(before);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static JsonNode metrics(String json) throws IOException {
    return new ObjectMapper().readTree(json).path("metrics");
  }

  @ParameterizedTest
  @ValueSource(strings = {"fluid", "herding", "mix", "antagonist"})
  void sameCommand_givesTheSameToTheLastDigit(String command) throws IOException {
    String first = run(command, "--json", "--seeds", "2", "--requests", "2");
    assertEquals(first, run(command, "--json", "--seeds", "2", "--requests", "2"));
    JsonNode document = new ObjectMapper().readTree(first);
    assertEquals(command, document.path("experiment").asText());
    assertTrue(document.path("simulation").asBoolean());
    assertTrue(document.path("metrics").size() > 10);
  }

  /** Two hosts, each with a server at hand: 100 MB at 57.0 Mbit/s and 14 ms there and back. */
  @Test
  void fluid_namesMediansAsTheExperimentsDo() throws IOException {
    JsonNode metrics =
        metrics(
            run(
                "fluid",
                "--json",
                "--topology",
                "thesis-two-servers",
                "--processors",
                "1,1",
                "--clients",
                "1",
                "--seeds",
                "1",
                "--requests",
                "3"));
    JsonNode median = metrics.path("median_s.HT-PS");
    assertEquals(800e6 / 57e6 + 0.028, median.path("value").asDouble(), 1e-8);
    assertEquals("s", median.path("unit").asText());
    assertEquals(800e6 / 9.8e6 + 0.014, metrics.at("/median_s.SL-PS/value").asDouble(), 1e-8);
    for (String key : new String[] {"p10_s.CPU+HTP", "p90_s.LC+SPL", "median_s.RR+SPH"}) {
      assertTrue(metrics.path(key).path("value").asDouble() > 0, key);
    }
  }

  @Test
  void fluid_ofScaledRatesAndFiles_takesTheSameTimeButForLatencies() throws IOException {
    String[] few = {"fluid", "--json", "--seeds", "1", "--requests", "3", "--interval", "0"};
    double whole = metrics(run(few)).at("/median_s.SL-PS/value").asDouble();
    double fifth =
        metrics(
                run(
                    "fluid",
                    "--json",
                    "--seeds",
                    "1",
                    "--requests",
                    "3",
                    "--interval",
                    "0",
                    "--scale",
                    "0.2",
                    "--bytes",
                    "20000000"))
            .at("/median_s.SL-PS/value")
            .asDouble();
    assertEquals(whole, fifth, 1e-6);
  }

  @Test
  void table_hasALineForEachCombination() {
    String text = run("fluid", "--seeds", "1", "--requests", "2");
    assertTrue(text.startsWith("simulation fluid {topology=geni-wan"), text);
    for (String name : FluidCommand.COMBINATIONS) {
      assertEquals(1, text.lines().filter(line -> line.startsWith(name + " ")).count(), name);
    }
    assertEquals(1, text.lines().filter(line -> line.startsWith("omniscient ")).count());
    assertTrue(text.contains("Of 12 pairs of client and server, 2 have a wider path"), text);
  }

  /** 100 MB at 57.0 Mbit/s and 28 ms, from the farther of two servers. */
  @Test
  void fluid_boundsMedians() throws IOException {
    JsonNode metrics =
        metrics(
            run(
                "fluid",
                "--json",
                "--topology",
                "thesis-two-servers",
                "--processors",
                "1,1",
                "--clients",
                "2",
                "--seeds",
                "1",
                "--requests",
                "3"));
    double bound = metrics.at("/min_median_s/value").asDouble();
    assertEquals(800e6 / 57e6 + 0.028, bound, 1e-8);
    for (String name : FluidCommand.COMBINATIONS) {
      assertTrue(metrics.path("median_s." + name).path("value").asDouble() >= bound, name);
    }
  }

  @Test
  void out_getsTheSameAsStdout(@TempDir Path directory) throws IOException {
    Path out = directory.resolve("results");
    String printed =
        run("fluid", "--json", "--seeds", "1", "--requests", "2", "--out", out.toString());
    assertEquals(printed, Files.readString(out.resolve("fluid.json")));
  }

  @Test
  void mptcpFluid_namesCellsAsTheExperimentDoes(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("traffic.json");
    Files.writeString(
        file,
        """
        {"access_mbps": 30, "plans": {}, "networks": {"two": {
           "switches": {"a": "00:01", "b": "00:02"},
           "hosts": {"h1": {"switch": "a", "ip": "10.0.0.1/24", "role": "client"},
                     "h2": {"switch": "b", "ip": "10.0.0.2/24", "role": "server"}},
           "links": [{"ends": ["a", "b"], "rate_mbps": 7}]}},
         "cells": [{"cell": "TCP.LOW.two", "network": "two", "plan": null,
           "sessions": [{"from": "h1", "to": "h2", "addresses": ["10.0.0.1"]}]}]}
        """);
    String printed = run("mptcp-fluid", file.toString(), "--json", "--out", directory.toString());
    assertEquals(printed, Files.readString(directory.resolve("mptcp-fluid.json")));
    JsonNode cell = metrics(printed).path("model_mbps.TCP.LOW.two");
    assertEquals(7.0, cell.path("value").asDouble(), 1e-9);
    assertEquals("Mbit/s", cell.path("unit").asText());
    assertTrue(run("mptcp-fluid", file.toString()).contains("TCP.LOW.two    7.00"));
  }

  @Test
  void version_isThatOfMalob_forEachCommand() {
    assertTrue(run("--version").startsWith("MALOB "));
    assertTrue(run("fluid", "--version").startsWith("MALOB "));
  }

  @Test
  void mptcpFluid_ofAFileThatIsNone_saysSo(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("traffic.json");
    Files.writeString(file, "{\"access_mbps\": 0}");
    CommandLine commandLine = Main.commandLine();
    StringWriter errors = new StringWriter();
    commandLine.setErr(new PrintWriter(errors));
    assertEquals(Main.WRONG_USE, commandLine.execute("mptcp-fluid", file.toString()));
    assertTrue(
        errors.toString().contains("'access_mbps' must be a number above 0"), errors.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mptcp-fluid nowhere.json | nowhere.json cannot be read",
        "fluid --clients 0 | --clients must be positive",
        "fluid --scale -1 | --scale must be positive",
        "fluid --bytes 0 | --bytes must be positive",
        "fluid --pause -1 | --pause must not be negative",
        "herding --requests 0 | --requests must be positive",
        "antagonist --load 0 | --load must be positive",
        "antagonist --requests 0 | --requests must be positive",
        "antagonist --seeds 0 | --seeds must be positive",
        "antagonist --rules LC,FASTEST | there is no algorithm 'FASTEST'",
        "herding --bytes 0 | --bytes must be positive",
        "mix --interval 0 | --interval must be positive",
        "mix --seeds 0 | --seeds must be positive",
        "mix --topology nowhere | there is no network 'nowhere'",
        "fluid --topology mesh5 | cannot be simulated",
        "fluid --processors 4,1 | geni-wan has 3 servers",
        "fluid --weights 4,1,0 | --weights must be positive"
      })
  void wrongOption_isNamed(String command, String sentence) {
    CommandLine commandLine = Main.commandLine();
    StringWriter errors = new StringWriter();
    commandLine.setErr(new PrintWriter(errors));
    assertEquals(Main.WRONG_USE, commandLine.execute(command.split(" ")));
    assertTrue(errors.toString().contains(sentence), errors.toString());
  }
}
