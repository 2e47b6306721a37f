package io.malob.bench.load;

import java.util.Arrays;

/** Request rules in the order of their timeouts. */
final class Removals {
  private long[] dueNanos = new long[1024];
  private long[] cookies = new long[1024];
  private int[] tuples = new int[1024];
  private int[] rules = new int[1024];
  private int head;
  private int size;

  /** Adds a rule, with its priority and idle time-out. */
  void add(long due, int tuple, long cookie, int priority, int idleSeconds) {
    if (size == tuples.length) {
      grow();
    }
    int at = (head + size) & (tuples.length - 1);
    dueNanos[at] = due;
    cookies[at] = cookie;
    tuples[at] = tuple;
    rules[at] = priority << 16 | idleSeconds;
    size++;
  }

  private void grow() {
    int old = tuples.length;
    dueNanos = Arrays.copyOf(dueNanos, 2 * old);
    cookies = Arrays.copyOf(cookies, 2 * old);
    tuples = Arrays.copyOf(tuples, 2 * old);
    rules = Arrays.copyOf(rules, 2 * old);
    // what had wrapped around goes behind the rest
    System.arraycopy(dueNanos, 0, dueNanos, old, head);
    System.arraycopy(cookies, 0, cookies, old, head);
    System.arraycopy(tuples, 0, tuples, old, head);
    System.arraycopy(rules, 0, rules, old, head);
  }

  boolean isDue(long now) {
    return size > 0 && dueNanos[head] - now <= 0;
  }

  int size() {
    return size;
  }

  long cookie() {
    return cookies[head];
  }

  int tuple() {
    return tuples[head];
  }

  int priority() {
    return rules[head] >>> 16;
  }

  int idleSeconds() {
    return rules[head] & 0xffff;
  }

  void pop() {
    head = (head + 1) & (tuples.length - 1);
    size--;
  }
}
