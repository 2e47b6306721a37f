package io.malob.state.catalog;

import com.google.common.collect.ImmutableListMultimap;
import io.malob.algorithm.AddressKey;
import java.util.Collection;
import java.util.List;
import org.projectfloodlight.openflow.types.IPAddress;

/** Finds members by their pool and by their address. Immutable. */
final class MemberIndex {
  private final ImmutableListMultimap<String, Member> byPool;
  private final ImmutableListMultimap<Integer, Member> byKey;
  private final ImmutableListMultimap<IPAddress<?>, Member> byAddress;

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
}
