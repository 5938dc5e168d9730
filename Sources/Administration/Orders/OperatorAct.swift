internal import Possession

/// An operator's act, for one line of the log and one entry of the audit log. It contains ids and counts, and no
/// secrets or personal data. A number or an address is masked in the line, and a digest in the entry.
package struct OperatorAct: Sendable, Equatable {
    package let what: String
    package let context: [String: String]
    private let event: AuditEvent
    private let client: ClientID?
    private let target: Target?

    /// - Parameters:
    ///   - what: the message of the log line.
    ///   - target: the target of the act; it is in the log line, masked.
    ///   - unsaid: a target that is not in the log line.
    init(
        _ what: String, _ event: AuditEvent, client: ClientID? = nil, target: Target? = nil,
        about unsaid: Target? = nil, _ context: [String: String] = [:]
    ) {
        self.what = what
        self.event = event
        self.client = client
        self.target = target ?? unsaid
        var context = context
        if let client { context["client"] = client.text }
        if let target { context["number"] = target.description }
        self.context = context
    }

    /// - Parameter scope: the only API client that the act affects; `nil`: all API clients.
    init(
        _ what: String, _ event: AuditEvent, of scope: ClientID?, target: Target? = nil,
        about unsaid: Target? = nil, _ context: [String: String]
    ) {
        var context = context
        if scope == nil { context["client"] = "all" }
        self.init(what, event, client: scope, target: target, about: unsaid, context)
    }

    /// The entry for the audit log.
    func entry(at now: Timestamp, requestID: String?) -> AuditEntry {
        let known = ["number", client == nil ? "" : "client"]
        let detail = context.filter { !known.contains($0.key) }.sorted { $0.key < $1.key }
        return AuditEntry(
            event, by: .operator, at: now, client: client, requestID: requestID, about: target,
            detail: detail.map { ($0.key, $0.value) })
    }
}
