package io.malob.simulation;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableMap;
import io.malob.simulation.subflow.TrafficFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The throughput of the sessions of {@code ./malob lab run mptcp} in the fluid model. */
@Command(
    name = MptcpFluidCommand.NAME,
    description = {
      "simulation: the throughput of the sessions of 'lab run mptcp'",
      "if their sub-flows share links max-min fairly"
    },
    mixinStandardHelpOptions = true)
final class MptcpFluidCommand implements Callable<Integer> {
  static final String NAME = "mptcp-fluid";

  @Parameters(
      paramLabel = "FILE",
      description = "The traffic.json that 'lab run mptcp' has written.")
  private @Nullable Path file;

  @Mixin private OutputOptions output = new OutputOptions();

  @Override
  public Integer call() throws IOException {
    SimulationReport report =
        new SimulationReport(NAME, ImmutableMap.of(), List.of("cell", "Mbit/s"));
    for (Map.Entry<String, Double> cell : model().entrySet()) {
      report.metric("model_mbps." + cell.getKey(), cell.getValue(), "Mbit/s");
      report.line(List.of(cell.getKey(), SimulationReport.number(cell.getValue())));
    }
    report.publish(output);
    return Main.DONE;
  }

  private Map<String, Double> model() throws IOException {
    if (file == null || !file.toFile().canRead()) {
      throw output.wrong(file + " cannot be read");
    }
    try {
      return TrafficFile.read(new ObjectMapper().readTree(file.toFile())).modelMbps();
    } catch (JsonProcessingException e) {
      throw output.wrong(file + " is not JSON: " + e.getOriginalMessage());
    } catch (IllegalArgumentException e) {
      throw output.wrong(file + ": " + e.getMessage());
    }
  }
}
