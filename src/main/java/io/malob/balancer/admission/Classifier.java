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
 * The first step of a decision: what a new connection wants, and whether it may have it. Changes
 * nothing, so that admission, which acts on the verdict, and explanations share it. Thread-safe.
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
   * A connection to come.
   *
   * @param address the VIP's address
   * @param port the destination port, or the type for ICMP
   * @param client the client's address; ignored unless {@code clientIsKnown}
   * @param clientIsKnown whether the client's address is known: always, of a packet
   */
  record Wanted(int address, Protocol protocol, int port, int client, boolean clientIsKnown) {}

  /** What becomes of a connection. */
  sealed interface Verdict {}

  /**
   * It is rejected.
   *
   * @param vip the VIP that it goes to; null if there is none
   */
  record Rejected(RejectReason reason, @Nullable Vip vip) implements Verdict {}

  /** It depends on the client's address, which is not known. */
  record Undecided(NeedsAddress by) implements Verdict {}

  /**
   * A member is chosen for it.
   *
   * @param control if it is a data connection of FTP, the control connection that it follows
   */
  record Admissible(ServicePlan plan, @Nullable Connection control) implements Verdict {}

  /** What becomes of a connection, going by a view. */
  Verdict classify(Wanted wanted, BalancerView view) {
    Optional<Vip> found = view.catalog().vipFor(wanted.address, wanted.protocol, wanted.port);
    if (wanted.protocol == Protocol.ICMP && wanted.port != EchoFrames.ICMP_ECHO_REQUEST) {
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
