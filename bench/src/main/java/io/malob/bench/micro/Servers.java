package io.malob.bench.micro;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.algorithm.ServerLoad;
import java.util.List;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** Makes the servers of a pool. */
final class Servers {
  private static final int FIRST_ADDRESS = 0xac10_0001; // 172.16.0.1
  private static final int TCP_PORT = 8080;
  private static final int WEIGHTS = 4;

  private Servers() {}

  /** That many servers without load, of weights 1 to 4, in turn on these switches. */
  static ImmutableList<Server> on(List<DatapathId> switches, int count) {
    ImmutableList.Builder<Server> servers = ImmutableList.builder();
    for (int i = 0; i < count; i++) {
      Attachment at =
          new Attachment(
              switches.get(i % switches.size()),
              OFPort.of(100),
              MacAddress.of(0x0201_0000_0000L + i));
      servers.add(
          new Server(i + 1, FIRST_ADDRESS + i, TCP_PORT, 1 + i % WEIGHTS, at, new ServerLoad()));
    }
    return servers.build();
  }
}
