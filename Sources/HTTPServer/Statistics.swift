/// The engine's figures at one moment, for metrics.
package struct Statistics: Sendable, Equatable {
    package struct Loop: Sendable, Equatable {
        package var openConnections = 0
        package var requestsInFlight = 0
        /// Answers since the start.
        package var responses = 0
        /// Turns of the loop since the start; answers a turn tell how well work is collected.
        package var turns = 0
    }

    package var openConnections = 0
    package var requestsInFlight = 0
    /// Connections taken since the start.
    package var accepted = 0
    /// Connections refused since the start: over a limit, or without a descriptor.
    package var refused = 0
    package var loops: [Loop] = []
}
