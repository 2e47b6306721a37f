package io.malob.bench.process;

import com.google.common.base.Splitter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;

/** The statistics of a process from Linux. Empty if not available, as on other systems. */
public final class ProcessStatus {
  /** Clock ticks per second in /proc, the same on all of Linux's platforms of today. */
  private static final double TICKS = 100;

  private ProcessStatus() {}

  /** The processor time that a process has used, in seconds. */
  public static OptionalDouble cpuSeconds(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      // behind the name, which is in parentheses and may have spaces in it
      List<String> fields = Splitter.on(' ').splitToList(stat.substring(stat.lastIndexOf(')') + 2));
      long ticks = Long.parseLong(fields.get(11)) + Long.parseLong(fields.get(12));
      return OptionalDouble.of(ticks / TICKS);
    } catch (IOException | RuntimeException e) {
      return OptionalDouble.empty();
    }
  }

  /** The memory that a process holds, in megabytes. */
  public static OptionalDouble residentMegabytes(long pid) {
    try {
      List<String> lines = Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"));
      return lines.stream()
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToDouble(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024.0)
          .findFirst();
    } catch (IOException | RuntimeException e) {
      return OptionalDouble.empty();
    }
  }
}
