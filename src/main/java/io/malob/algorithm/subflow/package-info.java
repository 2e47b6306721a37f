/** Which ways the sub-flows of MPTCP connections take, so that links carry about as many. Pure. */
package io.malob.algorithm.subflow;
