/**
 * Exports the counts and measurements of other modules as metrics for Prometheus. Everything is
 * read at a scrape; nothing here is called by the threads that read from switches.
 */
package io.malob.metrics;
