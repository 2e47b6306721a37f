package io.malob.controller.rest;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.malob.controller.access.AccessDecision;
import io.malob.controller.access.AccessDecision.Granted;
import io.malob.controller.access.AccessDecision.Refused;
import io.malob.controller.access.AuditLog;
import io.malob.controller.access.Principal;
import io.malob.controller.access.RequestHead;
import io.malob.resource.Effect;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restlet.Context;
import org.restlet.Request;
import org.restlet.Response;
import org.restlet.Restlet;
import org.restlet.data.CacheDirective;
import org.restlet.data.ChallengeRequest;
import org.restlet.data.ChallengeScheme;
import org.restlet.data.Status;
import org.restlet.routing.Filter;

/**
 * Runs before all resources: passes the requests that the policy grants, and logs every change
 * before it takes effect.
 */
final class AccessFilter extends Filter {
  /** The attribute of a request that was refused before its body was read. */
  private static final String REFUSED = Refused.class.getName();

  private final AccessPolicy policy;
  private final AuditLog log;
  private final Clock clock;
  private final Optional<String> strictTransport;

  /**
   * A filter before {@code next}.
   *
   * @param strictTransport the header with which browsers use HTTPS only, if they are to
   */
  AccessFilter(
      Context context,
      Restlet next,
      AccessPolicy policy,
      AuditLog log,
      Clock clock,
      Optional<String> strictTransport) {
    super(context, next);
    this.policy = policy;
    this.log = log;
    this.clock = clock;
    this.strictTransport = strictTransport;
  }

  @Override
  protected int doHandle(Request request, Response response) {
    try {
      return decide(request, response);
    } finally {
      response.getHeaders().set("X-Content-Type-Options", "nosniff");
      strictTransport.ifPresent(
          value -> response.getHeaders().set("Strict-Transport-Security", value));
      if (response.getCacheDirectives().isEmpty()) {
        response.getCacheDirectives().add(CacheDirective.noStore());
      }
    }
  }

  private int decide(Request request, Response response) {
    RequestHead head = headOf(request);
    AccessDecision decision =
        request.getAttributes().get(REFUSED) instanceof Refused early ? early : policy.decide(head);
    if (decision instanceof Refused refused) {
      refuse(response, refused);
      return STOP;
    }
    Granted granted = (Granted) decision;
    granted.effect().grantTo(request.getAttributes());
    Optional<Principal> principal = granted.principal();
    if (granted.effect() == Effect.READ || principal.isEmpty()) {
      return super.doHandle(request, response);
    }
    long number = log.begin(head, principal.get());
    int status = Status.SERVER_ERROR_INTERNAL.getCode();
    try {
      int next = super.doHandle(request, response);
      status = response.getStatus().getCode();
      return next;
    } finally {
      log.end(number, status);
    }
  }

  @SuppressWarnings("JavaUtilDate") // Restlet's type
  private void refuse(Response response, Refused refused) {
    if (refused.isChallenge()) {
      response.getChallengeRequests().add(new ChallengeRequest(ChallengeScheme.HTTP_OAUTH_BEARER));
    }
    if (refused.retrySeconds() > 0) {
      response.setRetryAfter(Date.from(clock.instant().plusSeconds(refused.retrySeconds())));
    }
    response.setStatus(new Status(Status.valueOf(refused.status()), refused.sentence()));
  }

  /** Notes that the policy has refused this request. */
  static void refuseLater(Request request, Refused refused) {
    request.getAttributes().put(REFUSED, refused);
  }

  /** What the policy sees of a request. */
  static RequestHead headOf(Request request) {
    return new RequestHead(
        request.getMethod().getName(),
        request.getResourceRef().getPath(),
        name -> header(request, name),
        certificates(request),
        request.getClientInfo().getAddress());
  }

  private static Optional<String> header(Request request, String name) {
    @Nullable String value = request.getHeaders().getFirstValue(name, true);
    return Optional.ofNullable(value);
  }

  private static ImmutableList<X509Certificate> certificates(Request request) {
    @Nullable List<Certificate> shown = request.getClientInfo().getCertificates();
    return shown == null
        ? ImmutableList.of()
        : shown.stream()
            .filter(X509Certificate.class::isInstance)
            .map(X509Certificate.class::cast)
            .collect(toImmutableList());
  }
}
