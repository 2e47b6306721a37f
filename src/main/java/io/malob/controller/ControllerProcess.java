package io.malob.controller;

import io.malob.controller.module.ModuleSettings;
import io.malob.module.IMastershipService;
import io.malob.module.WrongSettingException;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The controller as a process: runs in the foreground until SIGTERM or SIGINT. Exit codes: 0
 * stopped on request, 1 failed, 2 wrong settings. {@link Main} starts it for people, {@link #main}
 * for programs. Used once, by one thread.
 */
public final class ControllerProcess {
  private static final Logger logger = LoggerFactory.getLogger(ControllerProcess.class);
  private static final int FAILED = 1;
  private static final int WRONG_SETTINGS = 2;
  private static final int SECONDS_TO_STOP = 10;

  private final CountDownLatch stopped = new CountDownLatch(1);
  private final CompletableFuture<Void> signalled = new CompletableFuture<>();
  private boolean hasHook;
  private volatile int exitStatus;

  /**
   * Runs a controller with the properties file that is its only argument, and ends the process. It
   * knows no options, because their parser takes about 3 MB of an end host's memory.
   */
  public static void main(String[] args) {
    if (args.length != 1) {
      System.err.println(
          "usage: java -cp malob.jar " + ControllerProcess.class.getName() + " FILE");
      System.exit(WRONG_SETTINGS);
    }
    System.exit(runWith(Path.of(args[0])));
  }

  private static int runWith(Path file) {
    ModuleSettings settings;
    try (Reader reader = Files.newBufferedReader(file)) {
      settings = ModuleSettings.read(reader);
    } catch (IOException e) {
      return failed(new IOException("Cannot read " + file + ": " + e, e), WRONG_SETTINGS);
    }
    return new ControllerProcess().run(settings);
  }

  /** Runs a controller until it is asked to stop; the exit code. */
  int run(ModuleSettings settings) {
    try {
      int status = runOnce(settings);
      while (status == IMastershipService.START_ANEW) {
        status = runOnce(settings);
      }
      return status;
    } catch (WrongSettingException e) {
      return failed(e, WRONG_SETTINGS);
    } catch (FloodlightModuleException | UncheckedIOException e) {
      return failed(e, FAILED);
    } finally {
      stopped.countDown();
    }
  }

  private int runOnce(ModuleSettings settings) throws FloodlightModuleException {
    try (EmbeddedController controller = EmbeddedController.start(settings)) {
      CompletableFuture<Integer> requested = controller.shutdownRequested();
      stopOnSignal();
      var unused =
          signalled.thenRun(
              () -> {
                if (requested.complete(0)) {
                  logger.info("stopping why=\"{}\"", "a signal");
                }
              });
      exitStatus = requested.join();
      return exitStatus;
    }
  }

  private static int failed(Exception e, int exitCode) {
    logger.error("start_failed why=\"{}\"", e.getMessage());
    logger.debug("start_failed", e);
    return exitCode;
  }

  /**
   * Makes SIGTERM and SIGINT a clean stop with exit code 0: the JVM would end with 128 + signal, so
   * the hook waits for the main thread to close everything and ends the process itself.
   */
  private void stopOnSignal() {
    if (hasHook) {
      return;
    }
    hasHook = true;
    Runnable hook =
        () -> {
          signalled.complete(null);
          Runtime.getRuntime().halt(awaitStopped() ? exitStatus : FAILED);
        };
    Runtime.getRuntime().addShutdownHook(new Thread(hook, "stop-on-signal"));
  }

  private boolean awaitStopped() {
    try {
      return stopped.await(SECONDS_TO_STOP, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
