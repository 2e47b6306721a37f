/** Measures the latency of links by probe frames. */
package io.malob.latency;
