package io.malob.controller.rest;

import com.google.common.collect.ImmutableSet;
import io.malob.controller.access.AccessDecision;
import io.malob.controller.access.AccessDecision.Granted;
import io.malob.controller.access.AccessDecision.Refused;
import io.malob.controller.access.AuditLog;
import io.malob.controller.access.FailureLimit;
import io.malob.controller.access.Principal;
import io.malob.controller.access.RequestHead;
import io.malob.controller.access.Role;
import io.malob.controller.access.StoredTokens;
import io.malob.resource.Effect;
import java.util.Optional;

/**
 * Decides from the head of a request alone whether it may pass. Open to everyone: the page's files,
 * which show no data without a token, the controller's health, the versions of OpenStack's API, and
 * reports of agents, which are signed. A valid token always works, even after many wrong tokens
 * from its source, so no client can lock others out. Safe for use by several threads; never blocks.
 *
 * @param log gets the refusals
 */
record AccessPolicy(
    AccessSettings settings, StoredTokens tokens, FailureLimit failures, AuditLog log) {
  private static final String REPORTS = "/wm/malob/reports";

  /** The allowed origins of a request, by Sec-Fetch-Site: the page itself, or a typed address. */
  private static final ImmutableSet<String> OWN_SITES = ImmutableSet.of("same-origin", "none");

  /** Decides, and logs a refusal; once for each request. */
  AccessDecision decide(RequestHead head, Effect effect) {
    Optional<Principal> principal = principalOf(head);
    AccessDecision decision = decide(head, effect, principal);
    if (decision instanceof Refused refused) {
      log.refused(head, principal, refused.status());
    }
    return decision;
  }

  private AccessDecision decide(RequestHead head, Effect effect, Optional<Principal> principal) {
    String host = head.header("Host").orElse("");
    if (!host.isEmpty() && !isReports(head) && !settings.hostNames().accepts(host)) {
      return new Refused(
          403,
          "Unknown host name: use the controller's address, or add the name to the setting"
              + " hostNames");
    }
    boolean isOpen = isOpen(effect, head);
    if (effect == Effect.WRITE || !(isOpen || isFollowedLink(head))) {
      Optional<Refused> foreign = refusalOfOtherSites(head, effect, host);
      if (foreign.isPresent()) {
        return foreign.get();
      }
    }
    if (isOpen) {
      return new Granted(effect, Optional.empty());
    }
    if (principal.isEmpty()) {
      return challenge(head);
    }
    if (effect == Effect.WRITE && principal.get().role() != Role.ADMIN) {
      return new Refused(
          403, principal.get().name() + " is read-only; this request requires the role admin");
    }
    return new Granted(effect, principal);
  }

  /**
   * Refuses requests from pages of other sites. Browsers send Origin, but not with a GET for a
   * picture, and Sec-Fetch-Site, but not over plain HTTP to another machine. So a writing GET from
   * a browser without either header is refused as well.
   */
  private Optional<Refused> refusalOfOtherSites(RequestHead head, Effect effect, String host) {
    String must = "A page of another site must not " + (effect == Effect.WRITE ? "change" : "read");
    Optional<String> origin = head.header("Origin");
    if (origin.isPresent() && !settings.hostNames().isOwn(origin.get(), host)) {
      return Optional.of(new Refused(403, must + " anything here (Origin)"));
    }
    Optional<String> site = head.header("Sec-Fetch-Site");
    if (site.isPresent() && !OWN_SITES.contains(site.get())) {
      return Optional.of(new Refused(403, must + " anything here (Sec-Fetch-Site)"));
    }
    if (effect == Effect.WRITE
        && head.isSafe()
        && origin.isEmpty()
        && site.isEmpty()
        && head.token().isEmpty()
        && head.header("User-Agent").orElse("").startsWith("Mozilla/")) {
      return Optional.of(
          new Refused(
              403,
              "A browser must not change anything here by "
                  + head.method()
                  + ", because a page of another site could have sent it: use POST or DELETE"));
    }
    return Optional.empty();
  }

  /** Whether a user has followed a link to it: pages cannot pretend that, nor read the answer. */
  private static boolean isFollowedLink(RequestHead head) {
    return head.header("Sec-Fetch-Mode").equals(Optional.of("navigate"))
        && head.header("Sec-Fetch-Dest").equals(Optional.of("document"))
        && head.header("Sec-Fetch-User").equals(Optional.of("?1"));
  }

  private Optional<Principal> principalOf(RequestHead head) {
    if (!head.certificates().isEmpty()) {
      return Optional.of(settings.administrators().principalOf(head.certificates().get(0)));
    }
    if (!tokens.isWanted() && !settings.hasClientCertificates()) {
      return Optional.of(Principal.ANYONE);
    }
    return head.token().flatMap(tokens::principalOf);
  }

  private Refused challenge(RequestHead head) {
    if (head.token().isEmpty()) {
      return new Refused(
          401,
          "A token is required: Authorization: Bearer TOKEN, or X-Auth-Token: TOKEN. It is one of"
              + " 'malob token add'; Keystone's are not accepted");
    }
    int seconds = failures.failed(head.client());
    return seconds == 0
        ? new Refused(401, "This token is unknown, has expired or was removed")
        : new Refused(
            429,
            "Too many wrong tokens from this address; try again in " + seconds + " s",
            seconds);
  }

  private static boolean isReports(RequestHead head) {
    return head.method().equals("POST") && head.place().equals(REPORTS);
  }

  private static boolean isOpen(Effect effect, RequestHead head) {
    String path = head.place();
    return isReports(head)
        || (effect == Effect.READ
            && (path.isEmpty()
                || path.equals("/ui")
                || path.startsWith("/ui/")
                || GuardedResources.VERSIONS.contains(path)
                || path.equals("/wm/core/health/json")));
  }
}
