internal import Engine
internal import Possession
internal import Records

/// A column that holds sealed values, and how they are read and replaced one after another.
package struct SealedColumn: Sendable {
    /// The context that its values are bound to.
    package enum Binding: Sendable {
        /// Table, column and row.
        case row
        /// The name of a signing key. In its row's key, the first part is the `kid`, the second the purpose.
        case privateKey, publicKey
        /// The 16 bytes of an application key.
        case applicationKey
    }

    /// One column of a row's key.
    package enum KeyPart: Sendable, Equatable {
        case blob([UInt8])
        case text(String)
        case integer(Int64)

        package var text: String { if case .text(let text) = self { text } else { "" } }
        package var blob: [UInt8] { if case .blob(let blob) = self { blob } else { [] } }
        var integer: Int64 { if case .integer(let integer) = self { integer } else { 0 } }
    }

    /// `table.column`.
    package let name: StaticString
    package let binding: Binding
    /// The smallest possible key, in the types of the columns.
    let first: [KeyPart]
    /// Statement: the columns of the key, then the value, of the rows after a key, in key order, up to a number of
    /// rows.
    let scan: Statement
    /// Statement: the same columns of the newest rows, up to a number of them; `nil`: the key does not order them by
    /// time.
    let newest: Statement?
    /// Statement that replaces a value: parameters are the new value, the key, the old value.
    let replace: Statement
    private let context: @Sendable (StaticString, [KeyPart]) -> SealingContext

    init(
        _ name: StaticString, _ first: [KeyPart] = [.blob([0])], binding: Binding = .row, scan: Statement,
        newest: Statement? = nil, replace: Statement,
        context: @escaping @Sendable (StaticString, [KeyPart]) -> SealingContext = {
            SealingContext($0, row: $1[0].blob)
        }
    ) {
        self.name = name
        self.first = first
        self.binding = binding
        self.scan = scan
        self.newest = newest
        self.replace = replace
        self.context = context
    }

    /// The context of a value that is bound to its row.
    package func rowContext(_ key: [KeyPart]) -> [UInt8] { context(name, key).bytes }
}

extension SealedColumn {
    /// All columns that are sealed under the sealing keys. A test compares them with the schema.
    package static let all = callers + kept + activations + webhooks + signingKeys + applicationKeys

    private static let callers = [
        SealedColumn(
            "sessions.record_sealed",
            scan: """
                SELECT correlation_id, record_sealed FROM sessions WHERE correlation_id > ?1
                  ORDER BY correlation_id LIMIT ?2
                """,
            newest: "SELECT correlation_id, record_sealed FROM sessions ORDER BY correlation_id DESC LIMIT ?1",
            replace: "UPDATE sessions SET record_sealed = ?1 WHERE correlation_id = ?2 AND record_sealed = ?3"),
        SealedColumn(
            "replayed_replies.reply_sealed", [.blob([0]), .text(""), .text("")],
            scan: """
                SELECT correlation_id, path, request_id, reply_sealed FROM replayed_replies
                  WHERE (correlation_id, path, request_id) > (?1, ?2, ?3)
                  ORDER BY correlation_id, path, request_id LIMIT ?4
                """,
            replace: """
                UPDATE replayed_replies SET reply_sealed = ?1
                  WHERE correlation_id = ?2 AND path = ?3 AND request_id = ?4 AND reply_sealed = ?5
                """,
            context: { SealingContext($0, row: $1[0].blob, $1[1].text, $1[2].text) }),
        SealedColumn(
            "messages.message_sealed", [.blob([0]), .blob([0])],
            scan: """
                SELECT correlation_id, message_id, message_sealed FROM messages
                  WHERE (correlation_id, message_id) > (?1, ?2) ORDER BY correlation_id, message_id LIMIT ?3
                """,
            replace: """
                UPDATE messages SET message_sealed = ?1
                  WHERE correlation_id = ?2 AND message_id = ?3 AND message_sealed = ?4
                """,
            context: { SealingContext($0, row: $1[0].blob, MessageID(storedBytes: $1[1].blob).text) }),
        SealedColumn(
            "messages.again_sealed", [.blob([0]), .blob([0])],
            scan: """
                SELECT correlation_id, message_id, again_sealed FROM messages
                  WHERE (correlation_id, message_id) > (?1, ?2) ORDER BY correlation_id, message_id LIMIT ?3
                """,
            replace: """
                UPDATE messages SET again_sealed = ?1
                  WHERE correlation_id = ?2 AND message_id = ?3 AND again_sealed = ?4
                """,
            context: { SealingContext($0, row: $1[0].blob, MessageID(storedBytes: $1[1].blob).text) }),
    ]

    private static let kept = [
        SealedColumn(
            "identities.number_sealed",
            scan: "SELECT prove_id, number_sealed FROM identities WHERE prove_id > ?1 ORDER BY prove_id LIMIT ?2",
            replace: "UPDATE identities SET number_sealed = ?1 WHERE prove_id = ?2 AND number_sealed = ?3"),
        SealedColumn(
            "identities.attributes_sealed",
            scan: "SELECT prove_id, attributes_sealed FROM identities WHERE prove_id > ?1 ORDER BY prove_id LIMIT ?2",
            replace: "UPDATE identities SET attributes_sealed = ?1 WHERE prove_id = ?2 AND attributes_sealed = ?3"),
        SealedColumn(
            "device_keys.key_sealed",
            scan: """
                SELECT device_index, key_sealed FROM device_keys WHERE device_index > ?1 ORDER BY device_index LIMIT ?2
                """,
            replace: "UPDATE device_keys SET key_sealed = ?1 WHERE device_index = ?2 AND key_sealed = ?3"),
        SealedColumn(
            "people.number_sealed",
            scan: "SELECT person_id, number_sealed FROM people WHERE person_id > ?1 ORDER BY person_id LIMIT ?2",
            replace: "UPDATE people SET number_sealed = ?1 WHERE person_id = ?2 AND number_sealed = ?3"),
        SealedColumn(
            "people.person_sealed",
            scan: "SELECT person_id, person_sealed FROM people WHERE person_id > ?1 ORDER BY person_id LIMIT ?2",
            replace: "UPDATE people SET person_sealed = ?1 WHERE person_id = ?2 AND person_sealed = ?3"),
        SealedColumn(
            "test_numbers.entry_sealed",
            scan: """
                SELECT number_index, entry_sealed FROM test_numbers WHERE number_index > ?1 ORDER BY number_index LIMIT ?2
                """,
            replace: "UPDATE test_numbers SET entry_sealed = ?1 WHERE number_index = ?2 AND entry_sealed = ?3"),
        SealedColumn(
            "listed_numbers.number_sealed", [.blob([0]), .text(""), .text("")],
            scan: """
                SELECT number_index, client_id, list, number_sealed FROM listed_numbers
                  WHERE (number_index, client_id, list) > (?1, ?2, ?3) ORDER BY number_index, client_id, list LIMIT ?4
                """,
            replace: """
                UPDATE listed_numbers SET number_sealed = ?1
                  WHERE number_index = ?2 AND client_id = ?3 AND list = ?4 AND number_sealed = ?5
                """,
            context: { SealingContext($0, row: $1[0].blob, $1[1].text, $1[2].text) }),
        SealedColumn(
            "refused_starts.start_sealed",
            scan: """
                SELECT correlation_id, start_sealed FROM refused_starts WHERE correlation_id > ?1
                  ORDER BY correlation_id LIMIT ?2
                """,
            replace: "UPDATE refused_starts SET start_sealed = ?1 WHERE correlation_id = ?2 AND start_sealed = ?3"),
        SealedColumn(
            "audit_entries.line_sealed", [.integer(0)],
            scan: "SELECT number, line_sealed FROM audit_entries WHERE number > ?1 ORDER BY number LIMIT ?2",
            newest: "SELECT number, line_sealed FROM audit_entries ORDER BY number DESC LIMIT ?1",
            replace: "UPDATE audit_entries SET line_sealed = ?1 WHERE number = ?2 AND line_sealed = ?3",
            context: { SealingContext($0, row: AuditLine.bytes(of: $1[0].integer)) }),
    ]

    private static let activations = [
        SealedColumn(
            "activations.details_sealed",
            scan: """
                SELECT activation_id, details_sealed FROM activations WHERE activation_id > ?1
                  ORDER BY activation_id LIMIT ?2
                """,
            newest: "SELECT activation_id, details_sealed FROM activations ORDER BY activation_id DESC LIMIT ?1",
            replace: "UPDATE activations SET details_sealed = ?1 WHERE activation_id = ?2 AND details_sealed = ?3"),
        SealedColumn(
            "activations.keys_sealed",
            scan: """
                SELECT activation_id, keys_sealed FROM activations WHERE activation_id > ?1
                  ORDER BY activation_id LIMIT ?2
                """,
            newest: "SELECT activation_id, keys_sealed FROM activations ORDER BY activation_id DESC LIMIT ?1",
            replace: "UPDATE activations SET keys_sealed = ?1 WHERE activation_id = ?2 AND keys_sealed = ?3",
            context: { SealingContext(SealedKeys.activation, of: $1[0].blob) }),
        SealedColumn(
            "activations.counter_sealed",
            scan: """
                SELECT activation_id, counter_sealed FROM activations WHERE activation_id > ?1
                  ORDER BY activation_id LIMIT ?2
                """,
            newest: "SELECT activation_id, counter_sealed FROM activations ORDER BY activation_id DESC LIMIT ?1",
            replace: "UPDATE activations SET counter_sealed = ?1 WHERE activation_id = ?2 AND counter_sealed = ?3",
            context: { SealingContext(SealedKeys.counter, of: $1[0].blob) }),
        SealedColumn(
            "device_tokens.secret_sealed", [.blob([0]), .blob([0])],
            scan: """
                SELECT activation_id, token_id, secret_sealed FROM device_tokens
                  WHERE (activation_id, token_id) > (?1, ?2) ORDER BY activation_id, token_id LIMIT ?3
                """,
            replace: """
                UPDATE device_tokens SET secret_sealed = ?1
                  WHERE activation_id = ?2 AND token_id = ?3 AND secret_sealed = ?4
                """,
            context: { SealingContext(SealedKeys.token, of: $1[0].blob) }),
        SealedColumn(
            "temporary_secrets.secret_sealed", [.integer(Int64.min)],
            scan: "SELECT period, secret_sealed FROM temporary_secrets WHERE period > ?1 ORDER BY period LIMIT ?2",
            replace: "UPDATE temporary_secrets SET secret_sealed = ?1 WHERE period = ?2 AND secret_sealed = ?3",
            context: { SealingContext(ofPeriod: $1[0].integer) }),
    ]

    private static let webhooks = [
        SealedColumn(
            "webhook_endpoints.endpoint_sealed",
            scan: """
                SELECT endpoint_id, endpoint_sealed FROM webhook_endpoints WHERE endpoint_id > ?1
                  ORDER BY endpoint_id LIMIT ?2
                """,
            replace: """
                UPDATE webhook_endpoints SET endpoint_sealed = ?1 WHERE endpoint_id = ?2 AND endpoint_sealed = ?3
                """),
        SealedColumn(
            "webhook_events.event_sealed",
            scan: "SELECT event_id, event_sealed FROM webhook_events WHERE event_id > ?1 ORDER BY event_id LIMIT ?2",
            newest: "SELECT event_id, event_sealed FROM webhook_events ORDER BY event_id DESC LIMIT ?1",
            replace: "UPDATE webhook_events SET event_sealed = ?1 WHERE event_id = ?2 AND event_sealed = ?3"),
    ]

    private static let signingKeys = [
        SealedColumn(
            "signing_keys.private_key_sealed", [.text(""), .text("")], binding: .privateKey,
            scan: """
                SELECT kid, purpose, private_key_sealed FROM signing_keys WHERE (kid, purpose) > (?1, ?2)
                  ORDER BY kid, purpose LIMIT ?3
                """,
            replace: """
                UPDATE signing_keys SET private_key_sealed = ?1
                  WHERE kid = ?2 AND purpose = ?3 AND private_key_sealed = ?4
                """),
        SealedColumn(
            "signing_keys.public_key_sealed", [.text(""), .text("")], binding: .publicKey,
            scan: """
                SELECT kid, purpose, public_key_sealed FROM signing_keys WHERE (kid, purpose) > (?1, ?2)
                  ORDER BY kid, purpose LIMIT ?3
                """,
            replace: """
                UPDATE signing_keys SET public_key_sealed = ?1
                  WHERE kid = ?2 AND purpose = ?3 AND public_key_sealed = ?4
                """),
    ]

    private static let applicationKeys = [
        SealedColumn(
            "application_keys.keys_sealed", binding: .applicationKey,
            scan: """
                SELECT application_key, keys_sealed FROM application_keys WHERE application_key > ?1
                  ORDER BY application_key LIMIT ?2
                """,
            replace: "UPDATE application_keys SET keys_sealed = ?1 WHERE application_key = ?2 AND keys_sealed = ?3")
    ]
}

extension MessageID {
    fileprivate init(storedBytes: [UInt8]) {
        self.init(bits: storedBytes.prefix(16).reduce(UInt128(0)) { $0 << 8 | UInt128($1) })
    }
}
