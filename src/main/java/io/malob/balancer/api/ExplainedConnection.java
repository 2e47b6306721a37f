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
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * What would become of a client's new connection at this moment, and why. Immutable. What comes
 * after the point where it would be refused is not there.
 *
 * @param client where the client is attached
 * @param clientAddress the client's address; empty while the network does not know it
 * @param vip the most specific VIP for the connection
 * @param pool the VIP's pool
 * @param decision which algorithm it would be placed with, and why that one
 * @param outcome where it would go, or why nowhere
 * @param candidates the members of the pool, oldest first; for a data connection of FTP only that
 *     of the control connection
 */
public record ExplainedConnection(
    Attachment client,
    Optional<IPAddress<?>> clientAddress,
    Optional<Vip> vip,
    Optional<Pool> pool,
    Optional<Decision> decision,
    Outcome outcome,
    ImmutableList<Candidate> candidates) {

  /**
   * Which algorithm decides, and how it does.
   *
   * @param algorithm the algorithm
   * @param choice what names it; empty for data connections of FTP
   * @param ftpControl the control connection whose member, and algorithm for paths, a data
   *     connection of FTP gets
   * @param server how the server is chosen
   * @param path how its paths are; the same where one rule chooses both
   */
  public record Decision(
      Algorithm algorithm,
      Optional<AlgorithmChoice> choice,
      Optional<FiveTuple> ftpControl,
      Reason server,
      Reason path) {}

  /** What would become of the connection. */
  public sealed interface Outcome permits Placed, Refused, AddressNeeded {}

  /** It would go there. */
  public record Placed(Placement placement) implements Outcome {}

  /** It would go nowhere, for a reason by the name that {@link IBalancerService#rejects} has. */
  public record Refused(String reason) implements Outcome {}

  /**
   * It depends on the client's address, which is not known.
   *
   * @param by what asks for it
   */
  public record AddressNeeded(NeedsAddress by) implements Outcome {}

  /** What treats clients by their addresses. */
  public enum NeedsAddress {
    /** The VIP says which sources may use it. */
    ALLOWED_SOURCES,
    /** The pool keeps clients at their members. */
    SESSION_PERSISTENCE,
    /** The client's FTP control connection says where its data connections go. */
    FTP_CONTROL
  }

  /**
   * One member of the pool.
   *
   * @param server the member as placers see it; null if the network does not know where it is
   * @param paths how it would be reached; empty if it cannot be
   * @param values what the rules look at, by name with its unit
   * @param excluded why it cannot be chosen; empty if it can
   */
  public record Candidate(
      Member member,
      @Nullable Server server,
      Optional<Explanation.Paths> paths,
      ImmutableMap<String, Double> values,
      Optional<Exclusion> excluded) {}

  /** Why a member cannot be chosen. */
  public enum Exclusion {
    /** An operator has it finish what it has, and take nothing new. */
    DRAIN,
    /** An operator has taken it out of service. */
    DOWN,
    /** It has no weight: it finishes what it has, and takes nothing new. */
    NO_WEIGHT,
    /** It is a backup, and another member can be chosen. */
    BACKUP,
    /** Its health checks fail, or it is new and has not passed one yet. */
    CHECKS,
    /** Its connections got no answer lately. */
    EJECTED,
    /** It has as many connections as it may have. */
    FULL,
    /** The network does not know where it is. */
    NOT_LOCATED,
    /** It is the client itself. */
    CLIENT_ITSELF,
    /** It is behind the client's own port, and there are others. */
    BEHIND_CLIENTS_PORT,
    /** It cannot be reached from the client and back. */
    NO_ROUTE
  }
}
