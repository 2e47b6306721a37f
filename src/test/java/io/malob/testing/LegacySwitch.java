package io.malob.testing;

import com.google.common.collect.MultimapBuilder;
import com.google.common.collect.SetMultimap;
import java.util.ArrayList;
import java.util.Comparator;
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

  /** All ports at which an address has been, in order. */
  private final SetMultimap<MacAddress, OFPort> places =
      MultimapBuilder.treeKeys(Comparator.comparingLong(MacAddress::getLong))
          .linkedHashSetValues()
          .build();

  private final List<MacAddress> flooded = new ArrayList<>();

  LegacySwitch(int ports) {
    this.ports = ports;
  }

  /** Where a frame that came in at that port leaves. */
  List<OFPort> outputs(OFPort inPort, byte[] frame) {
    MacAddress to = mac(frame, 0);
    learned.put(mac(frame, 6), inPort);
    places.put(mac(frame, 6), inPort);
    if ((to.getLong() & 0xfffffffffff0L) == LINK_LOCAL) {
      return List.of();
    }
    OFPort known = learned.get(to);
    if (known == null && !to.isBroadcast() && !to.isMulticast()) {
      flooded.add(to);
    }
    return (known != null
            ? List.of(known)
            : IntStream.rangeClosed(1, ports).mapToObj(OFPort::of).toList())
        .stream().filter(port -> !port.equals(inPort)).toList();
  }

  /** All ports at which each address has been. */
  SetMultimap<MacAddress, OFPort> places() {
    return places;
  }

  /** The addresses of the frames that were flooded because their places were not known. */
  List<MacAddress> flooded() {
    return flooded;
  }

  /** Its table has lost all addresses. */
  void forget() {
    learned.clear();
  }

  private static MacAddress mac(byte[] frame, int at) {
    byte[] bytes = new byte[6];
    System.arraycopy(frame, at, bytes, 0, bytes.length);
    return MacAddress.of(bytes);
  }
}
