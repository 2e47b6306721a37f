package io.malob.balancer.admission;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Explanation;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.algorithm.VlanAddress;
import io.malob.balancer.admission.Decision.Admissible;
import io.malob.balancer.admission.Decision.New;
import io.malob.balancer.admission.Decision.Refused;
import io.malob.balancer.admission.Decision.Undecided;
import io.malob.balancer.admission.Decision.Waiting;
import io.malob.balancer.api.ExplainedConnection;
import io.malob.balancer.api.ExplainedConnection.AddressNeeded;
import io.malob.balancer.api.ExplainedConnection.Candidate;
import io.malob.balancer.api.ExplainedConnection.ClientBuckets;
import io.malob.balancer.api.ExplainedConnection.Exclusion;
import io.malob.balancer.api.ExplainedConnection.NeedsAddress;
import io.malob.balancer.api.ExplainedConnection.Outcome;
import io.malob.balancer.api.ExplainedConnection.Placed;
import io.malob.balancer.api.ExplainedConnection.PortNeeded;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.bucket.Bucket;
import io.malob.balancer.bucket.BucketTable;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.CoreAccess;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.ServicePlan;
import io.malob.module.AttachedHosts;
import io.malob.openflow.bucket.BucketSource;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * Explains the connection that a client would open: prints the decision about it, with the reasons
 * of its {@link MemberChoice}, and changes nothing. The client's port matters only to buckets:
 * members with a connection that this one could not be distinguished from are not excluded.
 * Thread-safe.
 *
 * @param hosts where clients are
 */
public record Explainer(
    Supplier<BalancerView> views,
    Tables tables,
    OpeningDecider openings,
    MemberTiers tiers,
    AttachedHosts hosts,
    CoreAccess coreAccess,
    BucketExplainer bucketExplainer) {
  /**
   * The connection that an explanation is for.
   *
   * @param address the client's address; null if it is not known
   * @param request its packets; of what is not known, 0, which no host has
   */
  private record Question(
      BalancerView view,
      @Nullable IPAddress<?> address,
      Attachment client,
      Protocol protocol,
      FiveTuple request,
      boolean isPortKnown) {

    Optional<Vip> vip() {
      return view.catalog().vipFor(request.dstAddress(), protocol, request.dstPort());
    }

    /** A request that any member may take. */
    Placer.Request from(ServicePlan plan) {
      return new Placer.Request(client.switchId(), any -> true, plan.profile());
    }
  }

  /** See {@link IBalancerService#explain}. */
  public Optional<ExplainedConnection> explain(
      IPAddress<?> client, IPAddress<?> vip, Protocol protocol, int port, OptionalInt clientPort) {
    BalancerView view = views.get();
    return hosts
        .find(new VlanAddress(client, view.catalog().vlanOfVip(AddressKey.of(vip))))
        .flatMap(coreAccess::edgeOf)
        .map(at -> explain(view, client, at, protocol, vip, port, clientPort));
  }

  /** See {@link IBalancerService#explain}. */
  public Optional<ExplainedConnection> explain(
      MacAddress client, IPAddress<?> vip, Protocol protocol, int port, OptionalInt clientPort) {
    BalancerView view = views.get();
    return hosts
        .seen(client, view.catalog().vlanOfVip(AddressKey.of(vip)))
        .map(
            seen ->
                explain(
                    view,
                    seen.address(vip.getIpVersion()),
                    coreAccess.edgeOf(seen.at()).orElse(seen.at()),
                    protocol,
                    vip,
                    port,
                    clientPort));
  }

  private ExplainedConnection explain(
      BalancerView view,
      @Nullable IPAddress<?> address,
      Attachment client,
      Protocol protocol,
      IPAddress<?> vip,
      int port,
      OptionalInt clientPort) {
    FiveTuple request =
        FiveTuple.of(
            protocol.ipNumber(),
            address == null ? 0 : AddressKey.of(address),
            clientPort.orElse(0),
            AddressKey.of(vip),
            port);
    Question question =
        new Question(view, address, client, protocol, request, clientPort.isPresent());
    Decision classified =
        openings.classify(
            request.dstAddress(),
            protocol,
            request.dstPort(),
            request.srcAddress(),
            address != null,
            view);
    if (!(classified instanceof Admissible admissible)) {
      return print(question, classified);
    }
    ServicePlan plan = admissible.plan();
    @Nullable Connection control = admissible.control();
    if (control != null) {
      return print(question, openings.data(control, request, client, view));
    }
    @Nullable BucketTable table = tables.buckets().find(plan.vip().number(), client.switchId());
    return table != null && table.isInForce() && !table.isExact()
        ? byBucket(question, plan, table)
        : byController(question, plan);
  }

  /** The connection's first packet reaches the controller. */
  private ExplainedConnection byController(Question question, ServicePlan plan) {
    Decision decision =
        OpeningDecider.awaitsMembers(plan, false)
            ? new Waiting(RejectReason.NO_MEMBER, plan)
            : openings.place(plan, question.request, question.client, null, question.view);
    boolean needsAddress = question.address == null && plan.pool().persistence() != null;
    return needsAddress && !(decision instanceof Refused)
        ? notPlaced(question, new AddressNeeded(NeedsAddress.SESSION_PERSISTENCE))
        : print(question, decision);
  }

  /** The connection reaches a switch with buckets. */
  private ExplainedConnection byBucket(Question question, ServicePlan plan, BucketTable table) {
    boolean isByAddress = table.key().source() == BucketSource.ADDRESS;
    if (isByAddress && question.address == null) {
      return notPlaced(question, new AddressNeeded(NeedsAddress.BUCKETS));
    }
    boolean isKnown = isByAddress || question.isPortKnown;
    ClientBuckets shown =
        bucketExplainer.explain(
            plan,
            question.view.catalog().membersOfPool(plan.pool().id()),
            question.client.switchId(),
            table,
            isKnown ? OptionalInt.of(table.key().indexOf(question.request)) : OptionalInt.empty());
    if (!isKnown) {
      return ofBucket(question, plan, new PortNeeded()).with(shown);
    }
    Bucket bucket = table.of(question.request);
    if (bucket.isMoving()) {
      return ofMovingBucket(question, plan).with(shown);
    }
    @Nullable Server member = bucket.member();
    return ofBucket(
            question,
            plan,
            member == null
                ? refused(RejectReason.NO_MEMBER)
                : placed(
                    new MemberChoice.ByBucket(member, plan, question.view)
                        .explain(question.from(plan))))
        .with(shown);
  }

  /** Packets of a bucket that moves go to the controller. */
  private ExplainedConnection ofMovingBucket(Question question, ServicePlan plan) {
    @Nullable Server member =
        tables
            .buckets()
            .memberOf(
                plan.vip().number(),
                question.client.switchId(),
                question.request,
                question.protocol == Protocol.TCP);
    if (member == null) {
      return byController(question, plan);
    }
    Decision decision =
        openings.place(plan, question.request, question.client, member, question.view);
    return decision instanceof Refused refused
        ? ofBucket(question, plan, refused(refused.reason()))
        : print(question, decision);
  }

  private ExplainedConnection print(Question question, Decision decision) {
    if (decision instanceof New opened) {
      return opened(question, opened);
    }
    if (decision instanceof Waiting waiting) { // there is no member that an algorithm could choose
      ServicePlan plan = waiting.plan();
      return ofPlan(
          question,
          plan,
          plan.placer().explain(question.from(plan), question.view.network()),
          refused(waiting.missing()));
    }
    return notPlaced(
        question,
        decision instanceof Undecided undecided
            ? new AddressNeeded(undecided.by())
            : refused(((Refused) decision).reason()));
  }

  /** Lets the tiers try the choice of a connection, as admission does. */
  private ExplainedConnection opened(Question question, New opened) {
    List<Explanation> tried = new ArrayList<>();
    @Nullable RejectReason refused =
        tiers.tryEach(
            question.request.srcAddress(),
            question.client,
            null,
            (acceptable, takesRoom) -> {
              Explanation explanation =
                  opened
                      .choice()
                      .explain(
                          new Placer.Request(
                              question.client.switchId(), acceptable, opened.profile()));
              tried.add(explanation);
              return explanation.result() instanceof Placer.Refusal refusal
                  ? AdmissionControl.reasonOf(refusal)
                  : null;
            });
    Explanation last = tried.get(tried.size() - 1);
    Outcome outcome =
        refused != null
            ? refused(refused)
            : tables.connections().isFull() ? refused(RejectReason.LIMIT) : placed(last);
    return opened instanceof New.FtpData data
        ? ofFtpData(question, data.control(), last, outcome)
        : ofPlan(question, ((New.Planned) opened).plan(), last, outcome);
  }

  private static Outcome refused(RejectReason reason) {
    return new ExplainedConnection.Refused(reason.text());
  }

  private static Outcome placed(Explanation explanation) {
    return explanation.result() instanceof Placement placement
        ? new Placed(placement)
        : refused(AdmissionControl.reasonOf((Placer.Refusal) explanation.result()));
  }

  private static ExplainedConnection notPlaced(Question question, Outcome outcome) {
    return shown(question, Optional.empty(), outcome, ImmutableList.of());
  }

  private static ExplainedConnection shown(
      Question question,
      Optional<ExplainedConnection.Decision> decision,
      Outcome outcome,
      ImmutableList<Candidate> candidates) {
    Optional<Vip> vip = question.vip();
    return new ExplainedConnection(
        question.client,
        Optional.ofNullable(question.address),
        vip,
        vip.flatMap(found -> question.view.catalog().poolOfVip(found.id())),
        decision,
        outcome,
        candidates,
        Optional.empty());
  }

  private static ExplainedConnection ofBucket(
      Question question, ServicePlan plan, Outcome outcome) {
    // the outcome has a result of its own
    return ofPlan(
        question,
        plan,
        MemberChoice.ByBucket.explain(
            Placer.Refusal.NO_SERVER, question.from(plan), plan, question.view),
        outcome);
  }

  private static ExplainedConnection ofPlan(
      Question question, ServicePlan plan, Explanation explanation, Outcome outcome) {
    return shown(
        question,
        Optional.of(
            new ExplainedConnection.Decision(
                plan.choice().algorithm(),
                Optional.of(plan.choice()),
                Optional.empty(),
                explanation.server(),
                explanation.path())),
        outcome,
        Candidates.of(plan, explanation, outcome, question.request.srcAddress(), question.view));
  }

  /** The only candidate is the member of the control connection. */
  private static ExplainedConnection ofFtpData(
      Question question, Connection control, Explanation explanation, Outcome outcome) {
    Server server = Objects.requireNonNull(question.view.servers().get(control.server().number()));
    Optional<Explanation.Paths> paths =
        explanation.result() instanceof Placement placement
            ? Optional.of(new Explanation.Paths(placement.requestPath(), placement.replyPath()))
            : Optional.empty();
    ImmutableMap<String, Double> values =
        explanation.candidates().stream()
            .filter(each -> each.server().number() == server.number())
            .map(Explanation.Candidate::values)
            .findFirst()
            .orElse(ImmutableMap.of()); // it is drained, and no rule evaluates it
    return shown(
        question,
        Optional.of(
            new ExplainedConnection.Decision(
                control.algorithm(),
                Optional.empty(),
                Optional.of(control.request()),
                explanation.server(),
                explanation.path())),
        outcome,
        question.view.catalog().membersAt(server.address()).stream()
            .filter(member -> member.number() == server.number())
            .map(
                member ->
                    new Candidate(
                        member,
                        server,
                        paths,
                        values,
                        paths.isPresent()
                            ? Optional.empty()
                            : Optional.of(server.isFull() ? Exclusion.FULL : Exclusion.NO_ROUTE)))
            .collect(ImmutableList.toImmutableList()));
  }
}
