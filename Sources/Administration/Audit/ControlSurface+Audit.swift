internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import Text

// The orders that read the audit log.

extension ControlSurface {
    var auditRoutes: [Route] {
        [
            Route(.get, "/control/audit") { _ in await answer(.showAuditEnds).response },
            Route(.post, "/control/audit") { request in
                guard let page = AuditPage(request.body) else { return OrderAnswer.malformed.response }
                return await answer(.listAudit(page), request.id).response
            },
            Route(.post, "/control/backups") { request in
                guard let backup = BackupMade(request.body) else { return OrderAnswer.malformed.response }
                return await answer(.noteBackup(backup), request.id).response
            },
        ]
    }

    func auditEnds() async throws(Administrator.Refusal) -> OrderAnswer {
        do {
            let (ends, isAuthentic) = try await administrator.audit.ends()
            return OrderAnswer(
                200,
                [
                    "before": .integer(ends.before), "beforeHash": .string(Hex.text(ends.beforeHash)),
                    "last": .integer(ends.last), "lastHash": .string(Hex.text(ends.lastHash)),
                    "authentic": .bool(isAuthentic),
                ])
        } catch { throw .failed("storage: \(error)") }
    }

    func auditLines(_ page: AuditPage) async throws(Administrator.Refusal) -> OrderAnswer {
        do {
            let lines = try await administrator.audit.lines(after: page.after, limit: page.limit)
            let texts = lines.map { JSONValue.string(String(decoding: AuditJSON.exported($0), as: UTF8.self)) }
            return OrderAnswer(200, ["lines": .array(texts)])
        } catch { throw .failed("storage: \(error)") }
    }
}

extension AuditEnds {
    /// Reads the answer of `auditEnds`.
    init?(_ object: JSONObject) {
        guard let before = object["before"]?.integer, let last = object["last"]?.integer,
            let beforeHash = object["beforeHash"]?.string.flatMap({ Hex.bytes($0) }),
            let lastHash = object["lastHash"]?.string.flatMap({ Hex.bytes($0) })
        else { return nil }
        self.init(before: before, beforeHash: beforeHash, last: last, lastHash: lastHash)
    }
}
