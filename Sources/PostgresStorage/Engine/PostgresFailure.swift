internal import CPostgres
internal import Engine
internal import Storage

/// Why PostgreSQL refused a statement: its SQLSTATE (Appendix A of its manual), and the statement. It never contains a
/// value: PostgreSQL quotes keys in the details of a message, which are left out.
struct PostgresFailure: Error, Equatable {
    /// Five characters. Empty: libpq failed without an answer of the server, and the connection is lost.
    let state: String
    let operation: String
    /// The statement inserts a row that its transaction did not find.
    let isClaiming: Bool

    init(state: String, operation: String, isClaiming: Bool = false) {
        self.state = state
        self.operation = operation
        self.isClaiming = isClaiming
    }

    static func lost(_ operation: String) -> PostgresFailure { PostgresFailure(state: "", operation: operation) }

    /// Why a connection was not made. libpq's text names host and role, never the password.
    init(connecting handle: OpaquePointer) {
        let text = String(cString: PQerrorMessage(handle))
        // FATAL:  28P01: password authentication failed ...
        let marker = "FATAL:  "
        let state = text.firstRange(of: marker).map { String(text[$0.upperBound...].prefix(5)) } ?? ""
        let lines = text.split(separator: "\n")
        let line =
            (lines.first { $0.contains(marker) } ?? lines.last { !$0.hasPrefix("\t") }).map(String.init) ?? "no reason"
        self.init(state: state, operation: "connect: \(line)")
    }

    /// `nil`: the statement succeeded.
    init?(_ result: PostgresResult, of statement: StaticString, isClaiming: Bool = false) {
        switch result.status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return nil
        default: self.init(result, name: statement.description, isClaiming: isClaiming)
        }
    }

    /// - Parameter name: the statement that failed, or what runs it.
    init(_ result: PostgresResult, name: String, isClaiming: Bool = false) {
        let text = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard result.status != PGRES_PIPELINE_ABORTED else {
            self.init(state: "25P02", operation: "skipped: \(text)")
            return
        }
        let constraint = result.errorField(PostgresResult.constraint).map { "\($0); " } ?? ""
        self.init(
            state: result.errorField(PostgresResult.state) ?? "", operation: constraint + text, isClaiming: isClaiming)
    }

    /// The fault for the domain.
    var fault: StorageFault {
        switch state {
        case "08007": return .failed(code: 0, operation: description)
        case _ where mayPassAgain || endsConnection: return .overloaded
        case "23505": return .duplicate
        // Out of memory, disk or connections (class 53), waited too long for a lock, or ran too long.
        case _ where state.hasPrefix("53") || ["55P03", "57014"].contains(state): return .overloaded
        default: return .failed(code: 0, operation: description)
        }
    }

    /// The reason that is counted; `nil`: the caller gets its own result of the statement.
    var refusal: WriteRefusal? {
        switch state {
        case "23505" where !isClaiming: nil
        case "53100": .diskFull
        case _ where endsConnection: .unreachable
        case _ where mayPassAgain || ["55P03", "57014"].contains(state): .locked
        default: .failed
        }
    }

    /// A COMMIT without an answer, and no connection to look for the transaction.
    static let unsettled = PostgresFailure(
        state: "08007", operation: "COMMIT: whether the transaction is stored is not known")

    /// Another server has removed this one: this one's lane has no row that it could raise (division by zero), and
    /// gets no new one.
    var isSuperseded: Bool { state == "22012" || state == "23503" && operation.hasPrefix("lanes_server_fkey;") }

    /// For the log and for operators.
    var description: String {
        "\(isLost ? "the connection to PostgreSQL is lost" : "SQLSTATE \(state)"): \(operation)"
    }

    /// Whether the same transaction may succeed when it runs again: after a deadlock or a serialization failure, or when
    /// a row that it did not find is there now (23505), or one that it found is not (23503). After a lock timeout
    /// (55P03) its caller has waited long enough.
    var mayPassAgain: Bool {
        ["40P01", "40001"].contains(state) || isClaiming && ["23505", "23503"].contains(state)
    }

    var isLost: Bool { state.isEmpty }

    /// The transaction waited for a lock for as long as it may.
    var isLockTimeout: Bool { state == "55P03" }

    /// Whether the connection cannot be used any more: it is lost (also class 08), the server ends it, or its prepared
    /// statements are gone (26000) or have other columns than before (0A000).
    var endsConnection: Bool {
        isLost || state.hasPrefix("08") || ["57P01", "57P02", "57P03", "26000", "0A000"].contains(state)
    }
}
