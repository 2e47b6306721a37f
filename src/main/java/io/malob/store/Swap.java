package io.malob.store;

/**
 * The result of a compare-and-set.
 *
 * @param isDone whether the document was as expected, and was replaced
 * @param now the current document: the new one if it was replaced, else the unexpected one
 */
public record Swap<T>(boolean isDone, Revisioned<T> now) {}
