package io.malob.capability;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.malob.capability.FeatureProbes.Answer;
import io.malob.openflow.TableLayout;
import java.util.Locale;
import java.util.Set;

/**
 * What a switch can do.
 *
 * @param layout how it holds the balancer's rules
 * @param source where that is known from
 * @param refused the features that it has refused; of a table, also if it does not claim to have it
 * @param tracking whether it tracks connections, which becomes known later than the rest
 */
public record SwitchCapability(
    TableLayout layout, Source source, ImmutableSet<SwitchFeature> refused, Answer tracking) {
  private static final ImmutableSet<SwitchFeature> TABLES =
      Sets.immutableEnumSet(SwitchFeature.TABLE_1, SwitchFeature.TABLE_2, SwitchFeature.TABLE_3);

  /** Where a layout is known from. */
  public enum Source {
    /** The switch's answer to the probe. */
    PROBED,
    /** The operator's setting. */
    FORCED,
    /** The number of tables alone: the switch has not answered the probe. */
    ASSUMED;

    /** The name in REST. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** As long as it is not known whether the switch tracks connections. */
  public SwitchCapability(TableLayout layout, Source source, ImmutableSet<SwitchFeature> refused) {
    this(layout, source, refused, Answer.PENDING);
  }

  /** By the switch's answer. */
  static SwitchCapability probed(Set<SwitchFeature> refused) {
    return new SwitchCapability(layout(refused), Source.PROBED, Sets.immutableEnumSet(refused));
  }

  private static TableLayout layout(Set<SwitchFeature> refused) {
    if (refused.contains(SwitchFeature.MAC_MASKS)
        || refused.contains(SwitchFeature.IPV4_TRANSLATION)) {
      return TableLayout.LABELS_ONLY;
    }
    if (refused.stream().noneMatch(TABLES::contains)) {
      return TableLayout.FOUR_TABLES;
    }
    return refused.contains(SwitchFeature.GROUPS)
        ? TableLayout.ONE_TABLE
        : TableLayout.ONE_TABLE_WITH_GROUPS;
  }

  /** By an operator. */
  static SwitchCapability forced(TableLayout layout) {
    return new SwitchCapability(layout, Source.FORCED, ImmutableSet.of());
  }

  /** Of a switch that does not answer. */
  static SwitchCapability assumed(int tables) {
    return new SwitchCapability(
        tables > TABLES.size() ? TableLayout.FOUR_TABLES : TableLayout.LABELS_ONLY,
        Source.ASSUMED,
        ImmutableSet.of());
  }

  /** The layout's name in REST and in logs. */
  public String layoutText() {
    return layout.text();
  }

  /** What the switch can be in the network, as in REST and in logs. */
  public String roleText() {
    return layout.role().name().toLowerCase(Locale.ROOT);
  }

  /** Whether it translates IPv6 addresses, as far as is known. */
  public boolean translatesIpv6() {
    return layout.translates() && !refused.contains(SwitchFeature.IPV6_TRANSLATION);
  }

  /** The same, with an answer about {@link SwitchFeature#CONNECTION_TRACKING}. */
  SwitchCapability withTracking(Answer answer) {
    return new SwitchCapability(layout, source, refused, answer);
  }

  boolean isProbed() {
    return source == Source.PROBED;
  }
}
