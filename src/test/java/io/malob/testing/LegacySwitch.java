package io.malob.testing;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** A switch without OpenFlow, which learns addresses and keeps LLDP to itself. */
final class LegacySwitch {
  private static final long LINK_LOCAL = 0x0180c2000000L;

  private final Map<MacAddress, OFPort> learned = new HashMap<>();
  private final int ports;

  LegacySwitch(int ports) {
    this.ports = ports;
  }

  /** Where a frame that came in at that port leaves. */
  List<OFPort> outputs(OFPort inPort, byte[] frame) {
    MacAddress to = mac(frame, 0);
    learned.put(mac(frame, 6), inPort);
    if ((to.getLong() & 0xfffffffffff0L) == LINK_LOCAL) {
      return List.of();
    }
    OFPort known = learned.get(to);
    return (known != null
            ? List.of(known)
            : IntStream.rangeClosed(1, ports).mapToObj(OFPort::of).toList())
        .stream().filter(port -> !port.equals(inPort)).toList();
  }

  private static MacAddress mac(byte[] frame, int at) {
    byte[] bytes = new byte[6];
    System.arraycopy(frame, at, bytes, 0, bytes.length);
    return MacAddress.of(bytes);
  }
}
