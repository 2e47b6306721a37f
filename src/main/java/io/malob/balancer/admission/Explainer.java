package io.malob.balancer.admission;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.AddressKey;
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
import io.malob.balancer.api.ExplainedConnection.ClientBuckets;
import io.malob.balancer.api.ExplainedConnection.Decision;
import io.malob.balancer.api.ExplainedConnection.Exclusion;
import io.malob.balancer.api.ExplainedConnection.NeedsAddress;
import io.malob.balancer.api.ExplainedConnection.Outcome;
import io.malob.balancer.api.ExplainedConnection.Placed;
import io.malob.balancer.api.ExplainedConnection.PortNeeded;
import io.malob.balancer.api.ExplainedConnection.Refused;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.ProactiveStats;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.bucket.Bucket;
import io.malob.balancer.bucket.BucketTable;
import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.connection.AffinityTable;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.CoreAccess;
import io.malob.balancer.connection.FtpSessions;
import io.malob.balancer.connection.ServiceProfiles;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.PoolView;
import io.malob.balancer.view.ServicePlan;
import io.malob.module.AttachedHosts;
import io.malob.openflow.bucket.BucketSource;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * A dry run of a placement, with its reasons: takes the same path as a first packet, through {@link
 * Classifier}, {@link AdmissionControl#fullAt} and {@link MemberTiers}, with a placer that explains
 * its choice, and changes nothing. The client's port matters only to buckets: members with a
 * connection that this one could not be distinguished from are not excluded. Thread-safe.
 */
public final class Explainer {
  private static final Reason KEPT =
      new Reason("the member that the client had last (session persistence)", "none");

  private static final Reason OF_BUCKET = new Reason("the member of its bucket", "none");

  private final Supplier<BalancerView> views;
  private final Classifier classifier;
  private final AdmissionControl admissionControl;
  private final MemberTiers tiers;
  private final ConnectionTable connections;
  private final AffinityTable affinity;
  private final AttachedHosts hosts;
  private final CoreAccess coreAccess;
  private final ServiceProfiles profiles;
  private final Buckets buckets;
  private final BucketExplainer bucketExplainer;

  /**
   * An explainer.
   *
   * @param hosts where clients are
   * @param proactive the state of proactive VIPs
   */
  public Explainer(
      Supplier<BalancerView> views,
      Classifier classifier,
      AdmissionControl admissionControl,
      MemberTiers tiers,
      ConnectionTable connections,
      AffinityTable affinity,
      AttachedHosts hosts,
      CoreAccess coreAccess,
      ServiceProfiles profiles,
      Buckets buckets,
      Supplier<? extends List<ProactiveStats>> proactive,
      LongSupplier nanoTime) {
    this.profiles = profiles;
    this.buckets = buckets;
    this.bucketExplainer = new BucketExplainer(buckets, proactive, nanoTime);
    this.views = views;
    this.classifier = classifier;
    this.admissionControl = admissionControl;
    this.tiers = tiers;
    this.connections = connections;
    this.affinity = affinity;
    this.hosts = hosts;
    this.coreAccess = coreAccess;
  }

  /**
   * The connection that an explanation is for.
   *
   * @param address the client's address; null if it is not known
   */
  private record Question(
      BalancerView view,
      @Nullable IPAddress<?> address,
      Attachment client,
      Protocol protocol,
      int port,
      OptionalInt clientPort) {

    /** The client's address; 0.0.0.0, which no host has, if it is not known. */
    int clientAddress() {
      return address == null ? 0 : AddressKey.of(address);
    }
  }

  /** See {@link IBalancerService#explain}. */
  public Optional<ExplainedConnection> explain(
      IPAddress<?> client, IPAddress<?> vip, Protocol protocol, int port, OptionalInt clientPort) {
    BalancerView view = views.get();
    return hosts
        .find(client)
        .flatMap(coreAccess::edgeOf)
        .map(at -> explain(new Question(view, client, at, protocol, port, clientPort), vip));
  }

  /** See {@link IBalancerService#explain}. */
  public Optional<ExplainedConnection> explain(
      MacAddress client, IPAddress<?> vip, Protocol protocol, int port, OptionalInt clientPort) {
    BalancerView view = views.get();
    return hosts
        .find(client)
        .map(
            seen ->
                explain(
                    new Question(
                        view,
                        seen.address(vip.getIpVersion()),
                        coreAccess.edgeOf(seen.at()).orElse(seen.at()),
                        protocol,
                        port,
                        clientPort),
                    vip));
  }

  private ExplainedConnection explain(Question question, IPAddress<?> address) {
    Classifier.Verdict verdict =
        classifier.classify(
            new Classifier.Wanted(
                AddressKey.of(address),
                question.protocol,
                question.port,
                question.clientAddress(),
                question.address != null),
            question.view);
    if (verdict instanceof Classifier.Admissible admissible) {
      ServicePlan plan = admissible.plan();
      @Nullable BucketTable table =
          admissible.control() != null
              ? null
              : buckets.find(plan.vip().number(), question.client.switchId());
      return table != null && table.isInForce()
          ? byBucket(question, plan, table)
          : byController(question, plan, admissible.control());
    }
    Optional<Vip> vip =
        question.view.catalog().vipFor(AddressKey.of(address), question.protocol, question.port);
    return notPlaced(
        question,
        vip,
        vip.flatMap(found -> question.view.catalog().poolOfVip(found.id())),
        verdict instanceof Classifier.Undecided undecided
            ? new AddressNeeded(undecided.by())
            : new Refused(((Classifier.Rejected) verdict).reason().text()));
  }

  /** The connection reaches a switch with buckets. */
  private ExplainedConnection byBucket(Question question, ServicePlan plan, BucketTable table) {
    boolean isByAddress = table.key().source() == BucketSource.ADDRESS;
    if (isByAddress && question.address == null) {
      return notPlaced(question, plan, new AddressNeeded(NeedsAddress.BUCKETS));
    }
    FiveTuple request =
        FiveTuple.of(
            question.protocol.ipNumber(),
            question.clientAddress(),
            question.clientPort.orElse(0),
            AddressKey.of(plan.vip().address()),
            question.port);
    boolean isKnown = isByAddress || question.clientPort.isPresent();
    OptionalInt index =
        isKnown ? OptionalInt.of(table.key().indexOf(request)) : OptionalInt.empty();
    ClientBuckets shown =
        bucketExplainer.explain(
            plan,
            question.view.catalog().membersOfPool(plan.pool().id()),
            question.client.switchId(),
            table,
            index);
    if (!isKnown) {
      return ofBucket(question, plan, new PortNeeded()).with(shown);
    }
    Bucket bucket = table.of(request);
    return (bucket.isMoving()
            ? ofMovingBucket(question, plan, request)
            : ofBucket(question, plan, onMember(question, plan, bucket.member())))
        .with(shown);
  }

  /** Packets of a bucket that moves go to the controller. */
  private ExplainedConnection ofMovingBucket(
      Question question, ServicePlan plan, FiveTuple request) {
    @Nullable Server member =
        buckets.memberOf(
            plan.vip().number(),
            question.client.switchId(),
            request,
            question.protocol == Protocol.TCP);
    if (member == null) {
      return byController(question, plan, null);
    }
    @Nullable RejectReason full = admissionControl.fullAt(plan.vip().number(), plan.vip().limit());
    Outcome outcome =
        full != null
            ? new Refused(full.text())
            : connections.isFull()
                ? new Refused(RejectReason.LIMIT.text())
                : onMember(question, plan, member);
    return ofBucket(question, plan, outcome);
  }

  private static Outcome onMember(Question question, ServicePlan plan, @Nullable Server member) {
    @Nullable Server now = member == null ? null : question.view.servers().get(member.number());
    if (now == null) {
      return new Refused(RejectReason.NO_MEMBER.text());
    }
    Placer.Result result =
        plan.placer()
            .placeOn(
                now,
                new Placer.Request(question.client.switchId(), any -> true, plan.profile()),
                question.view.network().trial());
    return result instanceof Placement placement
        ? new Placed(placement)
        : new Refused(AdmissionControl.reasonOf((Placer.Refusal) result).text());
  }

  private static ExplainedConnection ofBucket(
      Question question, ServicePlan plan, Outcome outcome) {
    return explained(
        question,
        plan,
        explain(plan.placer(), question, any -> true, plan.profile()),
        OF_BUCKET,
        outcome);
  }

  /** The connection's first packet reaches the controller. */
  private ExplainedConnection byController(
      Question question, ServicePlan plan, @Nullable Connection control) {
    Vip vip = plan.vip();
    boolean waits =
        control == null && plan.members().servers().isEmpty() && plan.membersExpected() > 0;
    @Nullable RejectReason full =
        waits
            ? null
            : admissionControl.fullAt(
                vip.number(), control == null ? vip.limit() : Server.NO_LIMIT);
    if (full != null) {
      return notPlaced(question, plan, new Refused(full.text()));
    }
    if (control != null) {
      return followsControl(question, control, plan);
    }
    return question.address == null && plan.pool().persistence() != null
        ? notPlaced(question, plan, new AddressNeeded(NeedsAddress.SESSION_PERSISTENCE))
        : chosen(question, plan);
  }

  private static ExplainedConnection notPlaced(
      Question question, ServicePlan plan, Outcome outcome) {
    return notPlaced(question, Optional.of(plan.vip()), Optional.of(plan.pool()), outcome);
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
        ImmutableList.of(),
        Optional.empty());
  }

  /** The last attempt of the tiers, as the placer explains it. */
  private static final class Trial implements MemberTiers.Attempt {
    private final Question question;
    private final ServicePlan plan;
    private final @Nullable AffinityPicker affinity;
    private @Nullable Explanation explanation;
    private @Nullable Placement kept;

    Trial(Question question, ServicePlan plan, @Nullable AffinityPicker affinity) {
      this.question = question;
      this.plan = plan;
      this.affinity = affinity;
    }

    @Override
    public @Nullable RejectReason among(Predicate<Server> acceptable, boolean takesRoom) {
      Placer.Request request =
          new Placer.Request(question.client.switchId(), acceptable, plan.profile());
      explanation = plan.placer().explain(request, question.view.network());
      kept =
          affinity != null && affinity.keep(request) instanceof Placement placement
              ? placement
              : null;
      return result() instanceof Placer.Refusal refusal ? AdmissionControl.reasonOf(refusal) : null;
    }

    Explanation explanation() {
      return Objects.requireNonNull(explanation);
    }

    Placer.Result result() {
      return kept != null ? kept : explanation().result();
    }
  }

  private ExplainedConnection chosen(Question question, ServicePlan plan) {
    @Nullable AffinityPicker picker =
        plan.pool().persistence() == null
            ? null
            : AffinityPicker.of(
                affinity, plan, question.clientAddress(), question.view.network().trial());
    Trial trial = new Trial(question, plan, picker);
    @Nullable RejectReason refused =
        tiers.tryEach(question.clientAddress(), question.client, null, trial);
    return explained(
        question,
        plan,
        trial.explanation(),
        trial.kept != null ? KEPT : trial.explanation().server(),
        refused == null ? outcome(trial.result()) : new Refused(refused.text()));
  }

  private static ExplainedConnection explained(
      Question question,
      ServicePlan plan,
      Explanation explanation,
      Reason ofServer,
      Outcome outcome) {
    Map<Integer, Explanation.Candidate> byNumber =
        explanation.candidates().stream()
            .collect(Collectors.toMap(each -> each.server().number(), each -> each));
    List<Member> members = question.view.catalog().membersOfPool(plan.pool().id());
    Exclusions exclusions =
        new Exclusions(question.view, question.clientAddress(), isUsual(outcome, members));
    return new ExplainedConnection(
        question.client,
        Optional.ofNullable(question.address),
        Optional.of(plan.vip()),
        Optional.of(plan.pool()),
        Optional.of(
            new Decision(
                plan.choice().algorithm(),
                Optional.of(plan.choice()),
                Optional.empty(),
                ofServer,
                explanation.path())),
        outcome,
        members.stream()
            .map(member -> candidate(member, byNumber.get(member.number()), exclusions))
            .collect(ImmutableList.toImmutableList()),
        Optional.empty());
  }

  /** Whether a member is chosen, and is no backup. */
  private static boolean isUsual(Outcome outcome, List<Member> members) {
    return outcome instanceof Placed placed
        && members.stream()
            .anyMatch(
                member ->
                    member.number() == placed.placement().server().number() && !member.backup());
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

  /** Like {@link FtpData}: chooses the member of the control connection, regardless of its load. */
  private ExplainedConnection followsControl(
      Question question, Connection control, ServicePlan plan) {
    int number = control.server().number();
    @Nullable Server server = question.view.servers().get(number);
    @Nullable PoolView members = question.view.poolOfMember().get(number);
    if (server == null || members == null) {
      return notPlaced(question, plan, new Refused(RejectReason.NO_MEMBER.text()));
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
            .orElse(ImmutableMap.of()); // it is drained, and no rule evaluates it
    ImmutableList<Candidate> candidates =
        question.view.catalog().membersAt(server.address()).stream()
            .filter(member -> member.number() == number)
            .map(member -> followed(member, server, result, values))
            .collect(ImmutableList.toImmutableList());
    return new ExplainedConnection(
        question.client,
        Optional.ofNullable(question.address),
        Optional.of(plan.vip()),
        Optional.of(plan.pool()),
        Optional.of(
            new Decision(
                control.algorithm(),
                Optional.empty(),
                Optional.of(control.request()),
                new Reason("the member of the client's FTP control connection", "none"),
                explanation.path())),
        outcome(result),
        candidates,
        Optional.empty());
  }
}
