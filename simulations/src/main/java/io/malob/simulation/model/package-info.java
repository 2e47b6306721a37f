/** Simulation of clients, network and servers around the real algorithms. */
@NullMarked
package io.malob.simulation.model;

import org.jspecify.annotations.NullMarked;
