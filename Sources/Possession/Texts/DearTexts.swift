internal import Locks

/// Texts that calls bring for their messages and that make more than one part of an SMS: the operator is told of each API
/// client's once an hour. In memory: a restart forgets whom it has told of.
package final class DearTexts: Sendable {
    private struct Told {
        var hour: Int64 = 0
        var clients: Set<ClientID> = []
    }

    /// API clients that are told of in an hour.
    private static let mostClients = 100

    private let told = Locked(Told())

    package init() {}

    /// The sentence about a text as it will be sent; `nil`: it makes one part, or its client has been told of.
    func note(_ text: String, of client: ClientID, at now: Timestamp) -> String? {
        let parts = MessageParts(text)
        guard parts.count > 1 else { return nil }
        let isNew = told.withLock { told in
            let hour = now.milliseconds / 3_600_000
            if told.hour != hour { told = Told(hour: hour) }
            return told.clients.count < Self.mostClients && told.clients.insert(client).inserted
        }
        guard isNew else { return nil }
        let reason = parts.foreign.map { ", since \($0.codePoint) is not in GSM-7" }
        return "a text that the API client \(client) sends makes \(parts.count) parts of an SMS\(reason ?? "")"
    }
}
