/// Why a PostgreSQL cannot be used. The text is for the operator and contains no secret.
package enum PostgresOpeningFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// An operator must change something; until then each try fails.
    case refused(String)
    /// It cannot be reached, takes no changes now, or another server uses it. A later try may succeed.
    case unavailable(String)

    package var description: String {
        switch self {
        case .refused(let reason), .unavailable(let reason): reason
        }
    }

    init(_ failure: PostgresFailure) {
        // The server cannot be reached, is starting or stopping, is a standby, has no connection free, has a lock that
        // another one holds, or waits for its standby.
        let isTemporary =
            failure.endsConnection || failure.state.hasPrefix("53")
            || ["25006", "55P03", "57014"].contains(failure.state)
        self = isTemporary ? .unavailable(failure.description) : .refused(failure.description)
    }
}
