package io.malob.state.catalog;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableListMultimap;
import io.malob.algorithm.AddressKey;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/** Finds members by their pool and by their address. Immutable. */
final class MemberIndex {
  private final ImmutableListMultimap<String, Member> byPool;
  private final ImmutableListMultimap<Integer, Member> byKey;
  private final ImmutableListMultimap<IPAddress<?>, Member> byAddress;

  /** Only checks of changes need it. */
  private final Supplier<ImmutableListMultimap<Place, Member>> byPlace;

  /** Where a server listens; without a port, at that of the VIP. */
  private record Place(IPAddress<?> address, @Nullable Integer port) {}

  MemberIndex(Collection<Member> members) {
    ImmutableListMultimap.Builder<String, Member> pools = ImmutableListMultimap.builder();
    ImmutableListMultimap.Builder<Integer, Member> keys = ImmutableListMultimap.builder();
    ImmutableListMultimap.Builder<IPAddress<?>, Member> addresses = ImmutableListMultimap.builder();
    for (Member member : members) {
      String poolId = member.poolId();
      if (poolId != null) {
        pools.put(poolId, member);
      }
      keys.put(AddressKey.of(member.address()), member);
      addresses.put(member.address(), member);
    }
    byPool = pools.build();
    byKey = keys.build();
    byAddress = addresses.build();
    byPlace = Suppliers.memoize(() -> byPlace(members));
  }

  private static ImmutableListMultimap<Place, Member> byPlace(Collection<Member> members) {
    return members.stream()
        .collect(
            ImmutableListMultimap.toImmutableListMultimap(
                member -> new Place(member.address(), member.port()), member -> member));
  }

  List<Member> inPool(String poolId) {
    return byPool.get(poolId);
  }

  List<Member> at(int addressKey) {
    return byKey.get(addressKey);
  }

  /** The same for any address, which gets no key by that. */
  List<Member> at(IPAddress<?> address) {
    return byAddress.get(address);
  }

  /** Those of them with that port, or without one if it is null. */
  List<Member> at(IPAddress<?> address, @Nullable Integer port) {
    return byPlace.get().get(new Place(address, port));
  }
}
