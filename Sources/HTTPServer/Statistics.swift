/// The engine's figures at one moment, for metrics.
package struct Statistics: Sendable, Equatable {
    package struct Loop: Sendable, Equatable {
        package var openConnections = 0
        package var requestsInFlight = 0
        /// Answers since the start.
        package var responses = 0
        /// Turns of the loop since the start. The number of answers per turn shows how well work is batched.
        package var turns = 0
        /// Requests that have arrived but not begun, and how long a new request would wait.
        package var backlog = 0
        package var expectedWait = Duration.zero
    }

    /// Connections refused, by reason.
    package struct Refused: Sendable, Equatable {
        /// Over `Limits.maxConnections`.
        package var overAll = 0
        /// Over `Limits.maxConnectionsPerAddress`.
        package var overAddress = 0
        /// The process or the system had no free descriptor.
        package var withoutDescriptor = 0
        /// A proxy did not begin the connection with the PROXY protocol header.
        package var withoutProxyHeader = 0

        package var all: Int { overAll + overAddress + withoutDescriptor + withoutProxyHeader }
    }

    package var openConnections = 0
    package var requestsInFlight = 0
    /// Connections accepted since the start.
    package var accepted = 0
    /// Refused since the start.
    package var refused = Refused()
    /// Bytes that all connections hold, in and out, as of the loops' last reports.
    package var bufferedBytes = 0
    /// Requests refused since the start because the connections' memory budget was used up.
    package var requestsRefusedForMemory = 0
    /// Requests refused since the start because they could not be answered in time.
    package var shed: [SheddingStage: Int] = [:]
    package var loops: [Loop] = []
}
