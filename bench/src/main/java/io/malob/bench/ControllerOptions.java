package io.malob.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** The controller to start, as an option. */
final class ControllerOptions {
  @Option(
      names = "--controller-jar",
      paramLabel = "PATH",
      defaultValue = "target/malob.jar",
      description = "The controller to start (${DEFAULT-VALUE}).")
  Path jar = Path.of("");

  /** Whether it exists; prints an error if not. */
  boolean isBuilt() {
    return CodecCommand.exists(jar);
  }

  ControllerProcess start(List<String> jvmOptions, Workspace workspace)
      throws IOException, InterruptedException {
    return start(jvmOptions, workspace, "controller", List.of());
  }

  /**
   * Starts it with more arguments than ports and data.
   *
   * @param name of its log
   */
  ControllerProcess start(
      List<String> jvmOptions, Workspace workspace, String name, List<String> arguments)
      throws IOException, InterruptedException {
    return ControllerProcess.start(jar, jvmOptions, workspace, name, arguments);
  }
}
