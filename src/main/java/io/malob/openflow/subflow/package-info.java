/** The rules that forward MPTCP sub-flows along their routes. Pure. */
package io.malob.openflow.subflow;
