/// Limits of all outbound calls together.
package struct OutboundLimits: Sendable {
    /// Running and waiting calls; one more fails at once. A running call has buffers of about 20 KB.
    package var calls = 4096
    /// Connections to one host and port. A call beyond it waits for a connection while its time runs: with a small
    /// limit, a slow peer would look unreachable.
    package var connectionsPerHost = 128
    /// Open connections to all hosts together. While more are open, a connection is closed when its call ends, or
    /// another idle one is: with a small limit, busy calls would reconnect each time.
    package var keptConnections = 256
    /// After this time an idle connection is not reused, and is closed.
    package var idleTimeout: Duration = .seconds(30)
    /// Running look-ups of names that API clients have chosen. A call beyond it waits while its time runs. Each look-up
    /// occupies a thread until the system ends it.
    package var lookups = 64
    /// The same for one API client.
    package var lookupsPerClient = 4
    /// All heads of one response together, in bytes.
    package var headBytes = 64 * 1024

    package init() {}
}
