package io.malob.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A child Java process that does not outlive this one: it ends when it is closed, when this process
 * ends, and, if {@code setpriv} is available, even when this process is killed.
 */
public final class ChildProcess implements AutoCloseable {
  private static final Path SETPRIV = Path.of("/usr/bin/setpriv");
  private static final int SECONDS_TO_STOP = 12;

  private final Process process;
  private final Path log;
  private final Thread hook = new Thread(this::end, "end-child");

  private ChildProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Starts a Java process whose output goes to a file.
   *
   * @param arguments what follows {@code java}
   */
  public static ChildProcess start(List<String> arguments, Path log) throws IOException {
    List<String> command = new ArrayList<>();
    if (Files.isExecutable(SETPRIV)) {
      command.addAll(List.of(SETPRIV.toString(), "--pdeathsig", "KILL"));
    }
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    return new ChildProcess(process, log);
  }

  /** Its process id. */
  public long pid() {
    return process.pid();
  }

  /**
   * Checks that it still runs.
   *
   * @throws IOException if it has ended
   */
  public void checkAlive() throws IOException {
    if (!process.isAlive()) {
      throw new IOException("it ended with exit code " + process.exitValue() + "; see " + log);
    }
  }

  /** Ends it at once, with SIGKILL, and waits until it has ended. */
  public void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
    Runtime.getRuntime().removeShutdownHook(hook);
  }

  @Override
  public void close() {
    end();
    Runtime.getRuntime().removeShutdownHook(hook);
  }

  private void end() {
    process.destroy();
    try {
      if (!process.waitFor(SECONDS_TO_STOP, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
