package io.malob.simulation;

import com.google.common.collect.ImmutableMap;
import io.malob.simulation.scale.Deployment;
import io.malob.simulation.scale.Deployment.Topology;
import io.malob.simulation.scale.Resource;
import io.malob.simulation.scale.ScaleModel;
import io.malob.simulation.scale.ScaleModel.Placement;
import io.malob.simulation.scale.ScaleTable;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What a network demands of switches, controllers and etcd, and what runs out first. */
@Command(
    name = ScaleCommand.NAME,
    description = {
      "simulation: what a network of a size demands of switches, controllers and etcd,",
      "and which of their resources runs out first"
    },
    mixinStandardHelpOptions = true)
final class ScaleCommand implements Callable<Integer> {
  static final String NAME = "scale";

  @Option(
      names = "--topology",
      paramLabel = "NAME",
      defaultValue = "FAT_TREE",
      description = "FAT_TREE or CAMPUS (${DEFAULT-VALUE}).")
  private Topology topology = Topology.FAT_TREE;

  @Option(
      names = "--switches",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Switches (${DEFAULT-VALUE}).")
  private int switches;

  @Option(
      names = "--vips",
      paramLabel = "N",
      defaultValue = "100",
      description = "VIPs, each with an equal part of the members (${DEFAULT-VALUE}).")
  private int vips;

  @Option(
      names = "--members",
      paramLabel = "N",
      defaultValue = "100000",
      description = "Members, 40 at a switch (${DEFAULT-VALUE}).")
  private int members;

  @Option(
      names = "--next-hops",
      paramLabel = "N",
      defaultValue = "2000",
      description = "Hosts and routers that clients' packets come from (${DEFAULT-VALUE}).")
  private int nextHops;

  @Option(
      names = "--rate",
      paramLabel = "R",
      defaultValue = "1000000",
      description = "New connections per second (${DEFAULT-VALUE}).")
  private double rate;

  @Option(
      names = "--lifetime",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "From the first to the last packet of a connection (${DEFAULT-VALUE}).")
  private double lifetime;

  @Option(
      names = "--controllers",
      paramLabel = "N",
      defaultValue = "15",
      description = "Controllers (${DEFAULT-VALUE}).")
  private int controllers;

  @Option(
      names = "--one-master",
      description = "One controller is master of all switches; otherwise each of an equal part.")
  private boolean hasOneMaster;

  @Option(
      names = "--cores",
      paramLabel = "N",
      defaultValue = "32",
      description = "Processors of a controller (${DEFAULT-VALUE}).")
  private int cores;

  @Option(
      names = "--heap-mb",
      paramLabel = "N",
      defaultValue = "64000",
      description = "Heap of a controller (${DEFAULT-VALUE}).")
  private double heapMegabytes;

  @Option(
      names = "--markdown",
      description = "Print the tables of the documentation instead, for its three sizes.")
  private boolean isMarkdown;

  @Mixin private OutputOptions output = new OutputOptions();

  @Override
  public Integer call() throws IOException {
    if (isMarkdown) {
      for (Placement placement : Placement.values()) {
        System.out.println(ScaleTable.of(Deployment.SIZES, placement));
      }
      return Main.DONE;
    }
    output.require(
        switches > 1 && vips > 0 && members > 0 && nextHops > 0 && controllers > 0 && cores > 0,
        "--switches must be 2 or more; --vips, --members, --next-hops, --controllers and --cores"
            + " must be positive");
    output.require(
        rate >= 0 && lifetime >= 0 && heapMegabytes > 0,
        "--rate and --lifetime must not be negative, --heap-mb must be positive");
    Deployment deployment =
        new Deployment(
            "",
            topology,
            switches,
            vips,
            members,
            nextHops,
            rate * lifetime,
            rate,
            controllers,
            !hasOneMaster,
            cores,
            heapMegabytes);
    report(deployment).publish(output);
    return Main.DONE;
  }

  private static SimulationReport report(Deployment deployment) {
    SimulationReport report =
        new SimulationReport(
            NAME,
            ImmutableMap.of("deployment", deployment),
            List.of("resource", "reactive", "used", "proactive", "used"));
    ScaleModel reactive = new ScaleModel(deployment, Placement.REACTIVE);
    ScaleModel proactive = new ScaleModel(deployment, Placement.PROACTIVE);
    List<Resource> others = proactive.resources();
    int row = 0;
    for (Resource resource : reactive.resources()) {
      Resource other = others.get(row++);
      report.line(
          List.of(
              resource.name(),
              SimulationReport.number(resource.demand()),
              SimulationReport.percent(resource.utilization()),
              SimulationReport.number(other.demand()),
              SimulationReport.percent(other.utilization())));
      report.metric("reactive." + key(resource), resource.utilization(), "");
      report.metric("proactive." + key(other), other.utilization(), "");
    }
    report.remark("first, reactive: " + reactive.first().name());
    report.remark("first, proactive: " + proactive.first().name());
    return report;
  }

  private static String key(Resource resource) {
    return resource.name().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "_");
  }
}
