package io.malob.controller.rest;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import io.malob.controller.access.AccessDecision;
import io.malob.controller.access.AccessDecision.Granted;
import io.malob.controller.access.AccessDecision.Refused;
import io.malob.controller.access.AuditLog;
import io.malob.controller.access.RequestHead;
import io.malob.controller.http.HttpHandler;
import io.malob.resource.Demand;
import io.malob.resource.Effect;
import io.malob.resource.ErrorBody;
import io.malob.resource.Reply;
import io.malob.resource.RequestBody;
import io.malob.resource.Resource;
import io.malob.resource.ResourceRoutable;
import io.malob.resource.RouteTable;
import io.netty.handler.codec.DateFormatter;
import java.time.Clock;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * All resources of the controller: finds those that a request is for, answers it if it may pass,
 * and logs every change before it takes effect. Safe for use by several threads.
 */
final class GuardedResources implements HttpHandler {
  /** The paths of the versions of OpenStack's API. */
  static final List<String> VERSIONS = List.of("/v2.0", "/v2");

  /** The path of the page. */
  private static final String PAGE = "/ui";

  private static final Splitter LIST = Splitter.on(',').trimResults();

  private final ImmutableList<ResourceRoutable> resources;
  private final AccessPolicy policy;
  private final AuditLog log;
  private final Clock clock;
  private final Optional<String> strictTransport;

  /**
   * These resources, the first whose base path a request has.
   *
   * @param log gets the changes
   * @param strictTransport the header with which browsers use HTTPS only, if they are to
   */
  GuardedResources(
      List<ResourceRoutable> resources,
      AccessPolicy policy,
      AuditLog log,
      Clock clock,
      Optional<String> strictTransport) {
    ImmutableList.Builder<ResourceRoutable> all =
        ImmutableList.<ResourceRoutable>builder().addAll(resources);
    // the form of errors depends on the path, even where there are no resources
    VERSIONS.forEach(
        path -> all.add(new ResourceRoutable(path, new RouteTable(), ErrorBody.OPENSTACK)));
    this.resources = all.add(new ResourceRoutable("", root(resources))).build();
    this.policy = policy;
    this.log = log;
    this.clock = clock;
    this.strictTransport = strictTransport;
  }

  /** The root of a server that has the page and OpenStack's API; empty otherwise. */
  private static RouteTable root(List<ResourceRoutable> resources) {
    RouteTable root = RouteTable.ignoringParameters();
    if (resources.stream().anyMatch(each -> each.basePath().equals(PAGE))) {
      resources.stream()
          .filter(each -> VERSIONS.contains(each.basePath()))
          .findFirst()
          .ifPresent(versions -> root.get("", frontDoor(versions.routes())));
    }
    return root;
  }

  /**
   * Browsers are sent to the page, and clients of OpenStack's API, which ask for JSON, get its
   * versions. A browser accepts everything, HTML by name.
   */
  private static Resource frontDoor(Resource versions) {
    return call -> {
      List<String> accepted =
          LIST.splitToStream(call.header("Accept").orElse(""))
              .map(each -> each.split(";", 2)[0].strip())
              .toList();
      return accepted.contains("application/json") && !accepted.contains("text/html")
          ? versions.answer(call)
          : Reply.redirect(302, call.site() + PAGE + "/");
    };
  }

  @Override
  public Exchange judge(RequestHead head) {
    for (ResourceRoutable each : resources) {
      Optional<String> below = each.below(head.path());
      if (below.isPresent()) {
        return judge(head, each, below.get());
      }
    }
    return judge(head, resources.get(resources.size() - 1), "/" + head.path());
  }

  private Exchange judge(RequestHead head, ResourceRoutable of, String below) {
    Effect effect = head.isSafe() ? of.effectOf(head.method(), below) : Effect.WRITE;
    AccessDecision decision = policy.decide(head, effect);
    Demand demand = of.demandOf(head.method(), below);
    return new Exchange() {
      @Override
      public OptionalInt bodyLimit() {
        return decision instanceof Refused
            ? OptionalInt.empty()
            : OptionalInt.of(demand.maxBodyBytes());
      }

      @Override
      public Wait waitsFor() {
        return demand.waits() ? Wait.SWITCH : effect == Effect.WRITE ? Wait.STORE : Wait.NOTHING;
      }

      @Override
      public Reply answer(RequestBody body) {
        Reply reply =
            decision instanceof Granted granted
                ? logged(head, granted, () -> of.answer(head.head(), below, body))
                : refusal((Refused) decision, of.errors());
        return strictTransport
            .map(value -> reply.withHeader("Strict-Transport-Security", value))
            .orElse(reply);
      }
    };
  }

  private Reply logged(RequestHead head, Granted granted, Supplier<Reply> answer) {
    if (granted.effect() == Effect.READ || granted.principal().isEmpty()) {
      return answer.get();
    }
    long number = log.begin(head, granted.principal().get());
    int status = 500;
    try {
      Reply reply = answer.get();
      status = reply.status();
      return reply;
    } finally {
      log.end(number, status);
    }
  }

  @SuppressWarnings("JavaUtilDate") // Netty's type
  private Reply refusal(Refused refused, ErrorBody errors) {
    Reply reply = errors.reply(refused.status(), refused.sentence());
    if (refused.isChallenge()) {
      reply = reply.withHeader("WWW-Authenticate", "Bearer realm=\"MALOB\"");
    }
    return refused.retrySeconds() == 0
        ? reply
        : reply.withHeader(
            "Retry-After",
            DateFormatter.format(Date.from(clock.instant().plusSeconds(refused.retrySeconds()))));
  }
}
