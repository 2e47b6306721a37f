package io.malob.balancer.admission;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.balancer.admission.Decision.Admissible;
import io.malob.balancer.admission.Decision.New;
import io.malob.balancer.admission.Decision.Refused;
import io.malob.balancer.admission.Decision.Undecided;
import io.malob.balancer.api.ExplainedConnection.NeedsAddress;
import io.malob.balancer.api.PlacementCounts;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.FtpSessions;
import io.malob.balancer.connection.ServiceProfiles;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.PoolView;
import io.malob.balancer.view.ServicePlan;
import io.malob.openflow.packet.EchoFrames;
import io.malob.state.catalog.Persistence;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Service;
import io.malob.state.catalog.Vip;
import org.jspecify.annotations.Nullable;

/**
 * Decides about connections that are to be opened, from a view and the tables of connections. It
 * changes nothing, so packets and explanations share it. Called by the threads that read from
 * switches, several at once; never blocks.
 */
public record OpeningDecider(Tables tables, ServiceProfiles profiles, PlacementCounts placements) {
  /** Whether a connection is to wait until members are located. */
  static boolean awaitsMembers(ServicePlan plan, boolean othersMayAnswer) {
    int found = plan.members().servers().size();
    return found < plan.membersExpected() && (found == 0 || othersMayAnswer);
  }

  /**
   * Finds the VIP and the plan of a connection, and checks whether its client is allowed.
   *
   * @param address the VIP's address
   * @param port the destination port, or the type for ICMP
   * @param client the client's address; ignored unless {@code isClientKnown}
   * @return {@link Admissible}, {@link Refused} or {@link Undecided}
   */
  Decision classify(
      int address,
      Protocol protocol,
      int port,
      int client,
      boolean isClientKnown,
      BalancerView view) {
    @Nullable Vip vip = view.catalog().vipFor(address, protocol, port).orElse(null);
    if (protocol == Protocol.ICMP && port != EchoFrames.requestTypeTo(address)) {
      return Refused.of(RejectReason.NOT_BALANCED);
    }
    if (vip == null) {
      return Refused.of(RejectReason.NO_VIP);
    }
    if (!isClientKnown && vip.allowedSources() != null) {
      return new Undecided(NeedsAddress.ALLOWED_SOURCES);
    }
    if (!vip.allows(client)) {
      return new Refused(RejectReason.NOT_ALLOWED, vip.number(), null);
    }
    @Nullable ServicePlan plan = view.plan(vip, protocol, port);
    if (plan == null) {
      return Refused.of(RejectReason.NO_POOL);
    }
    if (!plan.mayFollowControl()) {
      return new Admissible(plan, null);
    }
    return isClientKnown
        ? new Admissible(plan, tables.ftpSessions().atVip(client, vip.number()))
        : new Undecided(NeedsAddress.FTP_CONTROL);
  }

  /**
   * Decides about a connection of a plan.
   *
   * @param ofBucket the member of its bucket; null if it has none
   */
  Decision place(
      ServicePlan plan,
      FiveTuple request,
      Attachment client,
      @Nullable Server ofBucket,
      BalancerView view) {
    @Nullable RejectReason full = fullAt(plan.vip().number(), plan.vip().limit());
    return full == null
        ? new New.Planned(
            request, client, choice(plan, request.srcAddress(), ofBucket, view), plan, view)
        : new Refused(full, plan.vip().number(), plan.tally());
  }

  private MemberChoice choice(
      ServicePlan plan, int client, @Nullable Server ofBucket, BalancerView view) {
    if (ofBucket != null) {
      return new MemberChoice.ByBucket(ofBucket, plan, view);
    }
    @Nullable Persistence persistence = plan.pool().persistence();
    return persistence == null
        ? new MemberChoice.ByAlgorithm(plan.placer(), view.network())
        : new MemberChoice.ByPersistence(
            tables.affinity(), persistence, client, plan, view.network());
  }

  /**
   * The reason why a VIP takes no further connection, regardless of its members; null if it takes
   * one.
   */
  private @Nullable RejectReason fullAt(int vipNumber, int vipLimit) {
    if (tables.halfOpen().isFull(vipNumber)) {
      return RejectReason.HALF_OPEN;
    }
    return tables.limiter().isFull(vipNumber, vipLimit) ? RejectReason.VIP_FULL : null;
  }

  /**
   * Decides about a data connection of FTP. It goes to the member of its control connection, and by
   * its algorithm. In passive mode the client opens it, to any port of the VIP; in active mode the
   * member does, from port 20, and the client sees it come from the VIP.
   */
  Decision data(Connection control, FiveTuple request, Attachment client, BalancerView view) {
    int member = control.server().number();
    @Nullable Server server = view.servers().get(member);
    @Nullable PoolView pool = view.poolOfMember().get(member);
    if (server == null || pool == null) {
      return Refused.of(RejectReason.NO_MEMBER);
    }
    Service service = view.catalog().serviceFor(Protocol.TCP, FtpSessions.CONTROL_PORT);
    PlacementCounts.Tally tally = placements.of(service, control.algorithm());
    @Nullable RejectReason full = fullAt(control.vipNumber(), Server.NO_LIMIT);
    return full == null
        ? new New.FtpData(
            request,
            client,
            new MemberChoice.ByControl(
                server.keepingPorts(), pool.placer(control.algorithm()), view.network()),
            control,
            profiles.ofFtpData(control.vipNumber(), service),
            tally,
            view)
        : new Refused(full, control.vipNumber(), tally);
  }

  /** The tally of the service of a connection. */
  PlacementCounts.Tally tallyOf(Connection known, BalancerView view) {
    FiveTuple request = known.request();
    Protocol protocol = Protocol.TCP;
    boolean isData =
        classify(
                    request.dstAddress(),
                    protocol,
                    request.dstPort(),
                    request.srcAddress(),
                    true,
                    view)
                instanceof Admissible admissible
            && admissible.control() != null;
    int port = isData ? FtpSessions.CONTROL_PORT : request.dstPort();
    return placements.of(view.catalog().serviceFor(protocol, port), known.algorithm());
  }
}
