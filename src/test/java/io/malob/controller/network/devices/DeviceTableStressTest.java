package io.malob.controller.network.devices;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.Together;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.devicemanager.SwitchPort;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** One thread learns, moves and forgets hosts, while others look them up. */
class DeviceTableStressTest {
  private static final int READERS = 3;
  private static final int SIGHTINGS = 5_000;
  private static final int HOSTS = 200;
  private static final int MAX_DEVICES = 100;

  private final AtomicLong now = new AtomicLong();
  private final DeviceTable table = new DeviceTable();
  private final DeviceTracker tracker =
      new DeviceTracker(
          table,
          new DeviceLimits(MAX_DEVICES, 1_000),
          now::get,
          (switchId, port) -> true,
          (change, device) -> {});

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void lookUps_whileHostsComeMoveAndGo_findWholeDevicesAndLeaveTheIndexesTrue(int seed)
      throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    Together.run(
        1 + READERS,
        thread -> {
          Random random = new Random(31L * seed + thread);
          if (thread == 0) {
            try {
              write(random);
            } finally {
              over.set(true);
            }
          } else {
            while (!over.get()) {
              read(random);
            }
          }
        });
    assertIndexesAreTrue();
  }

  private void write(Random random) {
    for (int i = 0; i < SIGHTINGS; i++) {
      now.incrementAndGet();
      tracker.seen(
          new Sighting(
              mac(random),
              0,
              random.nextBoolean() ? address(random) : IPv4Address.NONE,
              DatapathId.of(1 + random.nextInt(3)),
              OFPort.of(1 + random.nextInt(5)),
              true));
      if (random.nextInt(1_000) == 0) {
        tracker.removeSilent();
      }
    }
  }

  private void read(Random random) {
    MacAddress mac = mac(random);
    Device device = table.get(Device.key(mac, 0));
    if (device != null) {
      assertEquals(mac, device.getMACAddress());
      assertNotNull(device.facts().at());
    }
    for (Device found : table.withAddress(address(random))) {
      assertNotNull(found.getMACAddress());
    }
    assertTrue(table.all().size() <= MAX_DEVICES);
  }

  /** Each address belongs to one device, and each device is found at its port and addresses. */
  private void assertIndexesAreTrue() {
    for (Device device : table.all()) {
      SwitchPort at = device.facts().at();
      assertNotNull(at);
      assertTrue(table.at(new NodePortTuple(at.getNodeId(), at.getPortId())).contains(device));
      for (IPAddress<?> address : device.facts().addresses()) {
        assertEquals(List.of(device), List.copyOf(table.withAddress(address)));
      }
    }
    int atPorts = table.ports().stream().mapToInt(port -> table.at(port).size()).sum();
    assertEquals(table.all().size(), atPorts);
    assertEquals(
        table.all().stream().mapToInt(device -> device.facts().addresses().size()).sum(),
        table.addresses());
  }

  private static MacAddress mac(Random random) {
    return MacAddress.of(0x02_00_00_00_00_00L + random.nextInt(HOSTS));
  }

  private static IPAddress<?> address(Random random) {
    int host = random.nextInt(HOSTS / 2);
    return random.nextBoolean()
        ? IPv4Address.of(0x0a000000 + host)
        : IPv6Address.of(0x20010db8L << 32, host);
  }
}
