package io.malob.fuzz;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.malob.testing.FuzzCorpus;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Gives a parser spoiled inputs for long, guided by coverage (Jazzer, in a process of its own).
 * {@code ./malob test --fuzz} runs it. Exit codes: 0 done, 1 something was found or the heap grew,
 * 2 wrong use.
 */
@Command(
    name = "malob test --fuzz",
    description = "Fuzzes the parsers, guided by coverage; checks for errors and heap growth.",
    mixinStandardHelpOptions = true)
public final class FuzzCommand implements Callable<Integer> {
  private static final double MAX_GROWTH_MEGABYTES = 20;
  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  @Parameters(
      paramLabel = "TARGET",
      defaultValue = "packets",
      description =
          "packets, openflow, probes, reports, catalog, peers, replica or conntrack"
              + " (${DEFAULT-VALUE}).")
  private String target;

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "10000000",
      description = "Number of inputs (${DEFAULT-VALUE}).")
  private int runs;

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      defaultValue = "512m",
      description = "The heap, as for -Xmx (${DEFAULT-VALUE}).")
  private String heap;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Directory for the corpus, the findings and the results (JSON).")
  private Path out;

  @Option(names = "--json", description = "Print the results as JSON.")
  private boolean json;

  @Spec private CommandSpec command;

  private final List<Figure> figures = new ArrayList<>();

  /** What is fuzzed: a class of the tests. The corpus that it begins with has its name. */
  private enum Target {
    PACKETS("io.malob.openflow.packet.PacketFuzz"),
    OPENFLOW("io.malob.controller.channel.ChannelFuzz"),
    PROBES("io.malob.controller.network.links.ProbeFuzz"),
    REPORTS("io.malob.state.report.ReportFuzz"),
    CATALOG("io.malob.state.catalog.CatalogFuzz"),
    PEERS("io.malob.cluster.peer.PeerChannelFuzz"),
    REPLICA("io.malob.balancer.replica.ReplicaFuzz"),
    CONNTRACK("io.malob.openflow.tracked.ConntrackFuzz");

    private final String type;

    Target(String type) {
      this.type = type;
    }

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private record Figure(String key, String name, double value, String unit, boolean holds) {}

  /** Fuzzes one target and ends the process. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new FuzzCommand()).execute(args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Target chosen =
        Stream.of(Target.values())
            .filter(each -> each.label().equals(target) && runs > 0)
            .findFirst()
            .orElseThrow(
                () ->
                    new ParameterException(
                        command.commandLine(),
                        "TARGET must be packets, openflow, probes, reports, catalog, peers,"
                            + " replica or conntrack, and --runs positive"));
    Path directory =
        out == null ? Files.createTempDirectory("malob-fuzz") : Files.createDirectories(out);
    try {
      fuzz(chosen, directory);
      publish(directory);
    } finally {
      if (out == null) {
        delete(directory);
      }
    }
    return figures.stream().allMatch(Figure::holds) ? 0 : 1;
  }

  private void fuzz(Target chosen, Path directory) throws IOException, InterruptedException {
    Path corpus = Files.createDirectories(directory.resolve("corpus-" + target));
    Map<String, byte[]> seeds = FuzzCorpus.read(chosen.label() + ".txt");
    for (Map.Entry<String, byte[]> seed : seeds.entrySet()) {
      Files.write(corpus.resolve(seed.getKey()), seed.getValue());
    }
    Path counts = directory.resolve("counts");
    long begin = System.nanoTime();
    int exit = new ProcessBuilder(command(chosen, corpus, counts)).inheritIO().start().waitFor();
    double seconds = (System.nanoTime() - begin) / NANOS_PER_SECOND;
    add("findings", "findings (the first one ends the run)", exit == 0 ? 0 : 1, "", exit == 0);
    addCounts(seconds, counts);
    add("seeds", "initial inputs", seeds.size(), "", true);
    add("corpus", "inputs with new coverage", (double) files(corpus), "", true);
    Files.deleteIfExists(counts);
  }

  private List<String> command(Target chosen, Path corpus, Path counts) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx" + heap,
        "-Dmalob.fuzz.target=" + chosen.type,
        "-Dmalob.fuzz.counts=" + counts,
        "-Dlogback.configurationFile=fuzz/logback.xml",
        // what Jazzer does to calls of Unsafe breaks Netty's search for it
        "-Dio.netty.noUnsafe=true",
        "-cp",
        System.getProperty("java.class.path"),
        "com.code_intelligence.jazzer.Jazzer",
        "--target_class=" + CountedTarget.class.getName(),
        "--instrumentation_includes=io.malob.**",
        "--instrumentation_excludes=io.malob.fuzz.**",
        // nothing here opens files, speaks SQL or loads classes by name
        "--disabled_hooks=com.code_intelligence.jazzer.sanitizers.*",
        "-runs=" + runs,
        "-print_final_stats=1",
        "-artifact_prefix=" + corpus.getParent() + File.separator,
        "--reproducer_path=" + corpus.getParent(),
        corpus.toString());
  }

  private void add(String key, String name, double value, String unit, boolean holds) {
    figures.add(new Figure(key, name, value, unit, holds));
  }

  /** What {@link CountedTarget} has written. */
  private void addCounts(double seconds, Path counts) throws IOException {
    String[] said =
        Files.isReadable(counts) ? Files.readString(counts).split(" ", -1) : new String[0];
    if (said.length < 5) {
      add("inputs", "inputs", 0, "", false);
      return;
    }
    double inputs = Double.parseDouble(said[0]);
    double before = Double.parseDouble(said[1]);
    double after = Double.parseDouble(said[2]);
    add("inputs", "inputs", inputs, "", inputs >= runs);
    add("seconds", "time", seconds, "s", true);
    add("rate", "inputs per second", inputs / seconds, "/s", true);
    add("heap", "heap at the end", after, "MB", true);
    add(
        "heap_grown",
        "  more than after 100,000 inputs",
        after - before,
        "MB",
        after - before < MAX_GROWTH_MEGABYTES);
    add("threads_before", "threads after 100,000 inputs", Double.parseDouble(said[3]), "", true);
    add("threads", "threads at the end", Double.parseDouble(said[4]), "", true);
  }

  private void publish(Path directory) throws IOException {
    ObjectMapper mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    ObjectNode root = mapper.createObjectNode().put("benchmark", "fuzz");
    root.putObject("parameters").put("target", target).put("runs", runs);
    ObjectNode all = root.putObject("figures");
    StringBuilder text = new StringBuilder();
    for (Figure figure : figures) {
      all.putObject(figure.key())
          .put("value", figure.value())
          .put("unit", figure.unit())
          .put("met", figure.holds());
      text.append(
          String.format(
              Locale.ROOT,
              "%-42s%12.1f %-5s%s%n",
              figure.name(),
              figure.value(),
              figure.unit(),
              figure.holds() ? "" : "MISS"));
    }
    String document = mapper.writeValueAsString(root) + "\n";
    Files.writeString(directory.resolve("fuzz.json"), document);
    System.out.print(json ? document : text);
  }

  private static long files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.count();
    }
  }

  private static void delete(Path directory) throws IOException {
    List<Path> all;
    try (Stream<Path> found = Files.walk(directory)) {
      all = found.sorted((a, b) -> b.compareTo(a)).toList();
    }
    for (Path each : all) {
      Files.delete(each);
    }
  }
}
