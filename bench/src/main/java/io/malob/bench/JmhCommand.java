package io.malob.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Runs the micro-benchmarks, each in a JVM of its own. */
@Command(
    name = JmhCommand.NAME,
    description = "nanoseconds of single steps: pickers, placers, paths, parsing, messages",
    mixinStandardHelpOptions = true)
final class JmhCommand implements Callable<Integer> {
  static final String NAME = "jmh";

  @Parameters(
      paramLabel = "REGEX",
      description = "Only benchmarks whose class and method match one of these.")
  private List<String> patterns = new ArrayList<>();

  @Mixin private OutputOptions output = new OutputOptions();

  @Override
  public Integer call() throws IOException {
    OptionsBuilder options = new OptionsBuilder();
    patterns.forEach(options::include);
    Collection<RunResult> results;
    try {
      results =
          new Runner(
                  options.shouldFailOnError(true).build(),
                  OutputFormatFactory.createFormatInstance(System.err, VerboseMode.NORMAL))
              .run();
    } catch (NoBenchmarksException e) {
      System.err.println("no benchmark matches " + String.join(" or ", patterns));
      return Main.WRONG_USE;
    } catch (RunnerException e) {
      throw new IOException("a benchmark failed: " + e.getMessage(), e);
    }
    Path out = output.out;
    if (out != null) {
      Path file = Files.createDirectories(out).resolve(NAME + ".json");
      try (PrintStream stream = new PrintStream(file.toFile(), StandardCharsets.UTF_8)) {
        write(results, ResultFormatType.JSON, stream);
      }
    }
    write(results, output.json ? ResultFormatType.JSON : ResultFormatType.TEXT, System.out);
    return Main.DONE;
  }

  private static void write(
      Collection<RunResult> results, ResultFormatType format, PrintStream stream) {
    ResultFormatFactory.getInstance(format, stream).writeOut(results);
  }
}
