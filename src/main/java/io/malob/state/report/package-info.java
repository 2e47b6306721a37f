/** What agents report: its formats, who may report, and how old reports are told from new ones. */
package io.malob.state.report;
