package io.malob.balancer.connection;

import java.util.Arrays;

/**
 * The rows of {@link DormantConnections} in lists, each in the order in which its rows came, and
 * the free rows. Compact, because all of a list is read at times.
 */
final class RowLists {
  private static final int NONE = DormantConnections.NONE;

  private int[] older = new int[0];

  /** The row that came next; of a free row, the next free one. */
  private int[] younger = new int[0];

  private final int[] oldest;
  private final int[] youngest;
  private final int[] sizes;
  private int free = NONE;

  RowLists(int lists) {
    oldest = new int[lists];
    youngest = new int[lists];
    sizes = new int[lists];
    Arrays.fill(oldest, NONE);
    Arrays.fill(youngest, NONE);
  }

  /** The row that came first; {@link DormantConnections#NONE} for none. */
  int oldest(int list) {
    return oldest[list];
  }

  /** The row of the same list that came next; {@link DormantConnections#NONE} for none. */
  int younger(int row) {
    return younger[row];
  }

  int size(int list) {
    return sizes[list];
  }

  int bytes() {
    return Integer.BYTES * (older.length + younger.length);
  }

  /** A free row; {@link DormantConnections#NONE} if there is none. */
  int takeFree() {
    int row = free;
    if (row != NONE) {
      free = younger[row];
    }
    return row;
  }

  /** A row that is in no list becomes free. */
  void addFree(int row) {
    younger[row] = free;
    free = row;
  }

  /** Changes the number of rows. New ones are free; if it shrinks to zero, all lists are empty. */
  void setCapacity(int capacity) {
    int before = older.length;
    older = Arrays.copyOf(older, capacity);
    younger = Arrays.copyOf(younger, capacity);
    if (capacity == 0) {
      free = NONE;
    }
    for (int row = capacity - 1; row >= before; row--) {
      addFree(row);
    }
  }

  /** Adds a row to a list as the youngest one. */
  void append(int row, int list) {
    int before = youngest[list];
    older[row] = before;
    younger[row] = NONE;
    if (before == NONE) {
      oldest[list] = row;
    } else {
      younger[before] = row;
    }
    youngest[list] = row;
    sizes[list]++;
  }

  /** Takes a row out of its list. */
  void takeOut(int row, int list) {
    int before = older[row];
    int after = younger[row];
    if (before == NONE) {
      oldest[list] = after;
    } else {
      younger[before] = after;
    }
    if (after == NONE) {
      youngest[list] = before;
    } else {
      older[after] = before;
    }
    sizes[list]--;
  }
}
