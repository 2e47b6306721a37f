package io.malob.balancer.admission;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.balancer.api.ExplainedConnection.NeedsAddress;
import io.malob.balancer.api.PlacementCounts;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.ServicePlan;
import java.util.EnumSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a packet, and why. {@link Decider} decides, {@link RequestHandler} executes, and
 * {@link Explainer} prints the decision. Immutable.
 */
sealed interface Decision {
  /** The packet is not the balancer's concern. */
  enum Unowned implements Decision {
    INSTANCE
  }

  /** Its connection may be one from before the controller's start. */
  enum Recovering implements Decision {
    /** Its rules still forward it: the packet is ignored. */
    LEAVE,
    /** The connection may be recovered soon: the packet is decided again later. */
    WAIT,
    /** The connection has been recovered meanwhile: the packet is decided again at once. */
    DONE
  }

  /**
   * The packet belongs to the connection that {@link Decider#connectionOf} finds: how it uses that
   * connection. No object, as every packet of a connection that has no rules yet gets one.
   */
  enum Known implements Decision {
    /** It is a reply of the member. */
    REPLY,
    /** It is a packet of the client. */
    REQUEST,
    /**
     * It opens a later connection, which belongs to its bucket's member: the rules of this one lead
     * to another member, which takes no new connections.
     */
    CUTS_OFF,
    /** It opens a later connection in the place of this one, which has ended or is dormant. */
    SUPERSEDES
  }

  /** A connection without a use is in the way of the packet's: it makes room for that. */
  record InTheWay(Connection connection) implements Decision {}

  /** The packet opens a connection, which is to be placed. */
  sealed interface New extends Decision {
    /** The packets from client to VIP. */
    FiveTuple request();

    /** Where the client is attached. */
    Attachment client();

    /** How its member and its paths are chosen. */
    MemberChoice choice();

    /** The view that the decision is based on. */
    BalancerView view();

    /** The VIP's number in the catalog. */
    int vipNumber();

    /** How many connections the VIP may have. */
    int vipLimit();

    /** The algorithm that places it, now and when it is reactivated. */
    Algorithm algorithm();

    /** The profile that it is placed by, and that learns from it. */
    ServiceProfile profile();

    /** Counts its outcome. */
    PlacementCounts.Tally tally();

    /** Whether it is a control connection of FTP. */
    boolean isFtpControl();

    /** By the plan of its service. */
    record Planned(
        FiveTuple request,
        Attachment client,
        MemberChoice choice,
        ServicePlan plan,
        BalancerView view)
        implements New {
      @Override
      public int vipNumber() {
        return plan.vip().number();
      }

      @Override
      public int vipLimit() {
        return plan.vip().limit();
      }

      @Override
      public Algorithm algorithm() {
        return plan.choice().algorithm();
      }

      @Override
      public ServiceProfile profile() {
        return plan.profile();
      }

      @Override
      public PlacementCounts.Tally tally() {
        return plan.tally();
      }

      @Override
      public boolean isFtpControl() {
        return plan.isFtpControl();
      }
    }

    /** A data connection of FTP: it follows a control connection, within that one's limits. */
    record FtpData(
        FiveTuple request,
        Attachment client,
        MemberChoice choice,
        Connection control,
        ServiceProfile profile,
        PlacementCounts.Tally tally,
        BalancerView view)
        implements New {
      @Override
      public int vipNumber() {
        return control.vipNumber();
      }

      @Override
      public int vipLimit() {
        return Server.NO_LIMIT;
      }

      @Override
      public Algorithm algorithm() {
        return control.algorithm();
      }

      @Override
      public boolean isFtpControl() {
        return false;
      }
    }
  }

  /**
   * The packet is from the middle of a connection that a bucket has led to its member so far, or
   * that nothing tells of but a packet of its member.
   *
   * @param connection how the controller takes it over
   */
  record Bucketed(New connection, Server member) implements Decision {}

  /**
   * The packet opens a connection that cannot be placed yet.
   *
   * @param missing what is missing: the reason to reject it for if it waits in vain
   */
  record Waiting(RejectReason missing, ServicePlan plan) implements Decision {}

  /**
   * The connection may be opened: an intermediate result, never of a packet.
   *
   * @param control the control connection that an FTP data connection follows; null for others
   */
  record Admissible(ServicePlan plan, @Nullable Connection control) implements Decision {}

  /** The result depends on the client's address, which is not known. Never of a packet. */
  record Undecided(NeedsAddress by) implements Decision {}

  /** The packet gets no answer. */
  record Dropped(RejectReason reason) implements Decision {
    private static final ImmutableMap<RejectReason, Dropped> ALL =
        Maps.toMap(EnumSet.allOf(RejectReason.class), Dropped::new);

    static Dropped of(RejectReason reason) {
      return Objects.requireNonNull(ALL.get(reason));
    }
  }

  /**
   * The packet is rejected.
   *
   * @param vipNumber its VIP, if that matters
   * @param tally counts it; null unless it opens a connection to a service
   */
  record Refused(RejectReason reason, int vipNumber, PlacementCounts.@Nullable Tally tally)
      implements Decision {
    private static final int NO_VIP = -1;
    private static final ImmutableMap<RejectReason, Refused> ALL =
        Maps.toMap(EnumSet.allOf(RejectReason.class), reason -> new Refused(reason, NO_VIP, null));

    static Refused of(RejectReason reason) {
      return Objects.requireNonNull(ALL.get(reason));
    }
  }
}
