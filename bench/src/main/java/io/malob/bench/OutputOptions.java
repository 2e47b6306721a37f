package io.malob.bench;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the results go, as options of every benchmark. */
final class OutputOptions {
  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Directory for the results (JSON) and the log of the measured process.")
  @Nullable Path out;

  @Option(names = "--json", description = "Print the results as JSON.")
  boolean json;
}
