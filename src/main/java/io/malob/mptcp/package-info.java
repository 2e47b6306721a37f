/**
 * Leads the sub-flows of MPTCP connections over routes of their own, planned for the whole network.
 */
package io.malob.mptcp;
