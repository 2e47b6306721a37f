package io.malob.controller.rest;

import com.google.common.collect.ImmutableSet;
import io.malob.controller.access.FailureLimit;
import io.malob.controller.access.Principal;
import io.malob.controller.access.Role;
import io.malob.controller.access.StoredTokens;
import io.malob.controller.channel.RareWarning;
import io.malob.resource.Effect;
import java.time.Clock;
import java.util.Date;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restlet.Context;
import org.restlet.Request;
import org.restlet.Response;
import org.restlet.Restlet;
import org.restlet.data.ChallengeRequest;
import org.restlet.data.ChallengeScheme;
import org.restlet.data.Method;
import org.restlet.data.Status;
import org.restlet.routing.Filter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs before all resources: passes requests whose sender has permission, and logs every requested
 * change. Open to everyone: the page's files, which show no data without a token, the controller's
 * health, the versions of OpenStack's API, and reports of agents, which are signed. A valid token
 * always works, even after many wrong tokens from its source, so no client can lock others out.
 */
final class AccessFilter extends Filter {
  /** Who changes what. */
  private static final Logger logger = LoggerFactory.getLogger("io.malob.audit");

  private static final String REPORTS = "/wm/malob/reports";
  private static final String BEARER = "Bearer ";

  /** The token in requests of OpenStack's clients. */
  private static final String OPENSTACK_TOKEN = "X-Auth-Token";

  /** The allowed origins of a request, by Sec-Fetch-Site: the page itself, or a typed address. */
  private static final ImmutableSet<String> OWN_SITES = ImmutableSet.of("same-origin", "none");

  private final AccessSettings settings;
  private final RequestEffects effects;
  private final StoredTokens tokens;
  private final FailureLimit failures;
  private final Clock clock;
  private final RareWarning refused;

  /** A filter before {@code next}. */
  AccessFilter(
      Context context,
      Restlet next,
      AccessSettings settings,
      RequestEffects effects,
      StoredTokens tokens,
      Clock clock) {
    super(context, next);
    this.settings = settings;
    this.effects = effects;
    this.tokens = tokens;
    this.failures = new FailureLimit(System::nanoTime);
    this.clock = clock;
    refused = new RareWarning(logger, "access_refused", System::nanoTime);
  }

  @Override
  protected int doHandle(Request request, Response response) {
    Effect effect = effects.of(request);
    if (effect == Effect.READ || isReports(request)) {
      return pass(effect, request, response);
    }
    String who = "nobody";
    boolean isDone = false;
    try {
      Optional<Principal> principal = principalOf(request);
      who = principal.map(Principal::name).orElse(who);
      int next = pass(effect, request, response);
      isDone = true;
      return next;
    } finally {
      logger.info(
          "audit who={} from={} method={} path=\"{}\" status={}",
          who,
          request.getClientInfo().getAddress(),
          request.getMethod(),
          request.getResourceRef().getPath(),
          isDone ? response.getStatus().getCode() : Status.SERVER_ERROR_INTERNAL.getCode());
    }
  }

  private int pass(Effect effect, Request request, Response response) {
    if (!mayPass(effect, request, response)) {
      return STOP;
    }
    effect.grantTo(request.getAttributes());
    return super.doHandle(request, response);
  }

  private boolean mayPass(Effect effect, Request request, Response response) {
    String host = header(request, "Host").orElse("");
    if (!host.isEmpty() && !isReports(request) && !settings.hostNames().accepts(host)) {
      return refuse(
          response,
          Status.CLIENT_ERROR_FORBIDDEN,
          "Unknown host name: use the controller's address, or add the name to the setting"
              + " hostNames");
    }
    if (effect == Effect.WRITE && isOfAnotherSite(request, host, response)) {
      return false;
    }
    if (isOpen(effect, request)) {
      return true;
    }
    Optional<Principal> principal = principalOf(request);
    if (principal.isEmpty()) {
      return challenge(request, response);
    }
    if (effect == Effect.WRITE && principal.get().role() != Role.ADMIN) {
      return refuse(
          response,
          Status.CLIENT_ERROR_FORBIDDEN,
          principal.get().name() + " is read-only; this request requires the role admin");
    }
    return true;
  }

  /**
   * Refuses requests from pages of other sites. Browsers send Origin, but not with a GET for a
   * picture, and Sec-Fetch-Site, but not over plain HTTP to another machine. So a writing GET from
   * a browser without either header is refused as well.
   */
  private boolean isOfAnotherSite(Request request, String host, Response response) {
    Optional<String> origin = header(request, "Origin");
    if (origin.isPresent() && !settings.hostNames().isOwn(origin.get(), host)) {
      return !refuse(
          response,
          Status.CLIENT_ERROR_FORBIDDEN,
          "A page of another site must not change anything here (Origin)");
    }
    Optional<String> site = header(request, "Sec-Fetch-Site");
    if (site.isPresent() && !OWN_SITES.contains(site.get())) {
      return !refuse(
          response,
          Status.CLIENT_ERROR_FORBIDDEN,
          "A page of another site must not change anything here (Sec-Fetch-Site)");
    }
    if (RequestEffects.isSafe(request)
        && origin.isEmpty()
        && site.isEmpty()
        && bearer(request).isEmpty()
        && header(request, "User-Agent").orElse("").startsWith("Mozilla/")) {
      return !refuse(
          response,
          Status.CLIENT_ERROR_FORBIDDEN,
          "A browser must not change anything here by "
              + request.getMethod()
              + ", because a page of another site could have sent it: use POST or DELETE");
    }
    return false;
  }

  private Optional<Principal> principalOf(Request request) {
    Optional<Principal> certified = Certificates.principalOf(request, settings.administrators());
    if (certified.isPresent()) {
      return certified;
    }
    if (!tokens.isWanted()) {
      return Optional.of(Principal.ANYONE);
    }
    return bearer(request).flatMap(tokens::principalOf);
  }

  @SuppressWarnings("JavaUtilDate") // Restlet's type
  private boolean challenge(Request request, Response response) {
    if (bearer(request).isPresent()) {
      refused.warn("a wrong token from " + request.getClientInfo().getAddress());
      int seconds = failures.failed(request.getClientInfo().getAddress());
      if (seconds > 0) {
        response.setRetryAfter(Date.from(clock.instant().plusSeconds(seconds)));
        return refuse(
            response,
            new Status(429),
            "Too many wrong tokens from this address; try again in " + seconds + " s");
      }
    }
    response.getChallengeRequests().add(new ChallengeRequest(ChallengeScheme.HTTP_OAUTH_BEARER));
    return refuse(
        response,
        Status.CLIENT_ERROR_UNAUTHORIZED,
        bearer(request).isPresent()
            ? "This token is unknown or was removed"
            : "A token is required: Authorization: Bearer TOKEN, or X-Auth-Token: TOKEN. It is one of"
                + " 'malob token add'; Keystone's are not accepted");
  }

  private static boolean refuse(Response response, Status status, String sentence) {
    response.setStatus(new Status(status, sentence));
    return false;
  }

  private static Optional<String> bearer(Request request) {
    return header(request, "Authorization")
        .filter(text -> text.regionMatches(true, 0, BEARER, 0, BEARER.length()))
        .map(text -> text.substring(BEARER.length()).trim())
        .or(() -> header(request, OPENSTACK_TOKEN));
  }

  private static Optional<String> header(Request request, String name) {
    @Nullable String value = request.getHeaders().getFirstValue(name, true);
    return Optional.ofNullable(value);
  }

  private static boolean isReports(Request request) {
    return request.getMethod().equals(Method.POST) && path(request).equals(REPORTS);
  }

  private static boolean isOpen(Effect effect, Request request) {
    String path = path(request);
    return isReports(request)
        || (effect == Effect.READ
            && (path.isEmpty()
                || path.equals("/ui")
                || path.startsWith("/ui/")
                || FrontDoor.VERSIONS.contains(path)
                || path.equals("/wm/core/health/json")));
  }

  /** Without a trailing slash. */
  private static String path(Request request) {
    String path = request.getResourceRef().getPath();
    return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
  }
}
