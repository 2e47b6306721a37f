/**
 * Shows what the other modules have counted and measured as metrics for Prometheus. Everything is
 * read when a scrape asks for it; nothing here is called by the threads that read from switches.
 */
package io.malob.metrics;
