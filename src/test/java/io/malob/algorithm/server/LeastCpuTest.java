package io.malob.algorithm.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Counting;
import io.malob.algorithm.Server;
import io.malob.testing.Servers;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LeastCpuTest extends ServerPickerContract {
  private static final double UNKNOWN = Double.NaN;

  @Override
  ServerPicker picker(ImmutableList<Server> servers, AtomicInteger turn) {
    return new LeastCpu(servers, Counting.PLACED_SINCE);
  }

  private static ImmutableList<Server> using(double... cpu) {
    ImmutableList<Server> servers = Servers.equal(cpu.length);
    for (int i = 0; i < cpu.length; i++) {
      servers.get(i).load().reported(cpu[i], UNKNOWN);
    }
    return servers;
  }

  @Test
  void pick_takesTheLeastUsed() {
    assertEquals(1, picker(using(0.5, 0.2, 0.3), new AtomicInteger()).pick(SERVICE));
  }

  @Test
  void pick_betweenReports_countsWhatWasPlacedSince() {
    ImmutableList<Server> servers = using(0.50, 0.24, 0.35);
    ServerPicker picker = picker(servers, new AtomicInteger());
    int[] picks = new int[3];
    for (int i = 0; i < 6; i++) {
      int picked = picker.pick(SERVICE);
      picks[picked]++;
      open(picker, servers.get(picked));
    }
    // a tenth each: 0.24, 0.34, 0.35, 0.44, 0.45, 0.50
    assertEquals(3, picks[1]);
    assertEquals(2, picks[2]);
    assertEquals(1, picks[0]);
  }

  @Test
  void pick_goingByReportsAlone_takesTheSameEachTime() {
    ImmutableList<Server> servers = using(0.5, 0.2, 0.3);
    ServerPicker picker = new LeastCpu(servers, Counting.MEASURED_ONLY);
    for (int i = 0; i < 20; i++) {
      assertEquals(1, picker.pick(SERVICE));
      open(picker, servers.get(1));
    }
  }

  @Test
  void pick_whereAServersUseIsUnknown_takesItWhenTheOthersAreFull() {
    ImmutableList<Server> servers = using(0.95, UNKNOWN);
    ServerPicker picker = picker(servers, new AtomicInteger());
    assertEquals(0, picker.pick(SERVICE));
    open(picker, servers.get(0));
    assertEquals(1, picker.pick(SERVICE));
  }

  @Test
  void pick_whereReportsAreTooOld_takesTheFewestConnections() {
    ImmutableList<Server> servers = using(0.1, 0.2, 0.3);
    servers.forEach(server -> server.load().forgetReport());
    ServerPicker picker = picker(servers, new AtomicInteger());
    int[] picks = new int[3];
    for (int i = 0; i < 9; i++) {
      int picked = picker.pick(SERVICE);
      picks[picked]++;
      open(picker, servers.get(picked));
    }
    assertEquals(3, picks[0]);
    assertEquals(3, picks[1]);
  }
}
