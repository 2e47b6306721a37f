package io.malob.balancer.proactive;

import io.malob.algorithm.Attachment;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.bucket.ReplyRules;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Lets the switches of hosts and routers answer their ARP requests for IPv4 VIPs, also without a
 * controller. OpenFlow cannot make a neighbour solicitation an advertisement: it has no action for
 * its flags. For one thread at a time.
 */
final class ArpAnswers {
  private final Programmed programmed;

  /** Where the askers of each VIP address are that have an answer. */
  private final Map<Integer, Map<Integer, Attachment>> answered = new HashMap<>();

  private @Nullable Inputs last;

  private record Inputs(
      Map<Integer, Map<Integer, Attachment>> clientsByVip, Set<DatapathId> connected) {}

  private record Owner(int vip, int client) {}

  ArpAnswers(Programmed programmed) {
    this.programmed = programmed;
  }

  /**
   * Brings the answers up to date.
   *
   * @param clientsByVip the clients of VIP addresses, by the keys of addresses
   * @param connected the switches that can be programmed
   */
  void advance(
      Map<Integer, Map<Integer, Attachment>> clientsByVip,
      Set<DatapathId> connected,
      long nowNanos) {
    Inputs inputs = new Inputs(clientsByVip, connected);
    if (inputs.equals(last)) {
      return;
    }
    // a switch that is back may have lost its rules, or have another layout
    boolean isAll = last == null || !connected.equals(last.connected);
    last = inputs;
    answered
        .entrySet()
        .removeIf(
            each -> {
              boolean isGone = !clientsByVip.containsKey(each.getKey());
              if (isGone) {
                each.getValue().forEach((client, at) -> clear(each.getKey(), client, at, nowNanos));
              }
              return isGone;
            });
    clientsByVip.forEach(
        (vip, clients) -> {
          Map<Integer, Attachment> ofVip = answered.computeIfAbsent(vip, any -> new HashMap<>());
          clients.forEach(
              (client, at) -> {
                @Nullable Attachment before = ofVip.get(client);
                if ((isAll || !at.equals(before)) && answer(vip, client, at, nowNanos)) {
                  ofVip.put(client, at);
                  if (before != null && !before.switchId().equals(at.switchId())) {
                    clear(vip, client, before, nowNanos);
                  }
                }
              });
        });
  }

  /** Lets the client's switch answer; false if it is away. */
  private boolean answer(int vip, int client, Attachment at, long nowNanos) {
    Optional<Wire> wire = programmed.wire(at.switchId());
    wire.ifPresent(
        there ->
            there
                .sw()
                .set(
                    new Owner(vip, client),
                    List.of(
                        ReplyRules.arpAnswer(
                            there.factory(), vip, EdgeMac.of(at.switchId()), client, at)),
                    there.tables(),
                    nowNanos));
    return wire.isPresent();
  }

  private void clear(int vip, int client, Attachment at, long nowNanos) {
    programmed.clear(at.switchId(), new Owner(vip, client), nowNanos);
  }
}
