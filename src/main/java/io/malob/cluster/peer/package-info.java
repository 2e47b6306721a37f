/**
 * Authenticated streams between the controllers of a cluster, which also report at once that a
 * controller's process has ended.
 */
@org.jspecify.annotations.NullMarked
package io.malob.cluster.peer;
