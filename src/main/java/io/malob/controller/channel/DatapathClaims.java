package io.malob.controller.channel;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableList;
import io.malob.module.DuplicateSwitch;
import io.malob.module.IDuplicateSwitchService;
import io.malob.module.NanoTicker;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
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
    void ask(int millis, Consumer<Boolean> answered);

    /** It may go on with its handshake. */
    void serve();

    /** Another connection serves the datapath id. */
    void refuse();

    void close();
  }

  /**
   * Who serves a datapath id.
   *
   * @param challenger waits for the holder's answer or silence; null if there is none
   */
  private record Claim(Claimant holder, @Nullable Claimant challenger) {}

  private final Map<DatapathId, Claim> claims = new HashMap<>();

  /** The latest refusals, of datapath ids in {@link #claims}. */
  private final Cache<DatapathId, DuplicateSwitch> refusals;

  /** With a clock in nanoseconds. */
  public DatapathClaims(LongSupplier nanoTime) {
    refusals =
        CacheBuilder.newBuilder()
            .ticker(new NanoTicker(nanoTime))
            .expireAfterWrite(Duration.ofSeconds(REMEMBERED_SECONDS))
            .build();
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
        claims.put(id, new Claim(claimant, null));
      } else if (claim.challenger == null) {
        Claim asked = new Claim(claim.holder, claimant);
        claims.put(id, asked);
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
      if (!claim.equals(claims.get(id))) {
        return; // one of the two has disconnected
      }
      if (answers) {
        isNews = refusals.getIfPresent(id) == null;
        refusals.put(id, new DuplicateSwitch(id, holder.peer(), challenger.peer()));
        claims.put(id, new Claim(holder, null));
      } else {
        isNews = true;
        claims.put(id, new Claim(challenger, null));
        refusals.invalidate(id);
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
        refusals.invalidate(id);
        if (next == null) {
          claims.remove(id);
        } else {
          claims.put(id, new Claim(next, null));
        }
      } else if (claim.challenger == claimant) {
        claims.put(id, new Claim(claim.holder, null));
      }
    }
    if (next != null) {
      next.serve();
    }
  }

  @Override
  public synchronized ImmutableList<DuplicateSwitch> duplicates() {
    return ImmutableList.sortedCopyOf(refusals.asMap().values());
  }
}
