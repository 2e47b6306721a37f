/**
 * Routes for the sub-flows of MPTCP connections, so that links carry about the same number. Pure.
 */
package io.malob.algorithm.subflow;
