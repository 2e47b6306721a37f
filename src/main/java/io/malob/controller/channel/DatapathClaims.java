package io.malob.controller.channel;

import com.google.common.collect.ImmutableList;
import io.malob.module.DuplicateSwitch;
import io.malob.module.IDuplicateSwitchService;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection that serves each datapath id. A second connection with the same id gets it only if
 * the first one does not answer an echo request: then the switch has restarted. Otherwise the
 * second is another switch with the same id, or the same switch once more, and is refused; if each
 * newer one were served, both would replace each other for ever.
 *
 * <p>Safe for use by several threads; nothing blocks. The lock is held briefly, and only when
 * switches connect or disconnect.
 */
public final class DatapathClaims implements IDuplicateSwitchService {
  /** The time that the first connection has for its answer. */
  static final int ANSWER_MILLIS = 2_000;

  /** A switch that is refused tries again sooner than that. */
  static final long REMEMBERED_SECONDS = 120;

  private static final Logger logger = LoggerFactory.getLogger(DatapathClaims.class);

  /** A connection whose datapath id is known. */
  interface Claimant {
    /** Its address. */
    String peer();

    /** Reports once whether the switch answers an echo request in time; not if it disconnects. */
    void ask(int millis, Consumer<Boolean> told);

    /** It may go on with its handshake. */
    void serve();

    /** Another connection serves the datapath id. */
    void refuse();

    void close();
  }

  private static final class Claim {
    final Claimant holder;

    /** Waits for the holder's answer or silence; null if there is none. */
    @Nullable Claimant challenger;

    Claim(Claimant holder) {
      this.holder = holder;
    }
  }

  private record Refused(DuplicateSwitch duplicate, long atNanos) {}

  private final LongSupplier nanoTime;
  private final Map<DatapathId, Claim> claims = new HashMap<>();

  /** The latest refusals, of datapath ids in {@link #claims}. */
  private final Map<DatapathId, Refused> refusals = new HashMap<>();

  /** With a clock in nanoseconds. */
  public DatapathClaims(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * Serves or refuses a connection, at once or when the present holder had its time to answer.
   * Claims end by {@link #release}.
   */
  void claim(DatapathId id, Claimant claimant) {
    Claim claim;
    synchronized (this) {
      claim = claims.get(id);
      if (claim == null) {
        claims.put(id, new Claim(claimant));
      } else if (claim.challenger == null) {
        claim.challenger = claimant;
        Claim asked = claim;
        claim.holder.ask(ANSWER_MILLIS, answers -> decide(id, asked, claimant, answers));
        return;
      }
    }
    if (claim == null) {
      claimant.serve();
    } else {
      claimant.refuse(); // as it would be if the holder answers; if not, it tries again
    }
  }

  private void decide(DatapathId id, Claim claim, Claimant challenger, boolean answers) {
    Claimant holder = claim.holder;
    boolean isNews;
    synchronized (this) {
      if (claims.get(id) != claim || claim.challenger != challenger) {
        return; // one of the two has disconnected
      }
      claim.challenger = null;
      if (answers) {
        isNews = recent(refusals.get(id)) == null;
        refusals.put(
            id,
            new Refused(
                new DuplicateSwitch(id, holder.peer(), challenger.peer()), nanoTime.getAsLong()));
      } else {
        isNews = true;
        claims.put(id, new Claim(challenger));
        refusals.remove(id);
      }
    }
    if (answers) {
      if (isNews) {
        logger.warn(
            "switch_duplicate switch={} served=\"{}\" refused=\"{}\" - both have this datapath id",
            id,
            holder.peer(),
            challenger.peer());
      }
      challenger.refuse();
    } else {
      logger.warn(
          "switch_replaced switch={} by=\"{}\" earlier=\"{}\" - the earlier one does not answer and"
              + " is disconnected",
          id,
          challenger.peer(),
          holder.peer());
      holder.close();
      challenger.serve();
    }
  }

  /** A connection has been closed. */
  void release(DatapathId id, Claimant claimant) {
    @Nullable Claimant next = null;
    synchronized (this) {
      Claim claim = claims.get(id);
      if (claim == null) {
        return;
      }
      if (claim.holder == claimant) {
        next = claim.challenger;
        refusals.remove(id);
        if (next == null) {
          claims.remove(id);
        } else {
          claims.put(id, new Claim(next));
        }
      } else if (claim.challenger == claimant) {
        claim.challenger = null;
      }
    }
    if (next != null) {
      next.serve();
    }
  }

  @Override
  public synchronized ImmutableList<DuplicateSwitch> duplicates() {
    refusals.values().removeIf(refused -> recent(refused) == null);
    return refusals.values().stream()
        .map(Refused::duplicate)
        .sorted()
        .collect(ImmutableList.toImmutableList());
  }

  private @Nullable Refused recent(@Nullable Refused refused) {
    return refused != null
            && nanoTime.getAsLong() - refused.atNanos()
                < TimeUnit.SECONDS.toNanos(REMEMBERED_SECONDS)
        ? refused
        : null;
  }
}
