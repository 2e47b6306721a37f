package io.malob.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The output of the results, as options of every simulation. */
final class OutputOptions {
  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Also write the results to this directory, as JSON.")
  private @Nullable Path out;

  @Option(names = "--json", description = "Print the results as JSON.")
  private boolean json;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  /** Prints the results in the form that was asked for, and writes them to DIR/name.json. */
  void publish(String name, String asJson, String asText) throws IOException {
    if (out != null) {
      Files.writeString(Files.createDirectories(out).resolve(name + ".json"), asJson);
    }
    System.out.print(json ? asJson : asText);
  }

  /** Refuses a command line for which this does not hold. */
  void require(boolean holds, String sentence) {
    if (!holds) {
      throw wrong(sentence);
    }
  }

  /** The exception for a wrong command line. */
  ParameterException wrong(String sentence) {
    return new ParameterException(
        command == null ? new picocli.CommandLine(new Main()) : command.commandLine(), sentence);
  }
}
