/**
 * Simulations of networks, clients and servers around the controller's own algorithms: one command
 * for each simulation.
 */
@NullMarked
package io.malob.simulation;

import org.jspecify.annotations.NullMarked;
