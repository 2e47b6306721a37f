package io.malob.balancer.connection;

import com.google.common.collect.Maps;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.balancer.api.ProfileStats;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Service;
import io.malob.state.catalog.Vip;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The profiles of each VIP's services, as learnt from finished connections. Services are those of
 * the services table; FTP data connections have profiles of their own. Bounded. Thread-safe.
 */
public final class ServiceProfiles {
  /** How many profiles are kept. Further services share one. */
  static final int MAX_PROFILES = 4_096;

  private final Map<Key, ServiceProfile> profiles = new ConcurrentHashMap<>();

  /** The shared profile of all services beyond the bound. */
  private final ServiceProfile others = new ServiceProfile();

  private record Key(int vipNumber, String serviceId, boolean isFtpData) {}

  /**
   * The profile for placing a connection: that of its service. For an FTP control connection it is
   * that of the data connections, because they follow it to its member.
   */
  public ServiceProfile forPlacing(Vip vip, Service service, boolean isFtpControl) {
    return isFtpControl ? ofFtpData(vip.number(), service) : of(vip, service);
  }

  /** The profile of a service of a VIP. */
  ServiceProfile of(Vip vip, Service service) {
    return of(new Key(vip.number(), service.id(), false));
  }

  /** The profile of the FTP data connections of a VIP. */
  public ServiceProfile ofFtpData(int vipNumber, Service control) {
    return of(new Key(vipNumber, control.id(), true));
  }

  private ServiceProfile of(Key key) {
    @Nullable ServiceProfile known = profiles.get(key);
    if (known != null) {
      return known;
    }
    return profiles.size() >= MAX_PROFILES
        ? others
        : profiles.computeIfAbsent(key, any -> new ServiceProfile());
  }

  /** Removes what is no longer in the catalog. */
  public void retain(CatalogSnapshot catalog) {
    Set<Integer> vips =
        catalog.vips().values().stream().map(Vip::number).collect(Collectors.toSet());
    Set<Integer> members =
        catalog.members().values().stream().map(Member::number).collect(Collectors.toSet());
    profiles
        .keySet()
        .removeIf(
            key -> !vips.contains(key.vipNumber) || !catalog.services().containsKey(key.serviceId));
    profiles
        .values()
        .forEach(profile -> profile.forgetMembers(number -> !members.contains(number)));
  }

  /** All profiles, sorted by VIP and service. */
  public List<ProfileStats> stats(CatalogSnapshot catalog) {
    Map<Integer, String> vips = new HashMap<>();
    catalog.vips().values().forEach(vip -> vips.put(vip.number(), vip.id()));
    Map<Integer, String> members = new HashMap<>();
    catalog.members().values().forEach(member -> members.put(member.number(), member.id()));
    List<ProfileStats> all = new ArrayList<>();
    profiles.forEach(
        (key, profile) -> {
          @Nullable String vip = vips.get(key.vipNumber);
          if (vip != null) {
            Map<Integer, Double> known =
                Maps.filterKeys(profile.serviceNanosByMember(), members::containsKey);
            Map<String, Double> byMember = new TreeMap<>();
            known.forEach((number, nanos) -> byMember.put(members.get(number), nanos));
            all.add(
                new ProfileStats(
                    vip,
                    key.serviceId,
                    key.isFtpData,
                    profile.samples(),
                    profile.expectedReplyBits() / 8,
                    profile.expectedRequestBits() / 8,
                    profile.expectedServiceNanos(),
                    byMember));
          }
        });
    all.sort(
        Comparator.comparing(ProfileStats::vipId)
            .thenComparing(ProfileStats::serviceId)
            .thenComparing(ProfileStats::isFtpData));
    return all;
  }
}
