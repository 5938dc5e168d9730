/// Every limit of the engine. Times are measured with the monotonic clock.
package struct Limits: Sendable {
    /// Bytes of a request target; over it 414. HTTP-19 wants it between 8,000 and 64 KiB.
    package var maxTargetBytes = 16 * 1024
    /// Bytes of the header section; over it 431. HTTP-20 wants 16 to 64 KiB; 32 holds every client seen, twice.
    package var maxHeaderBytes = 32 * 1024
    /// Field lines of a header section; over it 431 (HTTP-20: 100 to 1000).
    package var maxHeaderFields = 200
    /// Bytes of a body, announced or sum of chunks; over it 413 (HTTP-21).
    package var maxBodyBytes = 1024 * 1024
    /// Bytes of chunk extensions a request; over it 400 (HTTP-15).
    package var maxChunkExtensionBytes = 4 * 1024
    /// Bytes of a trailer section; over it 431 (HTTP-17).
    package var maxTrailerBytes = 8 * 1024
    /// Bytes of a body nobody wants (404, 405) that are read to keep the connection; over it the connection ends
    /// (HTTP-23).
    package var maxDiscardedBodyBytes = 64 * 1024
    /// Bytes of later requests that are held while one runs; then reading pauses.
    package var maxPipelinedBytes = 64 * 1024
    /// Bytes of output that wait for a slow peer; above it no further request is begun. So a connection holds this and
    /// one response: at most 256 KiB (OVL-07) for every response up to 192 KiB. Shared bodies do not count.
    package var maxOutputBytes = 64 * 1024
    /// Bytes that all connections hold together, in and out. When they are used up, a request that is still arriving
    /// gets 503, and pipelined requests wait (OVL-08).
    package var maxBufferedBytes = 64 * 1024 * 1024
    /// A request in arrival that holds no more than this is never refused for want of memory, in bytes.
    package var smallRequestBytes = 4 * 1024
    /// Bytes read and thrown away after an error answer, so that the peer can read it: as much as the largest body
    /// that can be configured. Time is the limit that counts (HTTP-26).
    package var maxLingerBytes = 64 * 1024 * 1024
    /// After the last byte that was thrown away (HTTP-26).
    package var lingerTimeout = Duration.seconds(2)
    /// The longest such reading altogether: 5 MB at 4 Mbit/s.
    package var lingerLimit = Duration.seconds(10)
    /// At the end of the server, how long after its last answer a connection may still send a request (OPS-01).
    package var drainGrace = Duration.seconds(1)
    /// From the first byte of a request, or from accept, to the end of its header (HTTP-31).
    package var headerTimeout = Duration.seconds(10)
    /// From the first byte of a request to the end of its body (HTTP-31).
    package var requestTimeout = Duration.seconds(20)
    /// Between a response and the first byte of the next request (HTTP-31).
    package var keepAliveTimeout = Duration.seconds(60)
    /// The same for a proxy that the operator trusts (`Server.isExempt`): longer than the proxy itself keeps a connection, so
    /// that the proxy never sends a request into one that is being closed.
    package var proxyKeepAliveTimeout = Duration.seconds(75)
    /// A peer that does not take a response for that long is dropped (HTTP-31).
    package var responseTimeout = Duration.seconds(20)
    /// A request that has waited longer is not begun: its caller has given up (OVL-01).
    package var longestWait = Duration.seconds(1)
    /// Whether requests that cannot be answered in time are refused. Not where operators call.
    package var shedsLoad = true
    /// Connections altogether; over it 503 and a close (HTTP-33).
    package var maxConnections = 10_000
    /// Connections a client address, an IPv6 client counted by its /64; over it 503 and a close (HTTP-33). The local
    /// socket is exempt.
    package var maxConnectionsPerAddress = 200
    /// Connections over `maxConnections` that are taken for one request each, of a route that is answered always
    /// (`Route.always`); any other request gets 503 (OPS-03).
    package var reservedConnections = 32
    /// The most that any time limit of such a connection is, so that nobody keeps the reserve.
    package var reservedTimeout = Duration.seconds(1)
    /// Connections that the kernel holds before they are accepted.
    package var acceptBacklog: Int32 = 1024

    package init() {}
}
