internal import Possession
internal import Locks

/// Reports callers' message texts of more than one SMS part to the operator, once an hour for each API client. In
/// memory: a restart clears it.
package final class MultiPartTexts: Sendable {
    private struct Told {
        var hour: Int64 = 0
        var clients: Set<ClientID> = []
    }

    /// Maximum API clients that are reported in an hour.
    private static let mostClients = 100

    private let told = Locked(Told())

    package init() {}

    /// The report about a text as it will be sent; `nil`: it has one part, or its client was already reported this
    /// hour.
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
