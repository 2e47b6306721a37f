package io.malob.algorithm.graph;

import java.util.Arrays;

/**
 * The switches that a search has seen but not settled, best first: a binary heap by switch number
 * in which a switch can move up. The owner of the costs decides which one is better.
 */
final class SwitchHeap {
  private static final int ABSENT = -1;

  private final Order order;
  private final int[] heap;
  private final int[] places;
  private int size;

  /** Compares switches by their current costs. */
  interface Order {
    /** Whether the first is to be settled before the second. */
    boolean isBefore(int first, int second);
  }

  SwitchHeap(int switches, Order order) {
    this.order = order;
    heap = new int[switches];
    places = new int[switches];
    Arrays.fill(places, ABSENT);
  }

  boolean isEmpty() {
    return size == 0;
  }

  boolean contains(int switchNumber) {
    return places[switchNumber] != ABSENT;
  }

  /** Adds a switch, or moves it up after an improvement. */
  void raise(int switchNumber) {
    int place = places[switchNumber];
    if (place == ABSENT) {
      place = size++;
    }
    while (place > 0) {
      int above = (place - 1) / 2;
      if (!order.isBefore(switchNumber, heap[above])) {
        break;
      }
      put(heap[above], place);
      place = above;
    }
    put(switchNumber, place);
  }

  /** Takes the best out. */
  int poll() {
    int best = heap[0];
    places[best] = ABSENT;
    int last = heap[--size];
    if (size > 0) {
      sink(last);
    }
    return best;
  }

  private void sink(int switchNumber) {
    int place = 0;
    while (2 * place + 1 < size) {
      int below = 2 * place + 1;
      if (below + 1 < size && order.isBefore(heap[below + 1], heap[below])) {
        below++;
      }
      if (!order.isBefore(heap[below], switchNumber)) {
        break;
      }
      put(heap[below], place);
      place = below;
    }
    put(switchNumber, place);
  }

  private void put(int switchNumber, int place) {
    heap[place] = switchNumber;
    places[switchNumber] = place;
  }
}
