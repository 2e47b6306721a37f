/** Reports of agents: their formats, the agents, and the protection against replays. */
package io.malob.state.report;
