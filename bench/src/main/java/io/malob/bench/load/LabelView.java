package io.malob.bench.load;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The label rules on the switches of one site, to follow labels. */
final class LabelView {
  private static final int HOSTS = 0;
  private static final int ELSEWHERE = -1;
  private static final int HOSTS_TABLE = 3;
  private static final long UNKNOWN = -1;

  /** By the place of the switch in the chain: label to port, or to the hosts. */
  private final List<Map<Long, Integer>> switches = new ArrayList<>();

  private long goodToMembers = UNKNOWN;
  private long goodToClients = UNKNOWN;

  LabelView(int pathLength) {
    for (int i = 0; i < pathLength; i++) {
      switches.add(new HashMap<>());
    }
  }

  void add(int place, MessageScanner rule) {
    int target = rule.gotoTable == HOSTS_TABLE ? HOSTS : rule.outPort;
    switches.get(place).put(rule.match.ethDst, target == HOSTS || target > 0 ? target : ELSEWHERE);
    changed();
  }

  void remove(int place, long label) {
    switches.get(place).remove(label);
    changed();
  }

  void clear(int place) {
    switches.get(place).clear();
    changed();
  }

  private void changed() {
    goodToMembers = UNKNOWN;
    goodToClients = UNKNOWN;
  }

  /** Whether a label leads from the clients' edge to the hosts of the members' edge. */
  boolean leadsToMembers(long label) {
    if (label != goodToMembers && leads(label, true)) {
      goodToMembers = label;
    }
    return label == goodToMembers;
  }

  /** Whether a label leads from the members' edge to the hosts of the clients' edge. */
  boolean leadsToClients(long label) {
    if (label != goodToClients && leads(label, false)) {
      goodToClients = label;
    }
    return label == goodToClients;
  }

  private boolean leads(long label, boolean toMembers) {
    int last = toMembers ? switches.size() - 1 : 0;
    for (int place = 0; place < switches.size(); place++) {
      int onward = toMembers ? Scenario.TO_NEXT : Scenario.TO_PREVIOUS;
      int expected = place == last ? HOSTS : onward;
      if (switches.get(place).getOrDefault(label, ELSEWHERE) != expected) {
        return false;
      }
    }
    return true;
  }
}
