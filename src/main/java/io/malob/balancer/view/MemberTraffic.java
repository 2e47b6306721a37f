package io.malob.balancer.view;

import com.google.common.collect.ImmutableMap;
import io.malob.balancer.api.BalancerActivity.Traffic;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.RuleCounts;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.U64;

/**
 * Sums the bytes of members from the final counters of their rules. Bounded by the catalog.
 * Thread-safe; takes no lock.
 */
public final class MemberTraffic {
  private final Map<Integer, Sums> byMember = new ConcurrentHashMap<>();

  private static final class Sums {
    final LongAdder requestBytes = new LongAdder();
    final LongAdder replyBytes = new LongAdder();
    final LongAdder replyRules = new LongAdder();
  }

  /** Adds the final counters of a connection's rule. */
  public void ruleEnded(U64 cookie, RuleCounts counts) {
    @Nullable Sums sums = byMember.get(Cookie.memberNumber(cookie));
    if (sums == null) {
      return; // the member has been deleted
    }
    if (Cookie.is(cookie, CookieKind.REPLY)) {
      sums.replyBytes.add(counts.bytes());
      sums.replyRules.increment();
    } else {
      sums.requestBytes.add(counts.bytes());
    }
  }

  /** Removes members that are not in the catalog any more and adds its new members. */
  public void retain(CatalogSnapshot catalog) {
    Set<Integer> numbers =
        catalog.members().values().stream().map(Member::number).collect(Collectors.toSet());
    byMember.keySet().retainAll(numbers);
    numbers.forEach(number -> byMember.computeIfAbsent(number, any -> new Sums()));
  }

  /** The sums so far, by member id. */
  public ImmutableMap<String, Traffic> now(CatalogSnapshot catalog) {
    ImmutableMap.Builder<String, Traffic> byId = ImmutableMap.builder();
    for (Member member : catalog.members().values()) {
      @Nullable Sums sums = byMember.get(member.number());
      if (sums != null) {
        byId.put(
            member.id(),
            new Traffic(sums.requestBytes.sum(), sums.replyBytes.sum(), sums.replyRules.sum()));
      }
    }
    return byId.build();
  }
}
