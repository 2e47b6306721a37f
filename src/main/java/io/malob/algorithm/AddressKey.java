package io.malob.algorithm;

import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;

/**
 * The number by which the packet path knows an address. Five-tuples, packets and the catalog's
 * indexes hold keys, so that a packet is placed without an object for each of its addresses; all
 * other code holds {@link IPAddress} and converts here.
 *
 * <p>The key of an IPv4 address is the address itself. An IPv6 address gets one of 240.0.0.0/12,
 * which are reserved and have no key themselves, when it is first needed (ADR 49). It is of this
 * process alone: no file, message or lasting choice may depend on it. Safe for several threads.
 */
public final class AddressKey {
  /** The key of an address that has none: 0.0.0.0, which is no host. */
  public static final int NONE = 0;

  /** The max number of IPv6 addresses in use. */
  public static final int MAX_IPV6 = 1 << 20;

  private static final int FIRST_IPV6 = 240 << 24;
  private static final Ipv6Keys IPV6 = new Ipv6Keys(MAX_IPV6);

  /** Weak, because a module has no end that it is told of. Guarded by itself. */
  private static final Set<Consumer<IntConsumer>> USERS =
      Collections.newSetFromMap(new WeakHashMap<>());

  private AddressKey() {}

  /**
   * The key of an address.
   *
   * @throws IllegalStateException if {@link #MAX_IPV6} addresses are in use
   */
  public static int of(IPAddress<?> address) {
    if (address instanceof IPv4Address ipv4) {
      return isIpv6(ipv4.getInt()) ? NONE : ipv4.getInt();
    }
    int key = key(IPV6.add(half(address, 0), half(address, 4), true));
    if (key == NONE) {
      throw new IllegalStateException("there are " + MAX_IPV6 + " IPv6 addresses in use already");
    }
    return key;
  }

  /** Four words of an IPv6 address: its bytes would be a copy. */
  private static long half(IPAddress<?> address, int firstWord) {
    IPv6Address ipv6 = (IPv6Address) address;
    long half = 0;
    for (int word = firstWord; word < firstWord + 4; word++) {
      half = half << 16 | ipv6.getUnsignedShortWord(word);
    }
    return half;
  }

  /**
   * The key of the IPv6 address with these halves if it has one, else {@link #NONE}: then no
   * connection, host or VIP has this address.
   */
  public static int find(long upper, long lower) {
    return key(IPV6.find(upper, lower));
  }

  private static int key(int number) {
    return number == Ipv6Keys.NONE ? NONE : FIRST_IPV6 + number;
  }

  /**
   * The key of an address if it has one, else {@link #NONE}. For questions from outside, which must
   * not bring addresses into use.
   */
  public static int find(IPAddress<?> address) {
    if (address instanceof IPv4Address) {
      return of(address);
    }
    return find(half(address, 0), half(address, 4));
  }

  /** The key of the source of a packet for a VIP; {@link #NONE} if too many are in use. */
  public static int ofClient(long upper, long lower) {
    return key(IPV6.add(upper, lower, false));
  }

  /** The same of a client that a packet for a VIP names. */
  public static int ofClient(IPAddress<?> address) {
    return address instanceof IPv4Address
        ? of(address)
        : ofClient(half(address, 0), half(address, 4));
  }

  /** The address that has this key. */
  public static IPAddress<?> toAddress(int key) {
    return isIpv6(key) ? IPv6Address.of(upper(key), lower(key)) : IPv4Address.of(key);
  }

  /** Whether this is the key of an IPv6 address. */
  public static boolean isIpv6(int key) {
    return key >>> 20 == FIRST_IPV6 >>> 20;
  }

  /** The upper half of the IPv6 address that has this key. */
  public static long upper(int key) {
    return IPV6.upper(key - FIRST_IPV6);
  }

  /** The lower half of the IPv6 address that has this key. */
  public static long lower(int key) {
    return IPV6.lower(key - FIRST_IPV6);
  }

  /** How many IPv6 addresses have keys. */
  public static int countOfIpv6() {
    return IPV6.size();
  }

  /**
   * Adds a user of keys, which passes on all the keys that it holds when it is asked to. It is
   * forgotten when nothing else refers to it. Code that holds keys for less time than {@link
   * #sweep} leaves unused ones need not be a user.
   */
  public static void addUser(Consumer<IntConsumer> user) {
    synchronized (USERS) {
      USERS.add(user);
    }
  }

  /**
   * Frees the keys of addresses that no user holds and no packet had for some sweeps, if a
   * sixteenth of all is in use. Linear in the keys in use, and in the sizes of users: for
   * housekeeping.
   *
   * @param patience for how many sweeps the address of a packet keeps its key
   */
  public static void sweep(int patience) {
    if (IPV6.size() < MAX_IPV6 / 16) {
      return;
    }
    List<Consumer<IntConsumer>> users;
    synchronized (USERS) {
      users = List.copyOf(USERS);
    }
    BitSet used = new BitSet(MAX_IPV6);
    for (Consumer<IntConsumer> user : users) {
      user.accept(
          key -> {
            if (isIpv6(key)) {
              used.set(key - FIRST_IPV6);
            }
          });
    }
    IPV6.sweep(used, patience);
  }
}
