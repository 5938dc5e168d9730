internal import Locks

/// The client of all outbound calls, on libcurl: HTTP/1.1, the system's certificate authorities, no redirects, no proxy
/// except one that a call names, no cookies, no retry. It has one thread, which starts with the first call.
package final class OutboundHTTP: Sendable {
    private struct State: Sendable {
        var loop: OutboundLoop?
        var isClosed = false
        var lastNumber = 0
    }

    private let connectTimeout: Duration
    private let limits: OutboundLimits
    private let lookUp: NameLookup
    private let state = Locked(State())

    /// - Parameters:
    ///   - connectTimeout: for name look-up, connection and TLS handshake. A look-up within an API client's limit has
    ///     the same time for itself.
    ///   - lookUp: looks up the names that API clients have chosen; `nil`: the system's look-up.
    package init(
        connectTimeout: Duration = .seconds(3), limits: OutboundLimits = OutboundLimits(), lookUp: NameLookup? = nil
    ) {
        self.connectTimeout = connectTimeout
        self.limits = limits
        self.lookUp = lookUp ?? SystemNames.lookUp
    }

    /// Closes its connections and ends its thread; calls in progress fail as cancelled. Must run before the value is
    /// released.
    package func shutdown() async {
        let loop = state.withLock { state -> OutboundLoop? in
            state.isClosed = true
            defer { state.loop = nil }
            return state.loop
        }
        await loop?.close()
    }

    /// - Throws: `OutboundFault`, any of its cases.
    package func send(_ request: OutboundRequest) async throws(OutboundFault) -> OutboundResponse {
        let deadline = ContinuousClock.now + request.timeout
        if let defect = request.defect { throw .failed(reason: defect) }
        guard !Task.isCancelled else { throw .cancelled }
        let (loop, number) = try loop()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                loop.start(OutboundOrder(number: number, request: request, deadline: deadline, caller: caller))
                // The cancellation handler may have run before the call was registered.
                if Task.isCancelled { loop.cancel(number) }
            }
        } onCancel: {
            loop.cancel(number)
        }
        return try outcome.get()
    }

    private func loop() throws(OutboundFault) -> (OutboundLoop, number: Int) {
        // Created under the lock, so that two first calls do not start two threads.
        let found = state.withLock { state -> Result<(OutboundLoop, number: Int), OutboundFault> in
            guard !state.isClosed else { return .failure(.cancelled) }
            guard let loop = state.loop ?? OutboundLoop(connectTimeout: connectTimeout, limits: limits, lookUp: lookUp)
            else {
                return .failure(.failed(reason: "libcurl does not start"))
            }
            state.loop = loop
            state.lastNumber += 1
            return .success((loop, state.lastNumber))
        }
        return try found.get()
    }
}
