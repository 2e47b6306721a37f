package io.malob.balancer.api;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Explanation;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.state.catalog.AlgorithmChoice;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The outcome that a client's new connection would have at this moment, and the reasons. Immutable.
 * If the connection would be rejected, later steps are missing.
 *
 * @param client the client's attachment
 * @param clientAddress the client's address; empty while the network does not know it
 * @param vip the most specific VIP for the connection
 * @param pool the VIP's pool
 * @param decision the algorithm that would place it, and the origin of that choice
 * @param outcome the placement, or the reason against one
 * @param candidates the members of the pool, oldest first; for an FTP data connection only the
 *     member of the control connection
 * @param buckets the buckets at the client's edge, if they decide about the connection
 */
public record ExplainedConnection(
    Attachment client,
    Optional<IPAddress<?>> clientAddress,
    Optional<Vip> vip,
    Optional<Pool> pool,
    Optional<Decision> decision,
    Outcome outcome,
    ImmutableList<Candidate> candidates,
    Optional<ClientBuckets> buckets) {

  /**
   * The algorithm that decides, and its reasons.
   *
   * @param algorithm the algorithm
   * @param choice the origin of the choice; empty for FTP data connections
   * @param ftpControl the control connection from which an FTP data connection takes its member and
   *     its algorithm for paths
   * @param server the reason for the choice of the server
   * @param path the reason for the choice of the paths; the same if one rule chooses both
   */
  public record Decision(
      Algorithm algorithm,
      Optional<AlgorithmChoice> choice,
      Optional<FiveTuple> ftpControl,
      Reason server,
      Reason path) {}

  /** The outcome of the connection. */
  public sealed interface Outcome permits Placed, Refused, AddressNeeded, PortNeeded {}

  /** It would get this placement. */
  public record Placed(Placement placement) implements Outcome {}

  /** It would be rejected, for a reason of {@link IBalancerService#rejects}. */
  public record Refused(String reason) implements Outcome {}

  /**
   * The outcome depends on the client's address, which is unknown.
   *
   * @param by the part of the configuration that needs the address
   */
  public record AddressNeeded(NeedsAddress by) implements Outcome {}

  /** The outcome depends on the client's port, which is unknown: it chooses the bucket. */
  public record PortNeeded() implements Outcome {}

  /** A part of the configuration that treats clients by their addresses. */
  public enum NeedsAddress {
    /** The VIP restricts the allowed sources. */
    ALLOWED_SOURCES,
    /** The pool has session persistence. */
    SESSION_PERSISTENCE,
    /** The client's FTP control connection determines the member of its data connections. */
    FTP_CONTROL,
    /** The client's edge has buckets by the client's address. */
    BUCKETS
  }

  /**
   * The buckets of a proactive VIP at a client's edge.
   *
   * @param source the part of packets that chooses the bucket
   * @param count the number of buckets
   * @param chosen the bucket of the connection; empty if the client's port is needed and not known
   * @param members the members of the pool, oldest first
   */
  public record ClientBuckets(
      String source,
      int count,
      Optional<ChosenBucket> chosen,
      ImmutableList<MemberBuckets> members) {}

  /**
   * The part of the buckets that a member has.
   *
   * @param buckets the number of buckets that lead, or move, to it
   * @param load the part of the measured traffic that it gets; empty if it is not known yet
   * @param share the part that the algorithm proposes; empty if it is not known yet
   */
  public record MemberBuckets(
      String memberId, int buckets, OptionalDouble load, OptionalDouble share) {}

  /**
   * One bucket.
   *
   * @param index its number, from 0
   * @param memberId the member of new connections; empty if the controller chooses one for each
   * @param beforeId the member of established connections, while the bucket moves
   * @param cause why it leads, or moves, to its member
   * @param seconds for how long it does
   * @param secondsLeft how long it still moves, or has to rest
   * @param next a sentence that says what happens to it next, and what would move it
   */
  public record ChosenBucket(
      int index,
      Optional<String> memberId,
      Optional<String> beforeId,
      String cause,
      double seconds,
      double secondsLeft,
      String next) {}

  /** The same with the buckets at the client's edge. */
  public ExplainedConnection with(ClientBuckets ofClient) {
    return new ExplainedConnection(
        client, clientAddress, vip, pool, decision, outcome, candidates, Optional.of(ofClient));
  }

  /**
   * One member of the pool.
   *
   * @param server the member as placers see it; null if it is not located
   * @param paths its paths; empty if it cannot be reached
   * @param values the values that the rules use, by name including the unit
   * @param excluded the reason why it is not eligible; empty if it is
   */
  public record Candidate(
      Member member,
      @Nullable Server server,
      Optional<Explanation.Paths> paths,
      ImmutableMap<String, Double> values,
      Optional<Exclusion> excluded) {}

  /** The reason why a member is not eligible. */
  public enum Exclusion {
    /** An operator has taken the load balancer of the VIP down. */
    LOAD_BALANCER_DOWN,
    /** An operator has taken the VIP down. */
    VIP_DOWN,
    /** An operator has taken the pool down. */
    POOL_DOWN,
    /** An operator is draining it: it keeps its connections and gets no new ones. */
    DRAIN,
    /** An operator has taken it out of service. */
    DOWN,
    /** It has no weight: it keeps its connections and gets no new ones. */
    NO_WEIGHT,
    /** It is a backup, and another member is eligible. */
    BACKUP,
    /** Its health checks fail, or it is new and has not passed a check yet. */
    CHECKS,
    /** It is ejected: its connections or its agent recently got no answer. */
    EJECTED,
    /** It has reached its limit of connections. */
    FULL,
    /** Its location is unknown. */
    NOT_LOCATED,
    /** It is the client. */
    CLIENT_ITSELF,
    /** It is behind the client's own port, and other members are not. */
    BEHIND_CLIENTS_PORT,
    /** It cannot be reached from the client and back. */
    NO_ROUTE
  }
}
