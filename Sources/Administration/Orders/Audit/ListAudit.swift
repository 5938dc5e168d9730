internal import Engine
internal import Possession
internal import SurfaceKit

/// Lists lines of the audit log, each as a text.
struct ListAudit: ReadingOrder {
    static let mostLines = 500

    /// The lines after this number.
    var after: Int64 = 0
    /// The most lines, up to `mostLines`.
    var limit = ListAudit.mostLines

    static let call = OrderCall(
        .post, "/control/audit", Self.init, .required("after", .atLeastZero, \.after),
        .required("limit", .integer(1...mostLines), \.limit))
    static let reply = Reply<[AuditLine]> {
        ReplyMember.always("lines", .list(of: .text)) { lines in
            lines.map { String(decoding: AuditJSON.exported($0), as: UTF8.self) }
        }
    }

    func respond(_ administrator: Administrator) async throws(Refusal) -> [AuditLine] {
        try await administrator.stored { try await administrator.audit.lines(after: after, limit: limit) }
    }
}
