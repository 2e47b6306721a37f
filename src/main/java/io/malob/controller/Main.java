package io.malob.controller;

import io.malob.controller.core.CoreModule;
import io.malob.controller.module.ModuleSettings;
import io.malob.controller.rest.RestModule;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The controller's command line; {@link ControllerProcess} is what it runs. */
@Command(
    name = "malob run",
    description = "Runs the controller until it gets SIGTERM or SIGINT.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false)
public final class Main implements Callable<Integer> {
  private static final String DEFAULT_SETTINGS = "/floodlightdefault.properties";

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = {"-cf", "--config-file"},
      paramLabel = "FILE",
      description = "Properties file with modules and settings, in Floodlight's format.")
  private @Nullable Path settingsFile;

  @Option(
      names = "--openflow-port",
      paramLabel = "N",
      description = "OpenFlow port for switches (6653; 0: any free port).")
  private @Nullable Integer openFlowPort;

  @Option(
      names = "--http-port",
      paramLabel = "N",
      description = "Port of the REST interface (8080; 0: any free port).")
  private @Nullable Integer httpPort;

  @Option(
      names = "--bind",
      paramLabel = "ADDR",
      description = "Address that both ports listen on (127.0.0.1; 0.0.0.0: all addresses).")
  private @Nullable String bindAddress;

  @Option(
      names = "--insecure",
      description =
          "Serve REST to other machines without authentication: anyone may change everything.")
  private boolean isInsecure;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "${env:MALOB_DATA}",
      description = "Data directory (the environment variable MALOB_DATA).")
  private @Nullable Path dataDirectory;

  @Option(
      names = "--etcd",
      paramLabel = "URLS",
      description =
          "Servers of the etcd that the controllers of a cluster share, http://HOST:PORT,…"
              + " (none: one controller, with its state in files).")
  private @Nullable String etcdServers;

  @Option(
      names = "--node",
      paramLabel = "NAME",
      description = "Name of this controller in the cluster (the host's name).")
  private @Nullable String nodeName;

  /** Runs the controller and ends the process. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** The command line; errors in it are one line. */
  static CommandLine commandLine() {
    CommandLine commandLine = new CommandLine(new Main());
    commandLine.setParameterExceptionHandler(
        (wrong, args) -> {
          String name = wrong.getCommandLine().getCommandName();
          wrong
              .getCommandLine()
              .getErr()
              .printf("%s: %s; see '%s --help'%n", name, wrong.getMessage(), name);
          return CommandLine.ExitCode.USAGE;
        });
    return commandLine;
  }

  @Override
  public Integer call() {
    ModuleSettings settings = readSettings().overlaidWith(overrides());
    if (nodeName != null && !EmbeddedController.isInCluster(settings)) {
      throw new ParameterException(spec.commandLine(), "--node needs --etcd");
    }
    return new ControllerProcess().run(settings);
  }

  /** The settings of the command line, which override the file; only given options. */
  private Map<String, String> overrides() {
    Map<String, String> overrides = new HashMap<>();
    override(overrides, CoreModule.OPEN_FLOW_PORT.of(CoreModule.class), openFlowPort);
    override(overrides, RestModule.HTTP_PORT.of(RestModule.class), httpPort);
    override(overrides, CoreModule.OPEN_FLOW_HOST.of(CoreModule.class), bindAddress);
    override(overrides, RestModule.HOST.of(RestModule.class), bindAddress);
    override(overrides, RestModule.INSECURE.of(RestModule.class), isInsecure ? "true" : null);
    override(overrides, EmbeddedController.CLUSTER_MODULE + ".endpoints", etcdServers);
    override(overrides, EmbeddedController.CLUSTER_MODULE + ".name", nodeName);
    // every module that keeps data finds the directory in its own settings
    override(overrides, "*.data", dataDirectory);
    return overrides;
  }

  private static void override(Map<String, String> overrides, String key, @Nullable Object value) {
    if (value != null) {
      overrides.put(key, value.toString());
    }
  }

  private ModuleSettings readSettings() {
    Path file = settingsFile;
    try (Reader reader = file == null ? defaultSettings() : Files.newBufferedReader(file)) {
      return ModuleSettings.read(reader);
    } catch (IOException e) {
      String problem = "Cannot read " + (file == null ? DEFAULT_SETTINGS : file) + ": " + e;
      throw new ParameterException(spec.commandLine(), problem, e);
    }
  }

  private static Reader defaultSettings() throws IOException {
    InputStream resource = Main.class.getResourceAsStream(DEFAULT_SETTINGS);
    if (resource == null) {
      throw new IOException("not on the class path");
    }
    return new InputStreamReader(resource, StandardCharsets.UTF_8);
  }
}
