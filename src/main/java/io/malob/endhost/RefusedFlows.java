package io.malob.endhost;

import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.RefusedRule;
import io.malob.openflow.uplink.UplinkCookie;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.types.U64;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends flows whose rules the switch has rejected, for instance because its table is full: without
 * rules a flow cannot continue, and its sender would wait in vain. The switch reports only the
 * rule's cookie. {@link #take} is for any thread; the executor looks up all rejected rules
 * together.
 */
final class RefusedFlows {
  private static final Logger LOG = LoggerFactory.getLogger(RefusedFlows.class);

  /** More than can be pending at a time. */
  private static final int MAX = 4_096;

  private final OpenFlows flows;
  private final Executor serialExecutor;
  private final Consumer<Flow> ended;
  private final Set<Long> generations = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean isOrdered = new AtomicBoolean();
  private boolean isSaid;

  /**
   * None yet.
   *
   * @param ended ends a flow
   */
  RefusedFlows(OpenFlows flows, Executor serialExecutor, Consumer<Flow> ended) {
    this.flows = flows;
    this.serialExecutor = serialExecutor;
    this.ended = ended;
  }

  /** Takes an error; false if it is not about a rule of a flow. */
  boolean take(OFErrorMsg error) {
    Optional<RefusedRule> rule = RefusedRule.ofAnybody(error).filter(RefusedFlows::isOfFlow);
    rule.ifPresent(this::follow);
    return rule.isPresent();
  }

  private static boolean isOfFlow(RefusedRule rule) {
    U64 cookie = rule.cookie();
    return Cookie.is(cookie, CookieKind.UPLINK_OUT) || Cookie.is(cookie, CookieKind.UPLINK_BACK);
  }

  private void follow(RefusedRule rule) {
    if (generations.size() < MAX) {
      generations.add(UplinkCookie.generation(rule.cookie()));
    }
    if (isOrdered.compareAndSet(false, true)) {
      serialExecutor.execute(() -> endAll(rule.reason()));
    }
  }

  private void endAll(String reason) {
    if (!isSaid) {
      isSaid = true;
      LOG.warn("flow_rules_refused why={} - the flows are ended", reason);
    }
    isOrdered.set(false); // later rejections are looked up separately
    Set<Long> refused = new HashSet<>(generations);
    generations.removeAll(refused);
    flows.all().stream().filter(flow -> refused.contains(flow.generation())).forEach(ended);
  }
}
