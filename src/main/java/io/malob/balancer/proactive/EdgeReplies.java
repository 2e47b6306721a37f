package io.malob.balancer.proactive;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.balancer.proactive.EdgeBuckets.Wire;
import io.malob.openflow.Onward;
import io.malob.openflow.TableLayout;
import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.bucket.ReplyRules;
import io.malob.openflow.bucket.ReplyRules.Counted;
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

/**
 * The rules for the replies of a proactive VIP's members at one switch. Each client's rules change
 * alone. For one thread at a time.
 */
final class EdgeReplies {
  /** The paths to clients' switches. */
  private final Leads<DatapathId> leads;

  private final int maxPairs;

  /** What the rules were made of last; null if there are none. */
  private @Nullable Base made;

  /** The clients that have rules. */
  private final Map<Integer, Next> clients = new HashMap<>();

  private Optional<String> crowded = Optional.empty();

  /** What all rules depend on. */
  private record Base(BucketTraffic traffic, ImmutableList<Server> members, Shape shape) {}

  /** What a switch can hold. */
  record Shape(TableLayout layout, boolean countsTcpFlags) {
    static Shape of(Wire wire) {
      return new Shape(wire.tables().layout(), wire.countsTcpFlags());
    }
  }

  /** Where a client is, and where replies to it leave the switch. */
  private record Next(Attachment at, Onward onward) {}

  private record MemberOwner(int vipNumber) {}

  private record ClientOwner(int vipNumber, int client) {}

  /**
   * What rules are made of.
   *
   * @param members the members at the switch
   * @param ready the paths to clients' switches
   */
  record Pass(
      BucketTraffic traffic,
      ImmutableList<Server> members,
      Map<DatapathId, Lead> ready,
      Wire wire,
      long nowNanos) {

    Base base() {
      return new Base(traffic, members, Shape.of(wire));
    }

    void set(Object owner, List<OFFlowAdd> rules) {
      wire.sw().set(owner, rules, wire.tables(), nowNanos);
    }

    void reroute(Object owner, List<OFFlowAdd> rules) {
      wire.sw().reroute(owner, rules, wire.tables(), nowNanos);
    }

    Object owner(int client) {
      return new ClientOwner(traffic.vipNumber(), client);
    }
  }

  /**
   * No rules.
   *
   * @param maxPairs the max number of rules for replies of members in one table: one per member and
   *     client
   */
  EdgeReplies(LabelTable labels, int maxPairs) {
    this.leads = new Leads<>(labels);
    this.maxPairs = maxPairs;
  }

  Leads<DatapathId> leads() {
    return leads;
  }

  /** Why the table has no room for the rules; empty if it has. */
  Optional<String> crowded() {
    return crowded;
  }

  /** Brings all rules up to date. */
  void program(Pass pass, Map<Integer, Attachment> known) {
    Base base = pass.base();
    boolean isNew = !base.equals(made);
    if (isNew) {
      made = base;
      pass.set(new MemberOwner(pass.traffic.vipNumber()), ofMembers(pass));
    }
    crowded = Optional.empty();
    Iterator<Integer> each = clients.keySet().iterator();
    while (each.hasNext()) {
      int client = each.next();
      @Nullable Attachment at = known.get(client);
      boolean isWanted = at != null && pass.ready.containsKey(at.switchId());
      if (!isWanted || clients.size() > maxClients(pass)) {
        each.remove();
        pass.set(pass.owner(client), List.of());
      }
    }
    known.forEach((client, at) -> program(pass, client, at, isNew));
  }

  /** Brings the rules of a client up to date. Nothing else has changed. */
  void program(Pass pass, int client, Attachment at) {
    program(pass, client, at, false);
  }

  private void program(Pass pass, int client, Attachment at, boolean isNew) {
    @Nullable Lead lead = pass.ready.get(at.switchId());
    if (lead == null) {
      return;
    }
    @Nullable Next before = clients.get(client);
    if (before == null && clients.size() >= maxClients(pass)) {
      // the controller forwards its replies until the VIP is reactive
      String why =
          "replies of %d members to more than %d clients need more than %d rules in the table of"
              + " switch %s";
      crowded =
          Optional.of(
              why.formatted(
                  pass.members.size(), clients.size(), maxPairs, pass.wire.sw().switchId()));
      return;
    }
    Next next = new Next(at, lead.onward(at));
    if (isNew || !next.equals(before)) {
      clients.put(client, next);
      List<OFFlowAdd> rules = toClient(pass, AddressKey.toAddress(client), next.onward);
      if (before != null && at.equals(before.at) && pass.wire.tables().isOne()) {
        pass.reroute(pass.owner(client), rules);
      } else {
        pass.set(pass.owner(client), rules);
      }
    }
  }

  private int maxClients(Pass pass) {
    return pass.wire.tables().isOne()
        ? maxPairs / Math.max(1, pass.members.size())
        : Integer.MAX_VALUE;
  }

  private static List<OFFlowAdd> ofMembers(Pass pass) {
    List<OFFlowAdd> rules = new ArrayList<>();
    for (Server member : pass.members) {
      rules.addAll(ofMember(pass.traffic, pass.wire, member));
    }
    return rules;
  }

  private static List<OFFlowAdd> ofMember(BucketTraffic traffic, Wire wire, Server member) {
    List<OFFlowAdd> rules = new ArrayList<>();
    if (wire.tables().isOne()) {
      rules.add(ReplyRules.translateToController(wire.factory(), traffic, member));
    } else {
      rules.add(ReplyRules.translate(wire.factory(), traffic, member, Counted.ALL));
      if (traffic.isTcp() && wire.countsTcpFlags()) {
        for (Counted counted : List.of(Counted.OPENED, Counted.FINISHED, Counted.RESET)) {
          rules.add(ReplyRules.translate(wire.factory(), traffic, member, counted));
        }
      }
    }
    if (traffic.isTcp()) {
      rules.add(ReplyRules.probeAnswers(wire.factory(), traffic, member));
    }
    return rules;
  }

  private static List<OFFlowAdd> toClient(Pass pass, IPAddress<?> client, Onward next) {
    List<OFFlowAdd> rules = new ArrayList<>();
    if (pass.wire.tables().isOne()) {
      for (Server member : pass.members) {
        rules.add(ReplyRules.translateTo(pass.wire.tables(), pass.traffic, member, client, next));
      }
      return rules;
    }
    rules.add(ReplyRules.toClient(pass.wire.tables(), pass.traffic, client, next));
    if (next.label() != null // members behind a core switch
        && pass.members.stream().anyMatch(each -> each.at().port().equals(next.out()))) {
      rules.add(
          ReplyRules.toClientFrom(pass.wire.tables(), pass.traffic, client, next, next.out()));
    }
    return rules;
  }

  /** Removes all rules from a switch, also if it is away. */
  void clear(Programmed programmed, DatapathId switchId, int vipNumber, long nowNanos) {
    programmed.clear(switchId, new MemberOwner(vipNumber), nowNanos);
    for (int client : clients.keySet()) {
      programmed.clear(switchId, new ClientOwner(vipNumber, client), nowNanos);
    }
    clients.clear();
    leads.retain(Set.of());
    leads.releaseReplaced();
  }
}
