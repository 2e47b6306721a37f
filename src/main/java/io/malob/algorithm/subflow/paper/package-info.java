/**
 * Hamiltonian paths for sub-flows, as in the paper "SDN-Based Load Balancing for Multi-Path TCP",
 * with a search for the best plan. {@link io.malob.algorithm.subflow.paper.PaperPlanner} is the
 * only entry. Pure.
 */
package io.malob.algorithm.subflow.paper;
