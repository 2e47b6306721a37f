package io.malob.balancer.health;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.health.Ejection;
import io.malob.balancer.api.EjectedMember;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.health.PeerHealth.PeerEjection;
import io.malob.balancer.view.ViewWriter;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.network.ServerMeasurements;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * Ejects members for a while if their clients or their agents get no answer. Its state changes on
 * one serial executor. Thread-safe.
 */
public final class OutlierDetector {
  /** How often {@link #tick} is to be called. */
  public static final long TICK_MILLIS = 1_000;

  private final Ejections ejections;
  private final UnansweredSynDetector unansweredSyns;
  private final ViewWriter view;
  private final Function<FiveTuple, @Nullable Connection> connections;
  private final Function<IPAddress<?>, ServerMeasurements> measured;
  private final Executor serialExecutor;
  private volatile @Nullable PeerHealth others;
  private final LongSupplier nanoTime;

  /**
   * Starts with no ejected member.
   *
   * @param connections finds a connection by its request
   */
  public OutlierDetector(
      Ejection.Policy policy,
      IOFSwitchService switches,
      ViewWriter view,
      Function<FiveTuple, @Nullable Connection> connections,
      Function<IPAddress<?>, ServerMeasurements> measured,
      Executor serialExecutor,
      LongSupplier nanoTime) {
    this.ejections = new Ejections(policy, nanoTime);
    this.unansweredSyns =
        new UnansweredSynDetector(
            switches, serialExecutor, nanoTime, ejections, this::isSilent, () -> others);
    this.view = view;
    this.connections = connections;
    this.measured = measured;
    this.serialExecutor = serialExecutor;
    this.nanoTime = nanoTime;
  }

  /** Tells other controllers of ejections and suspicions from now on. */
  void shareWith(PeerHealth newOthers) {
    others = newOthers;
  }

  /** A connection of another controller has got no answer. For any thread. */
  void suspected(FiveTuple request) {
    @Nullable Connection connection = connections.apply(request);
    if (connection != null) {
      unansweredSyns.suspect(connection);
    }
  }

  /** A member has answered a connection of another controller. For any thread. */
  void answeredElsewhere(int memberNumber, long ageNanos) {
    serialExecutor.execute(() -> ejections.answered(memberNumber, nanoTime.getAsLong() - ageNanos));
  }

  /** The detector of unanswered connections. */
  public UnansweredSynDetector unansweredSyns() {
    return unansweredSyns;
  }

  private void isSilent(int memberNumber) {
    @Nullable Member member = membersByNumber(view.get().catalog()).get(memberNumber);
    if (member != null) {
      failed(List.of(member), Ejections.Why.NO_REPLY);
    }
  }

  /** Takes in a new report of a server. */
  public void reported(IPAddress<?> address) {
    serialExecutor.execute(
        () -> {
          if (Boolean.FALSE.equals(measured.apply(address).answers())) {
            failed(view.get().catalog().membersAt(address), Ejections.Why.REFUSES);
          }
        });
  }

  private void failed(List<Member> members, Ejections.Why why) {
    boolean changed = false;
    for (Member member : members) {
      changed |= ejections.failed(member, why);
    }
    if (changed) {
      view.setOut(ejections.out().keySet());
      @Nullable PeerHealth peers = others;
      if (peers != null) {
        peers.publishEjections(ejections());
      }
    }
  }

  /** The ejected members, as other controllers are told of them. */
  ImmutableMap<Integer, PeerEjection> ejections() {
    long now = nanoTime.getAsLong();
    return ImmutableMap.copyOf(
        Maps.transformValues(
            ejections.out(),
            out -> new PeerEjection(out.why(), out.times(), out.untilNanos() - now)));
  }

  /** Takes in ejections of another controller, by the members' numbers. For any thread. */
  void ejectedElsewhere(Map<Integer, PeerEjection> out) {
    if (out.isEmpty()) {
      return;
    }
    serialExecutor.execute(
        () -> {
          Map<Integer, Member> members = membersByNumber(view.get().catalog());
          boolean changed = false;
          for (Map.Entry<Integer, PeerEjection> each : out.entrySet()) {
            @Nullable Member member = members.get(each.getKey());
            changed |= member != null && ejections.ejectedElsewhere(member, each.getValue());
          }
          if (changed) {
            view.setOut(ejections.out().keySet());
          }
        });
  }

  /**
   * Records that a member accepted the connection of a health check, which takes the path of client
   * connections.
   */
  public void accepted(int memberNumber) {
    ejections.answered(memberNumber, nanoTime.getAsLong());
  }

  /** To be called every {@link #TICK_MILLIS}. */
  public void tick() {
    serialExecutor.execute(
        () -> {
          if (ejections.tick(membersByNumber(view.get().catalog()))) {
            view.setOut(ejections.out().keySet());
          }
        });
  }

  private static Map<Integer, Member> membersByNumber(CatalogSnapshot catalog) {
    return Maps.uniqueIndex(catalog.members().values(), Member::number);
  }

  /** The ejected members, by member id. */
  public Map<String, EjectedMember> ejected() {
    ImmutableMap<Integer, Ejections.Out> out = ejections.out();
    if (out.isEmpty()) {
      return Map.of();
    }
    long now = nanoTime.getAsLong();
    Map<String, EjectedMember> shown = new HashMap<>();
    for (Member member : view.get().catalog().members().values()) {
      Ejections.@Nullable Out state = out.get(member.number());
      if (state != null) {
        shown.put(
            member.id(),
            new EjectedMember(
                state.why().text(), state.times(), Math.max(0, state.untilNanos() - now)));
      }
    }
    return shown;
  }

  /** How often members were ejected, by kind of failure. */
  public Map<String, Long> counts() {
    return ejections.counts();
  }
}
