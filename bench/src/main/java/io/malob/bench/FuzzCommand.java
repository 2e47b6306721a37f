package io.malob.bench;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Spoils input for long, guided by coverage (Jazzer), for the targets that the tests have. */
@Command(
    name = FuzzCommand.NAME,
    description =
        "spoiled input for the parsers, guided by what it reaches: findings, memory, threads",
    mixinStandardHelpOptions = true)
final class FuzzCommand implements Callable<Integer> {
  static final String NAME = "fuzz";

  private static final Path TESTS = Path.of("target", "test-classes");
  private static final double MOST_GROWTH_MEGABYTES = 20;
  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  @Parameters(
      paramLabel = "TARGET",
      defaultValue = "packets",
      description = "packets, openflow, probes, reports or catalog (${DEFAULT-VALUE}).")
  private String target = "";

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "10000000",
      description = "How many inputs (${DEFAULT-VALUE}).")
  private int runs;

  @Mixin private ProcessOptions processOptions = new ProcessOptions();

  /** What is fuzzed: a class of the tests, and the corpus that it begins with. */
  private enum Target {
    PACKETS("io.malob.openflow.packet.PacketFuzz"),
    OPENFLOW("io.malob.controller.channel.ChannelFuzz"),
    PROBES("io.malob.controller.network.links.ProbeFuzz"),
    REPORTS("io.malob.state.report.ReportFuzz"),
    CATALOG("io.malob.state.catalog.CatalogFuzz");

    private final String type;

    Target(String type) {
      this.type = type;
    }

    Path corpus() {
      return TESTS.resolve("fuzz").resolve(label() + ".txt");
    }

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Target chosen = chosen();
    if (!Files.isReadable(chosen.corpus())) {
      System.err.println("no " + chosen.corpus() + ": 'mvn test-compile' makes it");
      return Main.MISSING;
    }
    Figures figures = new Figures();
    try (Workspace workspace = Workspace.open(processOptions.out)) {
      Path corpus = Files.createDirectories(workspace.directory().resolve("corpus-" + target));
      int seeds = unpack(chosen.corpus(), corpus);
      Path counts = workspace.directory().resolve("counts");
      long begin = System.nanoTime();
      int exit = new ProcessBuilder(command(chosen, corpus, counts)).inheritIO().start().waitFor();
      double seconds = (System.nanoTime() - begin) / NANOS_PER_SECOND;
      addTo(figures, seconds, exit, counts);
      figures.addCount("seeds", "inputs to begin with", seeds);
      figures.addCount("corpus", "inputs that reach something of their own", files(corpus));
      Files.deleteIfExists(counts);
    }
    return figures.publish(NAME, Map.of("target", target, "runs", runs), processOptions);
  }

  private Target chosen() {
    return Stream.of(Target.values())
        .filter(each -> each.label().equals(target))
        .filter(each -> runs > 0)
        .findFirst()
        .orElseThrow(
            () ->
                new WrongUseException(
                    "TARGET is packets, openflow, probes, reports or catalog, --runs positive"));
  }

  /** Jazzer's corpus is a directory with a file for each input. */
  private static int unpack(Path from, Path corpus) throws IOException {
    int count = 0;
    for (String line : Files.readAllLines(from, StandardCharsets.US_ASCII)) {
      String[] parts = line.split(" ", 2);
      if (parts.length == 2 && !parts[0].equals("#")) {
        Files.write(corpus.resolve(parts[0]), HexFormat.of().parseHex(parts[1]));
        count++;
      }
    }
    return count;
  }

  private List<String> command(Target chosen, Path corpus, Path counts) {
    String classPath =
        String.join(File.pathSeparator, property("java.class.path"), TESTS.toString());
    return List.of(
        Path.of(property("java.home"), "bin", "java").toString(),
        "-Xmx" + processOptions.heapOr("512m"),
        "-Dmalob.fuzz.target=" + chosen.type,
        "-Dmalob.fuzz.counts=" + counts,
        // what Jazzer does to calls of Unsafe breaks Netty's search for it
        "-Dio.netty.noUnsafe=true",
        "-cp",
        classPath,
        "com.code_intelligence.jazzer.Jazzer",
        "--target_class=io.malob.bench.fuzz.CountedTarget",
        "--instrumentation_includes=io.malob.**",
        "--instrumentation_excludes=io.malob.bench.**",
        // nothing here opens files, speaks SQL or loads classes by name
        "--disabled_hooks=com.code_intelligence.jazzer.sanitizers.*",
        "-runs=" + runs,
        "-print_final_stats=1",
        "-artifact_prefix=" + corpus.getParent() + File.separator,
        "--reproducer_path=" + corpus.getParent(),
        corpus.toString());
  }

  private static String property(String name) {
    return Objects.requireNonNull(System.getProperty(name), name);
  }

  private void addTo(Figures figures, double seconds, int exit, Path counts) throws IOException {
    figures.addExactly("findings", "findings (the first one ends the run)", exit == 0 ? 0 : 1, 0);
    String[] said =
        Files.isReadable(counts) ? Files.readString(counts).split(" ", -1) : new String[0];
    if (said.length < 5) {
      figures.addExactly("inputs", "inputs", 0, runs);
      return;
    }
    long inputs = Long.parseLong(said[0]);
    figures.add("inputs", "inputs", (double) inputs, "", ">= " + runs, inputs >= runs);
    figures.add("seconds", "time", seconds, "s");
    figures.add("rate", "inputs per second", inputs / seconds, "/s");
    double grown = Double.parseDouble(said[2]) - Double.parseDouble(said[1]);
    figures.add("heap", "heap at the end", Double.parseDouble(said[2]), "MB");
    figures.addBelow(
        "heap_grown", "  more than after 100,000 inputs", grown, "MB", MOST_GROWTH_MEGABYTES);
    figures.addCount("threads_before", "threads after 100,000 inputs", Long.parseLong(said[3]));
    figures.addCount("threads", "threads at the end", Long.parseLong(said[4]));
  }

  private static long files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.count();
    }
  }
}
