package io.malob.balancer.proactive;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.openflow.NextHopMac;
import io.malob.openflow.Onward;
import io.malob.openflow.SwitchTables;
import io.malob.openflow.TableLayout;
import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.bucket.ReplyRules;
import io.malob.openflow.bucket.ReplyRules.Counted;
import io.malob.openflow.bucket.SourceRules;
import io.malob.openflow.bucket.TrackedReplies;
import io.malob.openflow.label.LabelTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The rules for the replies of a proactive VIP's members at one switch. Each next hop's rules
 * change alone. For one thread at a time.
 */
final class EdgeReplies {
  /** The paths to clients' switches. */
  private final ReplyPaths paths;

  private final int maxPairs;

  /** What the rules were made of last; null if there are none. */
  private @Nullable Base made;

  /** The next hops that have rules, by their numbers. */
  private final Map<MacAddress, Next> nextHops = new HashMap<>();

  private Optional<String> crowded = Optional.empty();

  /** What all rules depend on. */
  private record Base(BucketTraffic traffic, ImmutableList<Server> members, TableFeatures shape) {}

  /** What a switch can hold. */
  record TableFeatures(TableLayout layout, boolean countsTcpFlags) {
    static TableFeatures of(Wire wire) {
      return new TableFeatures(wire.tables().layout(), wire.countsTcpFlags());
    }
  }

  /** A next hop, and where replies to it leave the switch, by the ordinals of their paths. */
  private record Next(Attachment at, ImmutableList<Onward> onwards) {}

  private record MemberOwner(int vipNumber) {}

  private record SourceOwner(int vipNumber) {}

  private record NextHopOwner(int vipNumber, MacAddress number) {}

  /**
   * What rules are made of.
   *
   * @param members the members at the switch
   * @param ready the paths to clients' switches
   * @param sources the addresses that members see instead of clients, and the switches of these
   */
  record ReplyInput(
      BucketTraffic traffic,
      ImmutableList<Server> members,
      Map<DatapathId, ImmutableList<Lead>> ready,
      ImmutableMap<IPAddress<?>, DatapathId> sources,
      Wire wire,
      long nowNanos) {

    Base base() {
      return new Base(traffic, members, TableFeatures.of(wire));
    }

    void set(Object owner, List<OFFlowAdd> rules) {
      wire.sw().set(owner, rules, wire.tables(), nowNanos);
    }

    void reroute(Object owner, List<OFFlowAdd> rules) {
      wire.sw().reroute(owner, rules, wire.tables(), nowNanos);
    }

    Object owner(MacAddress number) {
      return new NextHopOwner(traffic.vipNumber(), number);
    }
  }

  /**
   * No rules.
   *
   * @param maxPairs the max number of rules for replies of members in one table: one per member and
   *     next hop
   */
  EdgeReplies(LabelTable labels, int maxPairs) {
    this.paths = new ReplyPaths(labels);
    this.maxPairs = maxPairs;
  }

  ReplyPaths paths() {
    return paths;
  }

  /** Why the table has no room for the rules; empty if it has. */
  Optional<String> crowded() {
    return crowded;
  }

  /** Brings all rules up to date. */
  void program(ReplyInput input, Map<MacAddress, Attachment> known) {
    Base base = input.base();
    boolean isNew = !base.equals(made);
    if (isNew) {
      made = base;
      input.set(new MemberOwner(input.traffic.vipNumber()), ofMembers(input));
    }
    input.set(new SourceOwner(input.traffic.vipNumber()), toSources(input));
    crowded = Optional.empty();
    Iterator<MacAddress> each = nextHops.keySet().iterator();
    while (each.hasNext()) {
      MacAddress number = each.next();
      @Nullable Attachment at = known.get(number);
      boolean isWanted = at != null && input.ready.containsKey(at.switchId());
      if (!isWanted || nextHops.size() > maxNextHops(input)) {
        each.remove();
        input.set(input.owner(number), List.of());
      }
    }
    known.values().forEach(at -> program(input, at, isNew));
  }

  /** Brings the rules of a next hop up to date. Nothing else has changed. */
  void program(ReplyInput input, Attachment nextHop) {
    program(input, nextHop, false);
  }

  private void program(ReplyInput input, Attachment at, boolean isNew) {
    @Nullable List<Lead> leads = input.ready.get(at.switchId());
    if (leads == null) {
      return;
    }
    MacAddress number = NextHopMac.of(at);
    @Nullable Next before = nextHops.get(number);
    if (before == null && nextHops.size() >= maxNextHops(input)) {
      // the controller forwards its replies until the VIP is reactive
      String why =
          "replies of %d members to more than %d next hops need more than %d rules in the table of"
              + " switch %s";
      crowded =
          Optional.of(
              why.formatted(
                  input.members.size(), nextHops.size(), maxPairs, input.wire.sw().switchId()));
      return;
    }
    Next next =
        new Next(
            at,
            leads.stream().map(lead -> lead.onward(at)).collect(ImmutableList.toImmutableList()));
    if (isNew || !next.equals(before)) {
      nextHops.put(number, next);
      List<OFFlowAdd> rules = toNextHop(input, next.onwards);
      if (before != null && at.equals(before.at) && input.wire.tables().isOne()) {
        input.reroute(input.owner(number), rules);
      } else {
        input.set(input.owner(number), rules);
      }
    }
  }

  private int maxNextHops(ReplyInput input) {
    return input.wire.tables().isOne()
        ? maxPairs / Math.max(1, input.members.size())
        : Integer.MAX_VALUE;
  }

  private static List<OFFlowAdd> ofMembers(ReplyInput input) {
    List<OFFlowAdd> rules = new ArrayList<>();
    if (input.traffic.isTracked()) {
      // these come first, so that packets that are tracked meet them
      rules.addAll(
          TrackedReplies.lookUps(input.wire.factory(), input.traffic, input.wire.countsTcpFlags()));
    }
    for (Server member : input.members) {
      rules.addAll(ofMember(input.traffic, input.wire, member));
    }
    return rules;
  }

  private static List<OFFlowAdd> ofMember(BucketTraffic traffic, Wire wire, Server member) {
    List<OFFlowAdd> rules = new ArrayList<>();
    if (traffic.isTracked()) {
      rules.addAll(TrackedReplies.ofMember(wire.factory(), traffic, member, wire.countsTcpFlags()));
    } else if (wire.tables().isOne()) {
      rules.add(ReplyRules.translateToController(wire.factory(), traffic, member));
    } else {
      rules.add(ReplyRules.translate(wire.factory(), traffic, member, Counted.ALL));
      if (traffic.isTcp() && wire.countsTcpFlags()) {
        for (Counted counted : Counted.OF_FLAGS) {
          rules.add(ReplyRules.translate(wire.factory(), traffic, member, counted));
        }
      }
    }
    if (traffic.isTcp()) {
      rules.add(ReplyRules.probeAnswers(wire.factory(), traffic, member));
    }
    return rules;
  }

  private static List<OFFlowAdd> toNextHop(ReplyInput input, List<Onward> onwards) {
    SwitchTables tables = input.wire.tables();
    Onward first = onwards.get(0);
    List<OFFlowAdd> rules = new ArrayList<>();
    if (tables.isOne()) {
      for (Server member : input.members) {
        rules.add(ReplyRules.translateTo(tables, input.traffic, member, first));
      }
    } else if (input.traffic.isTracked()) {
      for (int ordinal = 1; ordinal <= onwards.size(); ordinal++) {
        Onward next = onwards.get(ordinal - 1);
        int of = ordinal == 1 ? TrackedReplies.ALL_PATHS : ordinal;
        rules.add(TrackedReplies.toNextHop(tables, input.traffic, next, of));
        if (goesBack(input, next)) {
          rules.add(TrackedReplies.toNextHopFrom(tables, input.traffic, next, of, next.out()));
        }
      }
      rules.add(TrackedReplies.translateTo(tables, input.traffic, first));
      if (first.label() != null) {
        rules.add(TrackedReplies.lookUpFor(input.wire.factory(), input.traffic, first));
      }
    } else {
      rules.add(ReplyRules.toNextHop(tables, input.traffic, first));
      if (goesBack(input, first)) {
        rules.add(ReplyRules.toNextHopFrom(tables, input.traffic, first, first.out()));
      }
    }
    return rules;
  }

  /** Whether members behind a core switch reply out of the port that they come in at. */
  private static boolean goesBack(ReplyInput input, Onward next) {
    return next.label() != null
        && input.members.stream().anyMatch(each -> each.at().port().equals(next.out()));
  }

  private static List<OFFlowAdd> toSources(ReplyInput input) {
    List<OFFlowAdd> rules = new ArrayList<>();
    if (input.wire.tables().isOne()) {
      return rules; // SourcePaths has one for all
    }
    input.sources.forEach(
        (source, edge) -> {
          @Nullable List<Lead> leads = input.ready.get(edge);
          if (leads != null) {
            Onward next = leads.get(0).onward(SourceRules.edge(edge));
            rules.addAll(SourceRules.toEdge(input.wire.tables(), input.traffic, source, next));
          }
        });
    return rules;
  }

  /** Removes all rules from a switch, also if it is away. */
  void clear(Programmed programmed, DatapathId switchId, int vipNumber, long nowNanos) {
    programmed.clear(switchId, new MemberOwner(vipNumber), nowNanos);
    programmed.clear(switchId, new SourceOwner(vipNumber), nowNanos);
    for (MacAddress number : nextHops.keySet()) {
      programmed.clear(switchId, new NextHopOwner(vipNumber, number), nowNanos);
    }
    nextHops.clear();
    paths.retain(Set.of());
    paths.releaseReplaced();
  }
}
