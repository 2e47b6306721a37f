package io.malob.simulation;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Counting;
import io.malob.simulation.model.LabNetwork;
import io.malob.simulation.model.Setting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The simulated setting, as options. */
final class SimulationOptions {
  @Option(
      names = "--topology",
      paramLabel = "NAME",
      defaultValue = "geni-wan",
      description = "One of the emulated networks whose links have rates (${DEFAULT-VALUE}).")
  String topology = "";

  @Option(
      names = "--scale",
      paramLabel = "F",
      defaultValue = "1",
      description = "Multiplies the rates of all links, as for 'malob lab up' (${DEFAULT-VALUE}).")
  double scale;

  @Option(
      names = "--processors",
      paramLabel = "N",
      split = ",",
      description = "Processors of each server (four for the first, one for each other).")
  List<Integer> processors = new ArrayList<>();

  @Option(
      names = "--weights",
      paramLabel = "N",
      split = ",",
      description = "Weight of each server in its pool (1).")
  List<Integer> weights = new ArrayList<>();

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "10",
      description = "Number of runs of each kind, with seeds from 1 (${DEFAULT-VALUE}).")
  int seeds;

  @Mixin final OutputOptions output = new OutputOptions();

  /** The network at its scale. */
  LabNetwork network() throws IOException {
    require(scale > 0, "--scale must be positive");
    require(seeds > 0, "--seeds must be positive");
    try {
      LabNetwork network =
          LabNetwork.named(topology)
              .orElseThrow(
                  () -> output.wrong("--topology: there is no network '" + topology + "'"));
      return network.scaled(scale);
    } catch (IllegalArgumentException e) {
      throw output.wrong("--topology: " + topology + " cannot be simulated: " + e.getMessage());
    }
  }

  /** The setting for an algorithm. */
  Setting setting(LabNetwork network, Algorithm algorithm, double intervalSeconds) {
    return new Setting(
        network,
        algorithm,
        Counting.PLACED_SINCE,
        intervalSeconds,
        perServer("--processors", processors, network, 4),
        perServer("--weights", weights, network, 1));
  }

  private ImmutableList<Integer> perServer(
      String option, List<Integer> given, LabNetwork network, int usualOfFirst) {
    int servers = network.servers().size();
    if (given.isEmpty()) {
      List<Integer> usual = new ArrayList<>(Collections.nCopies(servers, 1));
      usual.set(0, usualOfFirst);
      return ImmutableList.copyOf(usual);
    }
    require(given.size() == servers, option + ": " + topology + " has " + servers + " servers");
    require(given.stream().allMatch(number -> number > 0), option + " must be positive");
    return ImmutableList.copyOf(given);
  }

  /** Refuses a command line for which this does not hold. */
  void require(boolean holds, String sentence) {
    output.require(holds, sentence);
  }
}
