package io.malob.balancer.proactive;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Rules that know addresses and no ports, so that several VIPs share them: they are made once for
 * each switch and owner. For one thread at a time.
 */
final class SharedRules {
  private final Programmed programmed;

  /** Those that switches have, and what they are made of. */
  private Map<Place, Part> sent = Map.of();

  /** The owner of rules at a switch. */
  record Place(DatapathId switchId, Object owner) {}

  /** What rules are made of; equal parts make equal rules. */
  interface Part {
    List<OFFlowAdd> rules(OFFactory factory);
  }

  SharedRules(Programmed programmed) {
    this.programmed = programmed;
  }

  /** Makes these the rules of switches; one that is away gets its rules when it is back. */
  void set(Map<Place, Part> wanted, long nowNanos) {
    for (Place before : sent.keySet()) {
      if (!wanted.containsKey(before)) {
        programmed.clear(before.switchId, before.owner, nowNanos);
      }
    }
    Map<Place, Part> now = new HashMap<>();
    wanted.forEach(
        (place, part) ->
            programmed
                .wire(place.switchId)
                .ifPresent(
                    wire -> {
                      now.put(place, part);
                      if (!part.equals(sent.get(place))) {
                        wire.sw()
                            .set(place.owner, part.rules(wire.factory()), wire.tables(), nowNanos);
                      }
                    }));
    sent = now;
  }
}
