package io.malob.balancer;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Fields;
import io.malob.testing.EventQueue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/** What goes wrong in a simulated network, what its operators change, and how it is put right. */
final class Troubles {
  private static final long SETTLING_NANOS = TimeUnit.SECONDS.toNanos(12);
  private static final int MAX_SECONDS = 40;

  private final BalancerNetwork net;
  private final SlowWire wire;
  private final EventQueue events;
  private final Random random;
  private final Traffic traffic;
  private final Journal journal;
  private final List<Cable> cables = new ArrayList<>();
  private final Set<Cable> broken = new HashSet<>();
  private final Set<Cable> unknown = new HashSet<>();
  private final Set<DatapathId> switches = new HashSet<>();
  private final Set<DatapathId> away = new HashSet<>();
  private final Map<String, Conversation.Service> deleted = new HashMap<>();
  private final Map<String, Place> members = new TreeMap<>();
  private int split;
  private int memberNumbers;

  private record Cable(DatapathId a, int portA, DatapathId b, int portB) {}

  /** A member's pool, the VIP of that, and its host. */
  private record Place(String pool, String vip, Host host) {}

  Troubles(
      BalancerNetwork net,
      SlowWire wire,
      EventQueue events,
      Random random,
      Traffic traffic,
      Journal journal) {
    this.net = net;
    this.wire = wire;
    this.events = events;
    this.random = random;
    this.traffic = traffic;
    this.journal = journal;
  }

  DatapathId addSwitch(long id) {
    DatapathId added = net.addSwitch(id);
    switches.add(added);
    return added;
  }

  void connect(DatapathId a, int portA, DatapathId b, int portB) {
    net.link(a, portA, b, portB);
    cables.add(new Cable(a, portA, b, portB));
  }

  /** A link breaks and, some time later, is whole again; the controller learns of both late. */
  void breakLink() {
    if (cables.isEmpty()) {
      return;
    }
    Cable cable = cables.get(random.nextInt(cables.size()));
    if (!broken.add(cable)) {
      return;
    }
    journal.note("link breaks: %s", cable);
    traffic.troubleBegins();
    net.network.cut(cable.a, cable.portA);
    net.network.cut(cable.b, cable.portB);
    events.after(
        millis(2_000),
        () -> {
          unknown.add(cable);
          journal.note("the controller learns that the link is broken: %s", cable);
          net.learnBreak(cable.a, cable.portA);
          net.learnBreak(cable.b, cable.portB);
          excuseIfSplit();
          events.after(millis(1_000 * MAX_SECONDS), () -> mend(cable));
        });
  }

  private void mend(Cable cable) {
    journal.note("link is mended: %s", cable);
    net.network.connect(cable.a, cable.portA, cable.b, cable.portB);
    events.after(
        millis(2_000),
        () -> {
          unknown.remove(cable);
          broken.remove(cable);
          excuseIfSplit();
          net.learnLink(cable.a, cable.portA, cable.b, cable.portB);
          events.after(SETTLING_NANOS, traffic::troubleEnds);
        });
  }

  /**
   * A switch loses its connection, some time with its rules, too, and comes back. If it has kept
   * them, connections that are in use go on.
   */
  void loseSwitch() {
    List<DatapathId> there = switches.stream().filter(id -> !away.contains(id)).sorted().toList();
    if (there.isEmpty()) {
      return;
    }
    DatapathId lost = there.get(random.nextInt(there.size()));
    boolean restarts = random.nextBoolean();
    journal.note("switch %s is lost%s", lost, restarts ? " with its rules" : "");
    traffic.troubleBegins();
    away.add(lost);
    split++;
    wire.broken(lost);
    if (restarts) {
      net.table(lost).clear();
    }
    net.disconnect(lost);
    traffic.switchGoes();
    if (restarts) {
      net.network.wiped(lost);
      traffic.excuse(any -> true, "anything may happen to what is open");
    }
    events.after(
        millis(1_000 * MAX_SECONDS),
        () -> {
          journal.note("switch %s is back", lost);
          away.remove(lost);
          net.addSwitch(lost.getLong());
          events.after(
              SETTLING_NANOS,
              () -> {
                if (restarts) {
                  net.network.readAfterWiping(lost);
                  traffic.excuse(any -> true, "nor to what was opened meanwhile");
                }
                traffic.switchIsBack();
                split--;
                traffic.troubleEnds();
              });
        });
  }

  private void excuseIfSplit() {
    if (!isWhole()) {
      traffic.excuse(any -> true, "the network is split");
      split++;
      events.after(
          SETTLING_NANOS,
          () -> {
            split--;
            excuseIfSplit();
          });
    }
  }

  /** Whether connections may be refused for want of a way. */
  boolean isSplit() {
    return split > 0;
  }

  private boolean isWhole() {
    Set<DatapathId> reached = new HashSet<>();
    List<DatapathId> next = new ArrayList<>(List.of(switches.iterator().next()));
    while (!next.isEmpty()) {
      DatapathId at = next.remove(next.size() - 1);
      if (reached.add(at)) {
        for (Cable cable : cables) {
          if (!unknown.contains(cable)) {
            if (cable.a.equals(at)) {
              next.add(cable.b);
            } else if (cable.b.equals(at)) {
              next.add(cable.a);
            }
          }
        }
      }
    }
    return reached.size() == switches.size();
  }

  private long millis(int max) {
    return TimeUnit.MILLISECONDS.toNanos(random.nextInt(max));
  }

  /** Sets up a VIP with its pool. */
  void addVip(Conversation.Service service, String pool, String method, boolean first) {
    List<String> fields = new ArrayList<>(List.of("id", service.id()));
    fields.addAll(List.of("address", service.address()));
    if (service.port() > 0) {
      fields.addAll(List.of("port", Integer.toString(service.port())));
      fields.addAll(List.of("protocol", service.protocol().name().toLowerCase(Locale.ROOT)));
    }
    wire.waiting(
        () -> {
          net.create(Catalog.VIPS, fields.toArray(String[]::new));
          if (first) {
            net.create(Catalog.POOLS, "id", pool, "vip_id", service.id(), "lb_method", method);
          } else {
            change(
                () ->
                    net.module
                        .catalog()
                        .update(
                            Catalog.POOLS, pool, Fields.of("id", pool, "vip_id", service.id())));
          }
        });
  }

  /** A change of the catalog. */
  private interface Change {
    void make() throws Exception;
  }

  private static void change(Change change) {
    try {
      change.make();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** An operator deletes a VIP and makes it again later, with the same pool. */
  void replaceVip(Conversation.Service service, String pool) {
    if (deleted.putIfAbsent(service.id(), service) != null) {
      return;
    }
    journal.note("VIP %s goes", service.id());
    traffic.excuse(each -> each.service.id().equals(service.id()), "its VIP goes");
    wire.waiting(() -> net.delete(Catalog.VIPS, service.id()));
    events.after(
        millis(20_000),
        () -> {
          journal.note("VIP %s is back", service.id());
          addVip(service, pool, "", false);
          events.after(SETTLING_NANOS, () -> deleted.remove(service.id()));
        });
  }

  /** Whether a VIP is away, or was a moment ago. */
  boolean isAway(Conversation.Service service) {
    return deleted.containsKey(service.id())
        || members.values().stream().noneMatch(place -> place.vip.equals(service.id()));
  }

  /** An operator adds a member. */
  void addMember(String pool, Conversation.Service service, Host host) {
    boolean there =
        members.values().stream()
            .anyMatch(place -> place.pool.equals(pool) && place.host.equals(host));
    if (there) {
      return;
    }
    String id = "m" + ++memberNumbers;
    journal.note("member %s at %s joins %s", id, host.ip(), pool);
    traffic.mayServe(service.id(), host);
    members.put(id, new Place(pool, service.id(), host));
    List<String> fields = new ArrayList<>(List.of("id", id, "address", host.ip().toString()));
    fields.addAll(List.of("pool_id", pool, "weight", Integer.toString(1 + random.nextInt(4))));
    if (service.memberPort() > 0) {
      fields.addAll(List.of("port", Integer.toString(service.memberPort())));
    }
    wire.waiting(() -> net.create(Catalog.MEMBERS, fields.toArray(String[]::new)));
  }

  /** An operator deletes a member, or takes it out of its pool for a while. */
  void removeMember() {
    List<String> ids = List.copyOf(members.keySet());
    if (ids.size() <= 4) {
      return;
    }
    String id = ids.get(random.nextInt(ids.size()));
    Place place = members.remove(id);
    traffic.excuse(
        each ->
            each.service.id().equals(place.vip)
                && (each.member == null || each.member.equals(place.host)),
        "their member goes");
    if (random.nextBoolean()) {
      journal.note("member %s goes", id);
      wire.waiting(() -> net.delete(Catalog.MEMBERS, id));
      return;
    }
    journal.note("member %s pauses", id);
    setPool(id, null);
    events.after(
        millis(30_000),
        () -> {
          boolean doubled =
              members.values().stream()
                  .anyMatch(
                      other -> other.pool.equals(place.pool) && other.host.equals(place.host));
          if (!doubled) {
            journal.note("member %s goes on", id);
            members.put(id, place);
            setPool(id, place.pool);
          }
        });
  }

  private void setPool(String id, @Nullable String pool) {
    wire.waiting(
        () ->
            change(
                () ->
                    net.module.catalog().update(Catalog.MEMBERS, id, Fields.of("pool_id", pool))));
  }

  /** How much is broken, away or unsettled. */
  int open() {
    return broken.size() + away.size() + deleted.size() + split;
  }
}
