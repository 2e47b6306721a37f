package io.malob.balancer.admission;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Explanation;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.balancer.api.ExplainedConnection;
import io.malob.balancer.api.ExplainedConnection.AddressNeeded;
import io.malob.balancer.api.ExplainedConnection.Candidate;
import io.malob.balancer.api.ExplainedConnection.Decision;
import io.malob.balancer.api.ExplainedConnection.Exclusion;
import io.malob.balancer.api.ExplainedConnection.NeedsAddress;
import io.malob.balancer.api.ExplainedConnection.Outcome;
import io.malob.balancer.api.ExplainedConnection.Placed;
import io.malob.balancer.api.ExplainedConnection.Refused;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.connection.AffinityTable;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionLimiter;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.FtpSessions;
import io.malob.balancer.connection.HalfOpenLimit;
import io.malob.balancer.connection.ServiceProfiles;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.PoolView;
import io.malob.module.AttachedHosts;
import io.malob.state.catalog.AlgorithmChoice;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * Says what {@link RequestHandler} and {@link AdmissionControl} would do with a new connection, and
 * why, and does nothing of it. What depends on the client's port is left out: whether a member has
 * a connection already that it could not tell from this one. Thread-safe.
 */
public final class Explainer {
  private static final Reason KEPT =
      new Reason("the member that the client had last (session persistence)", "none");

  private final Supplier<BalancerView> views;
  private final ConnectionTable connections;
  private final ConnectionLimiter connectionLimiter;
  private final HalfOpenLimit halfOpen;
  private final AffinityTable affinity;
  private final FtpData ftpData;
  private final AttachedHosts hosts;
  private final ServiceProfiles profiles;

  /**
   * An explainer.
   *
   * @param hosts where clients are
   */
  public Explainer(
      Supplier<BalancerView> views,
      ConnectionTable connections,
      ConnectionLimiter connectionLimiter,
      HalfOpenLimit halfOpen,
      AffinityTable affinity,
      FtpData ftpData,
      AttachedHosts hosts,
      ServiceProfiles profiles) {
    this.profiles = profiles;
    this.views = views;
    this.connections = connections;
    this.connectionLimiter = connectionLimiter;
    this.halfOpen = halfOpen;
    this.affinity = affinity;
    this.ftpData = ftpData;
    this.hosts = hosts;
  }

  /**
   * A connection that somebody asks about.
   *
   * @param address the client's address; null if it is not known
   */
  private record Question(
      BalancerView view,
      @Nullable IPv4Address address,
      Attachment client,
      Protocol protocol,
      int port) {

    /** The client's address; 0.0.0.0, which no host has, if it is not known. */
    int clientAddress() {
      return address == null ? 0 : address.getInt();
    }
  }

  /** See {@link IBalancerService#explain}. */
  public Optional<ExplainedConnection> explain(
      IPv4Address client, IPv4Address vip, Protocol protocol, int port) {
    BalancerView view = views.get();
    return hosts
        .find(client)
        .map(at -> explain(new Question(view, client, at, protocol, port), vip));
  }

  /** See {@link IBalancerService#explain}. */
  public Optional<ExplainedConnection> explain(
      MacAddress client, IPv4Address vip, Protocol protocol, int port) {
    BalancerView view = views.get();
    return hosts
        .find(client)
        .map(seen -> explain(new Question(view, seen.address(), seen.at(), protocol, port), vip));
  }

  private ExplainedConnection explain(Question question, IPv4Address address) {
    Optional<Vip> vip =
        question.view.catalog().vipFor(address.getInt(), question.protocol, question.port);
    Optional<Pool> pool = vip.flatMap(found -> question.view.catalog().poolOfVip(found.id()));
    if (question.protocol == Protocol.ICMP && question.port != RequestHandler.ICMP_ECHO) {
      return refused(question, vip, pool, RejectReason.NOT_BALANCED);
    }
    if (vip.isEmpty()) {
      return refused(question, vip, pool, RejectReason.NO_VIP);
    }
    if (question.address == null && vip.get().allowedSources() != null) {
      return undecided(question, vip, pool, NeedsAddress.ALLOWED_SOURCES);
    }
    if (!vip.get().allows(question.clientAddress())) {
      return refused(question, vip, pool, RejectReason.NOT_ALLOWED);
    }
    if (pool.isEmpty()) {
      return refused(question, vip, pool, RejectReason.NO_POOL);
    }
    if (question.address == null
        && FtpData.mayFollowControl(question.view, vip.get(), question.protocol, question.port)) {
      return undecided(question, vip, pool, NeedsAddress.FTP_CONTROL);
    }
    @Nullable Connection control =
        ftpData.controlOf(
            question.view, vip.get(), question.protocol, question.clientAddress(), question.port);
    boolean waits = control == null && awaitsMembers(question.view, pool.get());
    if (!waits && halfOpen.isFull(vip.get().number())) {
      return refused(question, vip, pool, RejectReason.HALF_OPEN);
    }
    if (control == null
        && !waits
        && connectionLimiter.atVip(vip.get().number()) >= vip.get().limit()) {
      return refused(question, vip, pool, RejectReason.VIP_FULL);
    }
    if (control != null) {
      return followsControl(question, control, vip.get(), pool.get());
    }
    return question.address == null && pool.get().persistence() != null
        ? undecided(question, vip, pool, NeedsAddress.SESSION_PERSISTENCE)
        : chosen(question, vip.get(), pool.get());
  }

  /** Whether a packet would wait for members, and be refused if none is found. */
  private static boolean awaitsMembers(BalancerView view, Pool pool) {
    return view.pool(pool).servers().isEmpty() && RequestHandler.membersExpected(view, pool) > 0;
  }

  private static ExplainedConnection refused(
      Question question, Optional<Vip> vip, Optional<Pool> pool, RejectReason reason) {
    return notPlaced(question, vip, pool, new Refused(reason.text()));
  }

  private static ExplainedConnection undecided(
      Question question, Optional<Vip> vip, Optional<Pool> pool, NeedsAddress by) {
    return notPlaced(question, vip, pool, new AddressNeeded(by));
  }

  private static ExplainedConnection notPlaced(
      Question question, Optional<Vip> vip, Optional<Pool> pool, Outcome outcome) {
    return new ExplainedConnection(
        question.client,
        Optional.ofNullable(question.address),
        vip,
        pool,
        Optional.empty(),
        outcome,
        ImmutableList.of());
  }

  /**
   * As {@link AdmissionControl} does: members behind the client's own port only if there are no
   * others.
   */
  private ExplainedConnection chosen(Question question, Vip vip, Pool pool) {
    AlgorithmChoice choice =
        question.view.catalog().choiceFor(vip, pool, question.protocol, question.port);
    Placer placer = question.view.pool(pool).placer(choice.algorithm());
    Predicate<Server> acceptable =
        server ->
            !server.isFull()
                && AdmissionControl.isSound(server, question.clientAddress(), question.client);
    FiveTuple request =
        FiveTuple.of(
            question.protocol.ipNumber(),
            question.clientAddress(),
            0,
            vip.address().getInt(),
            question.port);
    ServiceProfile profile =
        profiles.forPlacing(
            question.view.catalog(),
            vip,
            request,
            question.view.catalog().serviceFor(question.protocol, question.port));
    Explanation explanation = explain(placer, question, acceptable, profile);
    if (explanation.result() == Placer.Refusal.NOT_ACCEPTABLE) {
      acceptable = server -> !server.isFull() && server.address() != question.clientAddress();
      explanation = explain(placer, question, acceptable, profile);
    }
    Map<Integer, Explanation.Candidate> byNumber =
        explanation.candidates().stream()
            .collect(Collectors.toMap(each -> each.server().number(), each -> each));
    List<Member> members = question.view.catalog().membersOfPool(pool.id());
    Optional<Placement> kept = kept(vip, pool, placer, question, acceptable, profile);
    Placer.Result result = kept.isPresent() ? kept.get() : explanation.result();
    Exclusions exclusions =
        new Exclusions(question.view, question.clientAddress(), isUsual(result, members));
    ImmutableList<Candidate> candidates =
        members.stream()
            .map(member -> candidate(member, byNumber.get(member.number()), exclusions))
            .collect(ImmutableList.toImmutableList());
    return new ExplainedConnection(
        question.client,
        Optional.ofNullable(question.address),
        Optional.of(vip),
        Optional.of(pool),
        Optional.of(
            new Decision(
                choice.algorithm(),
                Optional.of(choice),
                Optional.empty(),
                kept.isPresent() ? KEPT : explanation.server(),
                explanation.path())),
        result == Placer.Refusal.NOT_ACCEPTABLE && candidates.stream().anyMatch(Explainer::isFull)
            ? new Refused(RejectReason.MEMBERS_FULL.text())
            : outcome(result),
        candidates);
  }

  /** As {@link AffinityPicker} does. */
  private Optional<Placement> kept(
      Vip vip,
      Pool pool,
      Placer placer,
      Question question,
      Predicate<Server> acceptable,
      ServiceProfile profile) {
    return Optional.ofNullable(pool.persistence())
        .map(
            persistence ->
                affinity.memberOf(
                    vip.number(), question.clientAddress(), persistence.timeoutSeconds()))
        .map(question.view.pool(pool)::inTurn)
        .filter(acceptable)
        .map(
            server ->
                placer.placeOn(
                    server,
                    new Placer.Request(question.client.switchId(), acceptable, profile),
                    question.view.network().trial()))
        .filter(Placement.class::isInstance)
        .map(Placement.class::cast);
  }

  private static boolean isFull(Candidate candidate) {
    return candidate.excluded().equals(Optional.of(Exclusion.FULL));
  }

  /** Whether a member is chosen, and is no backup. */
  private static boolean isUsual(Placer.Result result, List<Member> members) {
    return result instanceof Placement placement
        && members.stream()
            .anyMatch(member -> member.number() == placement.server().number() && !member.backup());
  }

  private static Explanation explain(
      Placer placer, Question question, Predicate<Server> acceptable, ServiceProfile profile) {
    return placer.explain(
        new Placer.Request(question.client.switchId(), acceptable, profile),
        question.view.network());
  }

  private Outcome outcome(Placer.Result result) {
    if (!(result instanceof Placement placement)) {
      return new Refused(AdmissionControl.reasonOf((Placer.Refusal) result).text());
    }
    return connections.isFull() ? new Refused(RejectReason.LIMIT.text()) : new Placed(placement);
  }

  private static Candidate followed(
      Member member, Server server, Placer.Result result, ImmutableMap<String, Double> values) {
    return result instanceof Placement placement
        ? new Candidate(
            member,
            server,
            Optional.of(new Explanation.Paths(placement.requestPath(), placement.replyPath())),
            values,
            Optional.empty())
        : new Candidate(member, server, Optional.empty(), values, Optional.of(Exclusion.NO_ROUTE));
  }

  private static Candidate candidate(
      Member member, Explanation.@Nullable Candidate placed, Exclusions exclusions) {
    Optional<Exclusion> excluded = exclusions.of(member, placed);
    return placed == null
        ? new Candidate(member, null, Optional.empty(), ImmutableMap.of(), excluded)
        : new Candidate(member, placed.server(), placed.paths(), placed.values(), excluded);
  }

  /** As {@link FtpData} does: to the member of the control connection, whatever its load. */
  private ExplainedConnection followsControl(
      Question question, Connection control, Vip vip, Pool pool) {
    int number = control.server().number();
    @Nullable Server server = question.view.servers().get(number);
    @Nullable PoolView members = question.view.poolOfMember().get(number);
    if (server == null || members == null) {
      return refused(question, Optional.of(vip), Optional.of(pool), RejectReason.NO_MEMBER);
    }
    Placer placer = members.placer(control.algorithm());
    ServiceProfile profile =
        profiles.ofFtpData(
            control.vipNumber(),
            question.view.catalog().serviceFor(Protocol.TCP, FtpSessions.CONTROL_PORT));
    Explanation explanation =
        explain(placer, question, candidate -> candidate.number() == number, profile);
    Placer.Result result =
        placer.placeOn(
            server.keepingPorts(),
            new Placer.Request(question.client.switchId(), any -> true, profile),
            question.view.network().trial());
    ImmutableMap<String, Double> values =
        explanation.candidates().stream()
            .filter(each -> each.server().number() == number)
            .map(Explanation.Candidate::values)
            .findFirst()
            .orElse(ImmutableMap.of()); // it is drained, and no rule looks at it
    ImmutableList<Candidate> candidates =
        question.view.catalog().membersAt(server.address()).stream()
            .filter(member -> member.number() == number)
            .map(member -> followed(member, server, result, values))
            .collect(ImmutableList.toImmutableList());
    return new ExplainedConnection(
        question.client,
        Optional.ofNullable(question.address),
        Optional.of(vip),
        Optional.of(pool),
        Optional.of(
            new Decision(
                control.algorithm(),
                Optional.empty(),
                Optional.of(control.request()),
                new Reason("the member of the client's FTP control connection", "none"),
                explanation.path())),
        outcome(result),
        candidates);
  }
}
