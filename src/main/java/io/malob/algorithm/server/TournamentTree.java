package io.malob.algorithm.server;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntBinaryOperator;

/**
 * The best of several candidates, found again in O(log candidates) after one of them has changed: a
 * knock-out tree whose leaves are the candidates and whose inner nodes name the better of their two
 * sides, so that the root names the best. Threads do not wait for each other: a thread that changes
 * a leaf replays each match above it, and once more if another thread decided the match meanwhile;
 * after two tries the result includes the change, whichever thread wrote it (P. Jayanti, f-arrays:
 * implementation and applications, PODC 2002).
 */
public final class TournamentTree {
  private static final long WINNER_MASK = 0xffff_ffffL;

  private final int candidates;
  private final IntBinaryOperator better;

  /** Node 1 is the root, nodes 2n and 2n+1 are below node n; a version above the winner's index. */
  private final AtomicLongArray nodes;

  private final int leaves;

  /**
   * A tree in which all matches are played.
   *
   * @param candidates how many there are, at least one
   * @param better returns the better of two, by their current state
   */
  public TournamentTree(int candidates, IntBinaryOperator better) {
    this.candidates = candidates;
    this.better = better;
    this.leaves = Math.max(1, Integer.highestOneBit(Math.max(1, candidates * 2 - 1)));
    this.nodes = new AtomicLongArray(leaves);
    for (int node = leaves - 1; node >= 1; node--) {
      decide(node);
    }
  }

  /** The best candidate. */
  public int best() {
    return winner(1);
  }

  /** The best of the others; the candidate itself if there are none. */
  public int bestWithout(int candidate) {
    int best = candidate;
    for (int node = leaves + candidate; node > 1; node /= 2) {
      int other = winner(node ^ 1);
      if (other != candidate) { // leaves without a candidate stand for the last one
        best = best == candidate ? other : better.applyAsInt(best, other);
      }
    }
    return best;
  }

  /** Tells that a candidate has become better or worse. */
  public void changed(int candidate) {
    for (int node = (leaves + candidate) / 2; node >= 1; node /= 2) {
      if (!decide(node)) {
        decide(node);
      }
    }
  }

  /** Plays one match again; false if another thread decided it in the meantime. */
  private boolean decide(int node) {
    long before = nodes.get(node);
    long version = (before >>> 32) + 1;
    int winner = better.applyAsInt(winner(2 * node), winner(2 * node + 1));
    return nodes.compareAndSet(node, before, version << 32 | winner);
  }

  /** The best below a node. Leaves without a candidate stand for the last one. */
  private int winner(int node) {
    return node < leaves
        ? (int) (nodes.get(node) & WINNER_MASK)
        : Math.min(node - leaves, candidates - 1);
  }
}
