package io.malob.controller.bond;

import io.malob.controller.bond.LacpMessage.End;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The partner of a host's LACP (IEEE 802.1AX) at the ports of one bond, which are one aggregator.
 * It answers each message and sends none of its own: it asks for the same period that the host asks
 * for, so the host's messages and the answers keep both ends current. Without a controller, the
 * host's timeout ends the bond (90 s with long timeouts). For one thread.
 */
final class LacpPartner {
  private static final int PRIORITY = 0x8000;

  /** The long timeout of the standard. */
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(90);

  private final MacAddress system;
  private final int key;

  /** The latest message of each port. */
  private final Map<OFPort, Heard> heard = new HashMap<>();

  private record Heard(End host, boolean isSelected, long nanos) {}

  /**
   * No message has come.
   *
   * @param system the MAC address of this partner
   */
  LacpPartner(MacAddress system, Bond bond) {
    this.system = system;
    this.key = bond.first().getPortNumber();
  }

  /** The answer to a message that came in at a port. */
  LacpMessage answer(OFPort port, LacpMessage message, long nowNanos) {
    heard.values().removeIf(each -> nowNanos - each.nanos > TIMEOUT_NANOS);
    End host = message.actor();
    boolean isSelected = isOfAggregator(port, host);
    heard.put(port, new Heard(host, isSelected, nowNanos));
    int state =
        LacpMessage.ACTIVE | LacpMessage.AGGREGATABLE | (host.state() & LacpMessage.SHORT_TIMEOUT);
    if (isSelected) {
      state |= LacpMessage.IN_SYNC | LacpMessage.COLLECTING;
      if (host.has(LacpMessage.IN_SYNC)) {
        state |= LacpMessage.DISTRIBUTING;
      }
    }
    End own = new End(PRIORITY, system, key, PRIORITY, port.getPortNumber(), state);
    return new LacpMessage(own, host);
  }

  /** Whether a host is the one that is at the other ports. */
  private boolean isOfAggregator(OFPort port, End host) {
    for (Map.Entry<OFPort, Heard> other : heard.entrySet()) {
      if (!other.getKey().equals(port) && other.getValue().isSelected) {
        return other.getValue().host.isSameAggregator(host);
      }
    }
    return true;
  }

  /** A port is down. */
  void down(OFPort port) {
    heard.remove(port);
  }

  /** Of these ports, those that the host receives at; all, as long as it is not known. */
  List<OFPort> receiving(Collection<OFPort> up) {
    List<OFPort> ready = up.stream().filter(this::isReady).toList();
    return ready.isEmpty() ? List.copyOf(up) : ready;
  }

  private boolean isReady(OFPort port) {
    @Nullable Heard latest = heard.get(port);
    return latest != null && latest.isSelected && latest.host.has(LacpMessage.IN_SYNC);
  }
}
