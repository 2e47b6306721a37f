package io.malob.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.malob.bench.process.ProcessStatus;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures the effect of deliberately slow clients on other clients of the REST interface. */
@Command(
    name = "slow-clients",
    description = {
      "how long REST takes to answer while many connections send half a header, half a body, or",
      "never read their response; exit code 1 if the 99th percentile is above the target"
    },
    mixinStandardHelpOptions = true)
final class SlowClientsCommand implements Callable<Integer> {
  private static final long PAUSE_MILLIS = 5;
  private static final long TRICKLE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /**
   * The share of connections that never read; together they hold less than the controller's limit.
   */
  private static final int READERS = 20;

  /** Each twentieth of a second, so that this process does not measure itself. */
  private static final int OPENED_AT_ONCE = 20;

  private static final int READ_MILLIS = 10_000;

  @Option(
      names = "--sockets",
      paramLabel = "N",
      defaultValue = "2000",
      description = "Slow connections, of which one in twenty never reads (${DEFAULT-VALUE}).")
  private int sockets = 2_000;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "15",
      description = "Duration of each of the two measurements (${DEFAULT-VALUE}).")
  private int seconds = 15;

  @Option(
      names = "--target-ms",
      paramLabel = "MS",
      defaultValue = "50",
      description = "Target for the 99th percentile with slow clients (${DEFAULT-VALUE}).")
  private double targetMillis = 50;

  @Mixin private ControllerOptions controllerOptions = new ControllerOptions();
  @Mixin private ProcessOptions processOptions = new ProcessOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!controllerOptions.isBuilt()) {
      return Main.MISSING;
    }
    Values results = new Values();
    double worst;
    try (Workspace workspace = Workspace.open(processOptions.output.out);
        ControllerProcess controller =
            controllerOptions.start(processOptions.jvm(PacketInCommand.USUAL_HEAP), workspace)) {
      controller.awaitReady();
      InetSocketAddress address = controller.http();
      System.err.println("without slow clients");
      double[] unused = probe(address, 2);
      report(results, "calm", probe(address, seconds));
      System.err.println("with " + sockets + " slow clients");
      try (SlowClients slow = new SlowClients(address, sockets)) {
        slow.start();
        double[] slowMillis = probe(address, seconds);
        worst = report(results, "slow", slowMillis);
        results.put("slow_open", slow.openCount());
        results.put("slow_reopened", slow.reopened());
      }
      results.put("resident_mb", ProcessStatus.residentMegabytes(controller.pid()).orElse(-1));
    }
    results.publish(processOptions.output);
    return worst <= targetMillis ? Main.DONE : Main.FAILED;
  }

  /** The times of requests, each over a connection of its own, in milliseconds, sorted. */
  private static double[] probe(InetSocketAddress address, int seconds)
      throws InterruptedException {
    List<String> paths =
        List.of("/wm/core/health/json", "/wm/malob/counters", "/ui/", "/wm/malob/config");
    List<Double> millis = new ArrayList<>();
    boolean isTold = false;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (System.nanoTime() - end < 0) {
      long began = System.nanoTime();
      try (Socket socket = new Socket()) {
        socket.connect(address, READ_MILLIS);
        socket.setSoTimeout(READ_MILLIS);
        String request =
            "GET "
                + paths.get(millis.size() % paths.size())
                + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(US_ASCII));
        String answer = new String(socket.getInputStream().readAllBytes(), US_ASCII);
        boolean isGood = answer.startsWith("HTTP/1.1 200");
        if (!isGood && !isTold) {
          isTold = true;
          System.err.println("not served: " + request.lines().findFirst().orElse("") + answer);
        }
        millis.add(isGood ? (System.nanoTime() - began) / 1e6 : READ_MILLIS);
      } catch (IOException e) {
        millis.add((double) READ_MILLIS); // as good as none
      }
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
    return millis.stream().mapToDouble(each -> each).sorted().toArray();
  }

  private static double report(Values results, String name, double[] sorted) {
    double p99 = sorted[(int) (sorted.length * 0.99)];
    results.put(name + "_requests", sorted.length);
    results.put(
        name + "_failed", (int) Arrays.stream(sorted).filter(each -> each >= READ_MILLIS).count());
    results.put(name + "_p50_ms", sorted[sorted.length / 2]);
    results.put(name + "_p99_ms", p99);
    results.put(name + "_max_ms", sorted[sorted.length - 1]);
    return p99;
  }

  /** Deliberately slow connections; closed ones are reopened. */
  private static final class SlowClients implements AutoCloseable {
    private static final String HOST = " HTTP/1.1\r\nHost: 127.0.0.1\r\n";

    private final InetSocketAddress address;
    private final List<@Nullable SocketChannel> channels = new ArrayList<>();
    private final Thread keeper;
    private volatile boolean isClosed;
    private volatile int reopened;
    private volatile int open;

    SlowClients(InetSocketAddress address, int count) {
      this.address = address;
      for (int i = 0; i < count; i++) {
        channels.add(null);
      }
      keeper = new Thread(this::keep, "slow-clients");
    }

    /** Opens all of them, and comes back when they are open. */
    void start() throws InterruptedException {
      keeper.start();
      while (open < channels.size()) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
    }

    int openCount() {
      return open;
    }

    int reopened() {
      return reopened;
    }

    private void keep() {
      long trickleNanos = System.nanoTime() + TRICKLE_NANOS;
      int made = 0;
      while (!isClosed) {
        boolean isTrickling = System.nanoTime() - trickleNanos > 0;
        trickleNanos += isTrickling ? TRICKLE_NANOS : 0;
        int there = 0;
        int left = OPENED_AT_ONCE;
        for (int i = 0; i < channels.size() && !isClosed; i++) {
          @Nullable SocketChannel channel = channels.get(i);
          if (channel != null && !isAlive(channel, i, isTrickling)) {
            channel = null;
          }
          if (channel == null && left > 0) {
            left--;
            made++;
            channel = opened(i);
          }
          channels.set(i, channel);
          there += channel == null ? 0 : 1;
        }
        open = there;
        reopened = Math.max(0, made - channels.size());
        try {
          TimeUnit.MILLISECONDS.sleep(50);
        } catch (InterruptedException e) {
          return;
        }
      }
    }

    /** Readers that never read look alive until a write fails. */
    private static boolean isAlive(SocketChannel channel, int kind, boolean isTrickling) {
      try {
        if (kind % READERS != 0 && channel.read(ByteBuffer.allocate(512)) != 0) {
          channel.close();
          return false;
        }
        return !isTrickling || channel.write(ByteBuffer.wrap(new byte[] {'x'})) >= 0;
      } catch (IOException e) {
        return false;
      }
    }

    private @Nullable SocketChannel opened(int kind) {
      try {
        SocketChannel channel = SocketChannel.open();
        channel.setOption(StandardSocketOptions.SO_RCVBUF, 4096);
        channel.connect(address);
        channel.write(ByteBuffer.wrap(beginning(kind).getBytes(US_ASCII)));
        channel.configureBlocking(false);
        return channel;
      } catch (IOException e) {
        return null;
      }
    }

    private static String beginning(int kind) {
      if (kind % READERS == 0) {
        return ("GET /ui/lib/cytoscape.esm.min.mjs" + HOST + "\r\n").repeat(20);
      }
      return kind % 2 == 0
          ? "GET /wm/core/health/json" + HOST + "X-Slow: "
          : "POST /quantum/v1.0/vips" + HOST + "Content-Length: 10000\r\n\r\n{";
    }

    @Override
    public void close() throws IOException {
      isClosed = true;
      keeper.interrupt();
      try {
        keeper.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      for (@Nullable SocketChannel channel : channels) {
        if (channel != null) {
          channel.close();
        }
      }
    }
  }
}
