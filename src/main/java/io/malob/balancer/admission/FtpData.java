package io.malob.balancer.admission;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.balancer.admission.AdmissionControl.Terms;
import io.malob.balancer.api.PlacementCounts;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.FtpSessions;
import io.malob.balancer.connection.ServiceProfiles;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.PoolView;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Service;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The data connections of FTP, which go to the member of their control connection and by its
 * algorithm. In passive mode the client opens them, to any port of the VIP; in active mode the
 * member does, from port 20, and the client sees it come from the VIP. Either way it is a
 * connection like all others. Called by the threads that read from switches, several at once.
 */
public final class FtpData {
  private final Supplier<BalancerView> views;
  private final ConnectionTable connections;
  private final FtpSessions sessions;
  private final AdmissionControl admissionControl;
  private final ConnectionTeardown teardown;
  private final RejectSender rejectSender;
  private final ServiceProfiles profiles;
  private final PlacementCounts placements;

  public FtpData(
      Supplier<BalancerView> views,
      ConnectionTable connections,
      FtpSessions sessions,
      AdmissionControl admissionControl,
      ConnectionTeardown teardown,
      RejectSender rejectSender,
      ServiceProfiles profiles,
      PlacementCounts placements) {
    this.views = views;
    this.connections = connections;
    this.sessions = sessions;
    this.admissionControl = admissionControl;
    this.teardown = teardown;
    this.rejectSender = rejectSender;
    this.profiles = profiles;
    this.placements = placements;
  }

  /** Passive mode: a client opens a data connection. */
  void openedByClient(Connection control, Arrival arrival, Attachment client) {
    open(control, arrival.packet().fiveTuple(), arrival, client);
  }

  /**
   * Active mode: a member opens a data connection. False if the packet does not open one: it
   * belongs to an existing connection, or to none of the balancer's.
   */
  boolean openedByMember(Arrival arrival) {
    Packet packet = arrival.packet();
    @Nullable Connection control = sessions.controlOf(packet);
    if (control == null) {
      return false;
    }
    FiveTuple request =
        FiveTuple.of(
            packet.protocol(),
            packet.dstAddress(),
            packet.dstPort(),
            control.request().dstAddress(),
            FtpSessions.DATA_PORT);
    @Nullable Connection same = connections.byReply(packet.fiveTuple());
    if (same != null && !teardown.makeRoom(same)) {
      return false; // a retransmitted SYN
    }
    @Nullable Connection earlier = connections.byRequest(request);
    if (earlier != null && !teardown.makeRoom(earlier)) {
      rejectSender.reject(arrival, RejectReason.NO_DISTINCT_MEMBER);
    } else {
      open(control, request, arrival, control.client());
    }
    return true;
  }

  private void open(Connection control, FiveTuple request, Arrival arrival, Attachment client) {
    BalancerView view = views.get();
    int member = control.server().number();
    @Nullable Server server = view.servers().get(member);
    @Nullable PoolView pool = view.poolOfMember().get(member);
    if (server == null || pool == null) {
      rejectSender.reject(arrival, RejectReason.NO_MEMBER);
      return;
    }
    control.yieldPaths();
    Server target = server.keepingPorts();
    Placer placer = pool.placer(control.algorithm());
    Service service = view.catalog().serviceFor(Protocol.TCP, FtpSessions.CONTROL_PORT);
    admissionControl.admit(
        request,
        arrival,
        new Terms(
            control.vipNumber(),
            Server.NO_LIMIT, // what it belongs to is there
            control.algorithm(),
            wish ->
                wish.acceptable().test(target)
                    ? placer.placeOn(target, wish, view.network())
                    : Placer.Refusal.NOT_ACCEPTABLE,
            client,
            view,
            profiles.ofFtpData(control.vipNumber(), service),
            false,
            placements.of(service, control.algorithm())));
  }
}
