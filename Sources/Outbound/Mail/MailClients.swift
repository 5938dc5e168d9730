internal import Locks

/// The clients of mail servers, one for each server. libcurl waits for a server that does not answer QUIT, and blocks
/// all calls of its client meanwhile. With separate clients, no server delays the mail of another.
package final class MailClients: Sendable {
    private struct State: Sendable {
        /// At most one for each configured mail server.
        var byServer: [String: OutboundHTTP] = [:]
        var isClosed = false
    }

    private let state = Locked(State())

    package init() {}

    /// - Throws: `OutboundFault`, any of its cases.
    package func send(_ request: OutboundRequest) async throws(OutboundFault) -> OutboundResponse {
        guard let client = client(of: request.peer) else { throw .cancelled }
        return try await client.send(request)
    }

    /// See `OutboundHTTP.shutdown`.
    package func shutdown() async {
        let clients = state.withLock { state in
            state.isClosed = true
            return state.byServer.values
        }
        for client in clients { await client.shutdown() }
    }

    private func client(of server: String) -> OutboundHTTP? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            let client = state.byServer[server] ?? OutboundHTTP()
            state.byServer[server] = client
            return client
        }
    }
}
