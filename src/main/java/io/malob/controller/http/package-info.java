/**
 * The HTTP server: connections, their time limits, and the memory of requests and responses that
 * are not complete. It hands complete requests to Restlet and knows no resources.
 */
package io.malob.controller.http;
