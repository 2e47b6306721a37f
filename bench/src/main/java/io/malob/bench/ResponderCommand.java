package io.malob.bench;

import io.malob.bench.codec.Responder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The process that {@link CodecCommand} measures. */
@Command(
    name = "responder",
    description = "Serves emulated switches until it is stopped.",
    hidden = true)
final class ResponderCommand implements Callable<Integer> {
  @Option(names = "--port", required = true)
  private int port;

  @Mixin private NetworkOptions networkOptions = new NetworkOptions();

  @Override
  public Integer call() throws InterruptedException {
    new Responder(networkOptions.scenario())
        .serve(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    return Main.DONE;
  }
}
