package io.malob.state.catalog;

import com.google.common.collect.ImmutableListMultimap;
import io.malob.algorithm.AddressKey;
import java.util.Collection;
import java.util.List;

/** Finds members by their pool and by their address. Immutable. */
final class MemberIndex {
  private final ImmutableListMultimap<String, Member> byPool;
  private final ImmutableListMultimap<Integer, Member> byAddress;

  MemberIndex(Collection<Member> members) {
    ImmutableListMultimap.Builder<String, Member> pools = ImmutableListMultimap.builder();
    ImmutableListMultimap.Builder<Integer, Member> addresses = ImmutableListMultimap.builder();
    for (Member member : members) {
      String poolId = member.poolId();
      if (poolId != null) {
        pools.put(poolId, member);
      }
      addresses.put(AddressKey.of(member.address()), member);
    }
    byPool = pools.build();
    byAddress = addresses.build();
  }

  List<Member> inPool(String poolId) {
    return byPool.get(poolId);
  }

  List<Member> at(int address) {
    return byAddress.get(address);
  }
}
