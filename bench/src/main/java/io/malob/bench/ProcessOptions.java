package io.malob.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How the JVM of the measured process is started, and where the results go, as options. */
final class ProcessOptions {
  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      description =
          "The heap of the measured process, as for -Xmx (heap, health, latency, switches: 512m;"
              + " buckets: 1g; footprint: as in the JVM's options; others: 600m).")
  private @Nullable String heap;

  @Option(
      names = "--java-option",
      paramLabel = "OPTION",
      description = "Another option for the JVM of the measured process; may be repeated.")
  private List<String> javaOptions = new ArrayList<>();

  @Mixin final OutputOptions output = new OutputOptions();

  @Option(
      names = "--jvm-options",
      paramLabel = "FILE",
      defaultValue = "scripts/malob/launcher/jvm.options",
      description =
          "The measured JVM's options, one per line: those of './malob run' (${DEFAULT-VALUE}, if"
              + " it exists).")
  private Path jvmOptions = Path.of("");

  /** The heap from the options, or else this one. */
  String heapOr(String usual) {
    return heap == null ? usual : heap;
  }

  /** The options of the measured JVM, the more specific ones last, with that heap. */
  List<String> jvm(String usualHeap) {
    List<String> options = baseOptions();
    options.add("-Xmx" + heapOr(usualHeap));
    options.addAll(javaOptions);
    return options;
  }

  /** The same with the heap of its own options, unless one was given. */
  List<String> jvm() {
    List<String> options = baseOptions();
    if (heap != null) {
      options.add("-Xmx" + heap);
    }
    options.addAll(javaOptions);
    return options;
  }

  private List<String> baseOptions() {
    List<String> options = new ArrayList<>();
    if (Files.isReadable(jvmOptions)) {
      options.add("@" + jvmOptions);
    }
    return options;
  }
}
