/// Limits of all outbound calls together.
package struct OutboundLimits: Sendable {
    /// Calls under way and waiting; one more fails at once. One under way has buffers of some 20 KB.
    package var calls = 4096
    /// To one host and port. A call over it waits for a connection while its time runs: with few a slow peer would look
    /// dead.
    package var connectionsPerHost = 128
    /// Open connections to all hosts together. While more are open, one whose call ends is closed, or another idle one: few
    /// would make busy calls connect each time.
    package var keptConnections = 256
    /// After that an idle connection is not used again, and is closed.
    package var idleTimeout: Duration = .seconds(30)
    /// Look-ups of names that API clients have chosen, under way at a time. A call over it waits while its time runs. Each
    /// takes a thread until the system has ended it.
    package var lookups = 64
    /// The same of one API client.
    package var lookupsPerClient = 4
    /// All heads of one response, in bytes.
    package var headBytes = 64 * 1024

    package init() {}
}
