package io.malob.bench.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The live heap of another Java process of the same user after a full garbage collection, summed up
 * by the JVM before its threads continue.
 */
public final class HeapProbe {
  private static final Pattern TOTAL =
      Pattern.compile("^Total\\s+\\d+\\s+(\\d+)\\s*$", Pattern.MULTILINE);
  private static final double MEGABYTE = 1024 * 1024;

  private HeapProbe() {}

  /** Collects all garbage and returns the size of the rest, in megabytes. */
  public static double liveMegabytes(long pid) throws IOException, InterruptedException {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    Process process =
        new ProcessBuilder(jcmd, Long.toString(pid), "GC.class_histogram")
            .redirectErrorStream(true)
            .start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int status = process.waitFor();
    Matcher total = TOTAL.matcher(text);
    if (status != 0 || !total.find()) {
      throw new IOException("jcmd " + pid + " ended with " + status + ": " + text.strip());
    }
    return Long.parseLong(total.group(1)) / MEGABYTE;
  }
}
