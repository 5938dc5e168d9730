/// Every limit of the engine. Times are measured with the monotonic clock.
package struct Limits: Sendable {
    /// Bytes of a request target; over it 414. HTTP-19 requires a limit between 8,000 and 64 KiB.
    package var maxTargetBytes = 16 * 1024
    /// Bytes of the header section; over it 431. HTTP-20 requires 16 to 64 KiB; 32 KiB is twice what the largest known
    /// client sends.
    package var maxHeaderBytes = 32 * 1024
    /// Field lines of a header section; over it 431 (HTTP-20: 100 to 1000).
    package var maxHeaderFields = 200
    /// Bytes of a body, announced or sum of chunks; over it 413 (HTTP-21).
    package var maxBodyBytes = 1024 * 1024
    /// Bytes of chunk extensions in one request; over it 400 (HTTP-15).
    package var maxChunkExtensionBytes = 4 * 1024
    /// Bytes of a trailer section; over it 431 (HTTP-17).
    package var maxTrailerBytes = 8 * 1024
    /// Bytes of an unwanted body (404, 405) that are read to keep the connection open; over it the connection ends
    /// (HTTP-23).
    package var maxDiscardedBodyBytes = 64 * 1024
    /// Bytes of later requests that are buffered while one request runs. At this limit reading pauses.
    package var maxPipelinedBytes = 64 * 1024
    /// Bytes of output that wait for a slow peer. Above this limit the connection begins no further request. A
    /// connection therefore holds at most this plus one response: 256 KiB (OVL-07) for every response up to 192 KiB.
    /// Shared bodies do not count.
    package var maxOutputBytes = 64 * 1024
    /// Bytes that all connections hold together, in and out. When they are used up, a request that is still arriving
    /// gets 503, and pipelined requests wait (OVL-08).
    package var maxBufferedBytes = 64 * 1024 * 1024
    /// Bytes. A request that is still arriving and holds no more than this is never refused for lack of memory.
    package var smallRequestBytes = 4 * 1024
    /// Bytes read and discarded after an error answer, so that the peer can read the answer. As much as the largest
    /// body that can be configured; the time limits usually end the reading first (HTTP-26).
    package var maxLingerBytes = 64 * 1024 * 1024
    /// Time after the last discarded byte (HTTP-26).
    package var lingerTimeout = Duration.seconds(2)
    /// The most time spent on discarding altogether: 5 MB at 4 Mbit/s.
    package var lingerLimit = Duration.seconds(10)
    /// When the server shuts down: how long after its last answer a connection may still send a request (OPS-01).
    package var drainGrace = Duration.seconds(1)
    /// From the first byte of a request, or from accept, to the end of its header (HTTP-31).
    package var headerTimeout = Duration.seconds(10)
    /// From the first byte of a request to the end of its body (HTTP-31).
    package var requestTimeout = Duration.seconds(20)
    /// Between a response and the first byte of the next request (HTTP-31).
    package var keepAliveTimeout = Duration.seconds(60)
    /// The same for a proxy that the operator trusts (`Server.isExempt`). Longer than the proxy itself keeps a
    /// connection, so that the proxy never sends a request on a connection that the server is closing.
    package var proxyKeepAliveTimeout = Duration.seconds(75)
    /// A peer that does not take a response within this time is disconnected (HTTP-31).
    package var responseTimeout = Duration.seconds(20)
    /// A request that has waited longer is refused: its caller has given up (OVL-01).
    package var longestWait = Duration.seconds(1)
    /// Whether requests that cannot be answered in time are refused. False on the operators' listener.
    package var shedsLoad = true
    /// Open connections in total; over it 503 and a close (HTTP-33).
    package var maxConnections = 10_000
    /// Open connections per client address, an IPv6 client counted by its /64; over it 503 and a close (HTTP-33). The
    /// local socket is exempt.
    package var maxConnectionsPerAddress = 200
    /// Connections accepted beyond `maxConnections`. Each may send one request, and only to a route that is always
    /// answered (`Route.always`); any other request gets 503 (OPS-03).
    package var reservedConnections = 32
    /// Upper bound for every time limit of a reserved connection, so that no client can occupy the reserve.
    package var reservedTimeout = Duration.seconds(1)
    /// Connections that the kernel holds before they are accepted.
    package var acceptBacklog: Int32 = 1024

    package init() {}
}
