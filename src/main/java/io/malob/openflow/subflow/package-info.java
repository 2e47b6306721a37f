/** The rules by which switches lead MPTCP sub-flows along their routes. Pure. */
package io.malob.openflow.subflow;
