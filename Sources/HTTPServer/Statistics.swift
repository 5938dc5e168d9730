/// The engine's figures at one moment, for metrics.
package struct Statistics: Sendable, Equatable {
    package struct Loop: Sendable, Equatable {
        package var openConnections = 0
        package var requestsInFlight = 0
        /// Answers since the start.
        package var responses = 0
        /// Turns of the loop since the start; answers a turn tell how well work is collected.
        package var turns = 0
        /// Requests that have arrived and not begun, and how long the next one would wait for that.
        package var backlog = 0
        package var expectedWait = Duration.zero
    }

    /// Why a connection was not taken.
    package struct Refused: Sendable, Equatable {
        /// Over `Limits.maxConnections`.
        package var overAll = 0
        /// Over `Limits.maxConnectionsPerAddress`.
        package var overAddress = 0
        /// The process or the system had no descriptor left.
        package var withoutDescriptor = 0
        /// A proxy did not begin it with the header that tells whose it is.
        package var withoutProxyHeader = 0

        package var all: Int { overAll + overAddress + withoutDescriptor + withoutProxyHeader }
    }

    package var openConnections = 0
    package var requestsInFlight = 0
    /// Connections taken since the start.
    package var accepted = 0
    /// Connections refused since the start, by reason.
    package var refused = Refused()
    /// Bytes that all connections hold, in and out, as far as the loops have reported them.
    package var bufferedBytes = 0
    /// Requests refused since the start because connections held as much as they may.
    package var requestsRefusedForMemory = 0
    /// Requests refused since the start as they could not be answered in time.
    package var shed: [SheddingStage: Int] = [:]
    package var loops: [Loop] = []
}
