internal import CPostgres
internal import Engine

/// Why PostgreSQL refused a statement: its SQLSTATE (Appendix A of its manual), and the statement. It never contains a
/// value: PostgreSQL quotes keys in the details of a message, which are left out.
struct PostgresFailure: Error, Equatable {
    /// Five characters. Empty: libpq failed without an answer of the server, and the connection is lost.
    let state: String
    let operation: String
    /// The statement inserts a row that its transaction did not find.
    private let isClaiming: Bool

    init(state: String, operation: String, isClaiming: Bool = false) {
        self.state = state
        self.operation = operation
        self.isClaiming = isClaiming
    }

    static func lost(_ operation: String) -> PostgresFailure { PostgresFailure(state: "", operation: operation) }

    /// `nil`: the statement succeeded.
    init?(_ result: PostgresResult, of statement: StaticString, isClaiming: Bool = false) {
        let text = statement.description.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        switch result.status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return nil
        case PGRES_PIPELINE_ABORTED: self.init(state: "25P02", operation: "skipped: \(text)")
        default:
            let constraint = result.errorField(PostgresResult.constraint).map { "\($0); " } ?? ""
            self.init(
                state: result.errorField(PostgresResult.state) ?? "", operation: constraint + text,
                isClaiming: isClaiming)
        }
    }

    /// The fault for the domain.
    var fault: StorageFault {
        switch state {
        case _ where mayPassAgain: return .overloaded
        case "23505": return .duplicate
        // Out of memory, disk or connections (class 53), waited too long for a lock, or ran too long.
        case _ where state.hasPrefix("53") || ["55P03", "57014"].contains(state): return .overloaded
        default:
            let name = isLost ? "the connection to PostgreSQL is lost" : "SQLSTATE \(state)"
            return .failed(code: 0, operation: "\(name): \(operation)")
        }
    }

    /// Whether the same transaction may succeed when it runs again: after a deadlock or a serialization failure, or when
    /// a row that it did not find is there now (23505), or one that it found is not (23503). After a lock timeout
    /// (55P03) its caller has waited long enough.
    var mayPassAgain: Bool {
        ["40P01", "40001"].contains(state) || isClaiming && ["23505", "23503"].contains(state)
    }

    var isLost: Bool { state.isEmpty }

    /// Whether the connection cannot be used any more: it is lost (also class 08), or the server ends it.
    var endsConnection: Bool { isLost || state.hasPrefix("08") || ["57P01", "57P02", "57P03"].contains(state) }
}
