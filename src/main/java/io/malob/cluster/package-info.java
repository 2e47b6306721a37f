/**
 * Several controllers on one etcd: the store of documents that they share. Not part of the jar for
 * real Floodlight.
 */
@NullMarked
package io.malob.cluster;

import org.jspecify.annotations.NullMarked;
