package io.malob.bench;

import io.malob.bench.load.AddressFamily;
import io.malob.bench.load.Network;
import io.malob.bench.load.Scenario;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures the cost of health checks, and whether they are spread over time. */
@Command(
    name = HealthCommand.NAME,
    description = {
      "the cost of checking many members: the controller's idle processor time without a monitor",
      "and with one, and how many checks run at a time"
    },
    mixinStandardHelpOptions = true)
final class HealthCommand implements Callable<Integer> {
  static final String NAME = "health";

  private static final String USUAL_HEAP = "512m";
  private static final int MAX_SECONDS = 100_000;

  /** The max cost of 1,000 members that are checked every 5 s. */
  private static final double MAX_PERCENT = 5;

  private static final long SLOT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** The JIT compiler has done most of its work by then. */
  private static final int WARMUP_SECONDS = 20;

  @Option(
      names = "--members",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Members, all in one pool (${DEFAULT-VALUE}).")
  private int members = 1_000;

  @Option(
      names = "--delay",
      paramLabel = "SECONDS",
      defaultValue = "5",
      description = "Interval between two checks of a member (${DEFAULT-VALUE}).")
  private int delay = 5;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "30",
      description = "Duration of each of the two measurements (${DEFAULT-VALUE}).")
  private int seconds = 30;

  @Mixin private FamilyOption family = new FamilyOption();
  @Mixin private ControllerOptions controllerOptions = new ControllerOptions();
  @Mixin private ProcessOptions processOptions = new ProcessOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    LoadOptions.check("--delay", delay, MAX_SECONDS);
    LoadOptions.check("--seconds", seconds, MAX_SECONDS);
    Scenario scenario = NetworkOptions.scenario(1, 1, members, 1, 1, 0, family.chosen());
    if (!controllerOptions.isBuilt()) {
      return Main.MISSING;
    }
    Figures figures = new Figures();
    try (Workspace workspace = Workspace.open(processOptions.output.out);
        ControllerProcess controller =
            controllerOptions.start(processOptions.jvm(USUAL_HEAP), workspace);
        Network network = new Network(scenario, 0)) {
      controller.awaitReady();
      controller.connect(scenario, network);
      measure(figures, controller, network);
    }
    return figures.publish(
        NAME,
        Map.of(
            "members", members,
            "delay", delay,
            "seconds", seconds,
            "ipv6", family.chosen() == AddressFamily.IPV6),
        processOptions);
  }

  private void measure(Figures figures, ControllerProcess controller, Network network)
      throws IOException, InterruptedException {
    ProgressBar.sleep(WARMUP_SECONDS, "without a monitor, warming up");
    double off = controller.restingCpuPercent(seconds, "without a monitor");
    controller.client().monitor("pool0", delay);
    TimeUnit.SECONDS.sleep(2L * delay);
    ProgressBar.sleep(WARMUP_SECONDS, "with a monitor, warming up");
    long[] before = network.takeChecks();
    double on = controller.restingCpuPercent(seconds, "with a monitor");
    long[] checks = network.takeChecks();
    figures.addExactly("members_up", "members up", controller.client().membersUp("pool0"), members);
    figures.add("checks", "checks", (double) checks.length / seconds, "/s");
    figures.addCount("most_in_10_ms", "max within 10 ms", maxWithin(checks, SLOT_NANOS));
    figures.addCount("most_at_first", "  at first", maxWithin(before, SLOT_NANOS));
    figures.add("off", "of a processor, without a monitor", off, "%");
    figures.add("on", "of a processor, with it", on, "%");
    figures.addBelow("checking", "of a processor, for checking", on - off, "%", MAX_PERCENT);
  }

  /** The max number of times within the given nanoseconds; the times are in order. */
  static int maxWithin(long[] times, long nanos) {
    int max = 0;
    int first = 0;
    for (int i = 0; i < times.length; i++) {
      while (times[i] - times[first] >= nanos) {
        first++;
      }
      max = Math.max(max, i - first + 1);
    }
    return max;
  }
}
