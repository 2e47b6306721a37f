package io.malob.testing;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.algorithm.ServerLoad;
import java.util.Arrays;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** Servers of pools that need no catalog. */
public final class Servers {
  private static final int FIRST_ADDRESS = IPv4Address.of("10.1.0.0").getInt();

  private Servers() {}

  /** Server n: number n, address 10.1.0.0 + n, on port 100 of switch n. */
  public static Server of(int number, int weight) {
    return on(number, weight, number);
  }

  /** Server n on another switch than its own. */
  public static Server on(int number, int weight, long switchId) {
    Attachment at =
        new Attachment(
            DatapathId.of(switchId), OFPort.of(100), MacAddress.of(0x020000000000L | number));
    return new Server(number, FIRST_ADDRESS + number, 8_080, weight, at, new ServerLoad());
  }

  /** Servers 1, 2, 3, … of these weights. */
  public static ImmutableList<Server> weighing(int... weights) {
    ImmutableList.Builder<Server> servers = ImmutableList.builder();
    for (int index = 0; index < weights.length; index++) {
      servers.add(of(index + 1, weights[index]));
    }
    return servers.build();
  }

  /** That many servers of weight 1. */
  public static ImmutableList<Server> equal(int count) {
    int[] weights = new int[count];
    Arrays.fill(weights, 1);
    return weighing(weights);
  }
}
