package io.malob.balancer.admission;

import io.malob.balancer.api.ExplainedConnection.NeedsAddress;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.FtpSessions;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.ServicePlan;
import io.malob.openflow.packet.EchoFrames;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The first step of a decision: finds the VIP and the service plan of a new connection, and checks
 * whether the client is allowed. It has no side effects, so admission and explanations share it.
 * Thread-safe.
 */
public final class Classifier {
  private final FtpSessions ftpSessions;

  /**
   * A classifier.
   *
   * @param ftpSessions the control connections that data connections follow
   */
  public Classifier(FtpSessions ftpSessions) {
    this.ftpSessions = ftpSessions;
  }

  /**
   * A requested connection.
   *
   * @param address the VIP's address
   * @param port the destination port, or the type for ICMP
   * @param client the client's address; ignored unless {@code clientIsKnown}
   * @param clientIsKnown whether the client's address is known; always true for packets
   */
  record Wanted(int address, Protocol protocol, int port, int client, boolean clientIsKnown) {}

  /** The result of a classification. */
  sealed interface Verdict {}

  /**
   * The connection is rejected.
   *
   * @param vip its VIP; null if there is none
   */
  record Rejected(RejectReason reason, @Nullable Vip vip) implements Verdict {}

  /** The result depends on the client's address, which is not known. */
  record Undecided(NeedsAddress by) implements Verdict {}

  /**
   * The connection may be placed.
   *
   * @param control the control connection that an FTP data connection follows; null for others
   */
  record Admissible(ServicePlan plan, @Nullable Connection control) implements Verdict {}

  /** Classifies a connection according to a view. */
  Verdict classify(Wanted wanted, BalancerView view) {
    Optional<Vip> found = view.catalog().vipFor(wanted.address, wanted.protocol, wanted.port);
    if (wanted.protocol == Protocol.ICMP
        && wanted.port != EchoFrames.requestTypeTo(wanted.address)) {
      return new Rejected(RejectReason.NOT_BALANCED, found.orElse(null));
    }
    if (found.isEmpty()) {
      return new Rejected(RejectReason.NO_VIP, null);
    }
    Vip vip = found.get();
    if (!wanted.clientIsKnown && vip.allowedSources() != null) {
      return new Undecided(NeedsAddress.ALLOWED_SOURCES);
    }
    if (!vip.allows(wanted.client)) {
      return new Rejected(RejectReason.NOT_ALLOWED, vip);
    }
    @Nullable ServicePlan plan = view.plan(vip, wanted.protocol, wanted.port);
    if (plan == null) {
      return new Rejected(RejectReason.NO_POOL, vip);
    }
    if (plan.mayFollowControl() && !wanted.clientIsKnown) {
      return new Undecided(NeedsAddress.FTP_CONTROL);
    }
    return new Admissible(
        plan, plan.mayFollowControl() ? ftpSessions.atVip(wanted.client, vip.number()) : null);
  }
}
