/** Simulation of clients, network and servers around the real algorithms. */
@NullMarked
package io.malob.bench.simulation;

import org.jspecify.annotations.NullMarked;
