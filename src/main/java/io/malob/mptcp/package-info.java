/** Routes the sub-flows of MPTCP connections over separate paths, planned for the whole network. */
package io.malob.mptcp;
