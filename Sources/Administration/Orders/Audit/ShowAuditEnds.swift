internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// Shows both ends of the audit log, and whether they were written with the master key.
struct ShowAuditEnds: ReadingOrder {
    static let call = OrderCall(.get, "/control/audit", Self.init)
    static let reply = Reply<(AuditEnds, isAuthentic: Bool)> {
        ReplyMember.always("before", .number) { $0.0.before }
        ReplyMember.always("beforeHash", .text) { Hex.text($0.0.beforeHash) }
        ReplyMember.always("last", .number) { $0.0.last }
        ReplyMember.always("lastHash", .text) { Hex.text($0.0.lastHash) }
        ReplyMember.always("authentic", .flag) { $0.isAuthentic }
    }

    func respond(_ administrator: Administrator) async throws(Refusal) -> (AuditEnds, isAuthentic: Bool) {
        try await administrator.stored { try await administrator.audit.ends() }
    }
}

extension AuditEnds {
    /// Reads the answer of `ShowAuditEnds`.
    init?(_ object: JSONObject) {
        guard let before = object["before"]?.integer, let last = object["last"]?.integer,
            let beforeHash = object["beforeHash"]?.string.flatMap({ Hex.bytes($0) }),
            let lastHash = object["lastHash"]?.string.flatMap({ Hex.bytes($0) })
        else { return nil }
        self.init(before: before, beforeHash: beforeHash, last: last, lastHash: lastHash)
    }
}
