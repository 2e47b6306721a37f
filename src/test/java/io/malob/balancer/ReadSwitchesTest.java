package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.admission.ReadSwitches;
import io.malob.balancer.api.RejectReason;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.testing.Frames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/** Which switches' rules are known, and what depends on that. */
class ReadSwitchesTest {

  @Nested
  class States {
    private final DatapathId s1 = DatapathId.of(1);
    private final DatapathId s2 = DatapathId.of(2);
    private final ReadSwitches switches = new ReadSwitches();

    @Test
    void connectedSwitch_isReadWhenItsRulesAreKnown() {
      switches.begin(s1);
      switches.begin(s2);
      assertFalse(switches.isComplete());
      switches.done(s1);
      assertFalse(switches.isComplete());
      switches.done(s2);
      assertTrue(switches.isComplete());
      assertEquals(List.of(s1, s2), switches.all().asList());
    }

    @Test
    void switchThatIsReadAgain_isNotKnownMeanwhile() {
      switches.begin(s1);
      switches.done(s1);
      assertTrue(switches.reread(s1));
      assertFalse(switches.contains(s1));
      assertFalse(switches.isComplete());
    }

    @Test
    void switchThatHasGone_isNotRead_whateverComesLate() {
      switches.begin(s1);
      switches.gone(s1);
      assertFalse(switches.reread(s1));
      assertTrue(switches.isComplete());
      switches.done(s1);
      assertFalse(switches.contains(s1));
    }
  }

  /** Housekeeping that runs when a test says so. */
  @Nested
  class LateHousekeeping {
    private final List<Runnable> held = new ArrayList<>();
    private boolean holds;

    private final BalancerNetwork net =
        new BalancerNetwork(
            Map.of(),
            new BalancerNetwork.Transport() {
              @Override
              public void toUpkeep(Runnable task) {
                if (holds) {
                  held.add(task);
                } else {
                  task.run();
                }
              }
            },
            new AtomicLong());

    private final DatapathId s1 = net.addSwitch(1);
    private final Host client = Host.of(s1, 1, "10.0.0.1");
    private final Host member = Host.of(s1, 2, "10.0.0.11");

    LateHousekeeping() {
      net.learn(member);
      net.webService(member);
    }

    private void runHousekeeping() {
      holds = false;
      List<Runnable> tasks = List.copyOf(held);
      held.clear();
      tasks.forEach(Runnable::run);
    }

    private void sendFromTheMiddle() {
      IPv4Address vip = IPv4Address.of("10.0.0.100");
      net.send(
          client,
          Frames.tcp(
              client.mac(),
              EdgeMac.of(client.switchId()),
              client.ip(),
              40_000,
              vip,
              80,
              Packet.TCP_ACK));
    }

    @Test
    void switchThatConnectsAndDisconnectsBeforeItIsRead_isNotWaitedFor() {
      holds = true;
      DatapathId s2 = net.addSwitch(2);
      net.disconnect(s2);
      runHousekeeping();

      sendFromTheMiddle();
      assertEquals(1, net.refused(RejectReason.UNKNOWN_CONNECTION), "it is reset");
    }

    @Test
    void switchThatComesBackBeforeHousekeepingRuns_isRead() {
      holds = true;
      DatapathId s2 = net.addSwitch(2);
      net.disconnect(s2);
      net.addSwitch(2);
      sendFromTheMiddle();
      assertEquals(0, net.refused(RejectReason.UNKNOWN_CONNECTION), "it may be one of switch 2");
      runHousekeeping();

      sendFromTheMiddle();
      assertEquals(1, net.refused(RejectReason.UNKNOWN_CONNECTION));
    }
  }
}
