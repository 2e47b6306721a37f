package io.malob.state.catalog;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.Multimaps;
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

  /** Only checks of changes, and packets of members without a record, need it. */
  private final Supplier<ImmutableListMultimap<Place, Member>> byPlace;

  /** Where a server listens; without a port, at that of the VIP. */
  private record Place(IPAddress<?> address, @Nullable Integer port) {}

  MemberIndex(Collection<Member> members) {
    byPool = CatalogSnapshot.by(Member::poolId, members);
    byKey = Multimaps.index(members, member -> AddressKey.of(member.address()));
    byAddress = Multimaps.index(members, Member::address);
    byPlace =
        Suppliers.memoize(
            () -> Multimaps.index(members, member -> new Place(member.address(), member.port())));
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
