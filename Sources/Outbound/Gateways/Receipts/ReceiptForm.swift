internal import Possession
internal import StrictJSON
internal import Text

/// How the receipts of one kind of gateway look.
struct ReceiptForm: Sendable, Equatable {
    enum Source: String, CaseIterable { case form, query, json }

    struct Signature: Sendable, Equatable {
        let scheme: ReceiptScheme
        /// The name of the setting that holds the key.
        let key: String
        /// Whoever leaves the key out gets receipts that are not signed.
        let isKeyOptional: Bool
    }

    /// Of a state's name, in bytes.
    private static let maxStateBytes = 64

    private let source: Source
    /// A field's name, or a JSON pointer.
    private let state: String
    private let code: String?
    private let states: [String: MessageReceipt.End]
    let signature: Signature?
    /// What the carrier wants to read; else the answer is empty.
    let answer: String?

    /// - Parameter known: the names of settings, and whether each may be missing.
    /// - Returns: `nil` after a mistake, which the reader has.
    init?(_ reader: inout MemberReader, known: [(name: String, isOptional: Bool)]) {
        let mistakes = reader.mistakeCount
        source = reader.choice("from", of: Source.allCases) ?? .form
        state = reader.text("state", maxBytes: GatewayPointer.maxBytes, required: true) ?? ""
        code = reader.text("code", maxBytes: GatewayPointer.maxBytes)
        if source == .json {
            for (name, text) in [("state", state), ("code", code ?? "/")] where GatewayPointer(text) == nil {
                reader.note(name, "must be a JSON pointer")
            }
        }
        var states: [String: MessageReceipt.End] = [:]
        for member in reader.members("states", maxCount: 64) {
            guard let end = MessageReceipt.End.allCases.first(where: { $0.rawValue == member.value.string }) else {
                reader.note("states", "'\(MemberReader.shown(member.name))' must be delivered, undelivered or expired")
                continue
            }
            states[member.name] = end
        }
        self.states = states
        signature = reader.object("signature") { inner in
            let scheme = inner.choice("scheme", of: ReceiptScheme.allCases)
            let key = inner.text("key", maxBytes: 64, required: true)
            guard let scheme, let key else { return nil }
            let setting = known.first { $0.name.utf8.elementsEqual(key.utf8) }
            if setting == nil { inner.note("key", "is no setting and no secret") }
            return Signature(scheme: scheme, key: key, isKeyOptional: setting?.isOptional ?? false)
        }
        if let scheme = signature?.scheme, scheme.coversBodyOnly, source == .query {
            reader.note("from", "must be form or json: \(scheme.rawValue) signs the body, and not the query")
        }
        if let scheme = signature?.scheme, scheme.coversFieldsOnly, source == .json {
            reader.note("from", "must be form or query: \(scheme.rawValue) signs the fields of a form")
        }
        answer = reader.text("answer", maxBytes: 64)
        guard reader.mistakeCount == mistakes else { return nil }
    }

    /// What a call says.
    /// - Parameter systemNow: against which times of signatures are held.
    func receipt(
        in call: ReceiptCall, _ values: GatewayValues, _ crypto: GatewayCrypto, at systemNow: Timestamp
    ) throws(ReceiptRefusal) -> MessageReceipt {
        // A form comes in the query of a GET, unless nothing signs it there.
        let isGet = call.method.utf8.elementsEqual("GET".utf8) && signature?.scheme.coversBodyOnly != true
        let isQuery = source == .query || isGet
        let form = FormFields(isQuery ? call.query : call.body)
        if let signature, !signature.isKeyOptional || values[signature.key] != nil {
            guard let key = values[signature.key],
                signature.scheme.isGenuine(call, key: key, crypto, at: systemNow)
            else { throw .signature }
        }
        let read: (String) -> String?
        switch source {
        case .form, .query:
            guard let form else { throw .malformed(reason: "the fields are no form") }
            read = { form.value(of: $0) }
        case .json:
            guard let document = try? JSONValue.parse(call.body) else {
                throw .malformed(reason: "the body is no JSON")
            }
            read = { GatewayPointer($0)?.text(in: document) }
        }
        guard let state = read(state) else { throw .malformed(reason: "there is no state") }
        // A dictionary hashes text, in time that grows with the square of what a caller sends.
        let isPlain = state.utf8.count <= Self.maxStateBytes && state.utf8.allSatisfy { $0 < 0x80 }
        return MessageReceipt(isPlain ? states[state] : nil, code: code.flatMap(read))
    }
}

/// The fields of a form (`application/x-www-form-urlencoded`), in their order.
struct FormFields {
    static let most = 128

    let fields: [(name: String, value: String)]

    /// `nil`: there are too many, or an escape is none.
    init?(_ bytes: [UInt8]) {
        var fields: [(name: String, value: String)] = []
        for part in bytes.split(separator: UInt8(ascii: "&")) {
            guard fields.count < Self.most else { return nil }
            let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            guard let name = PercentCoding.decodeForm(part[..<end]),
                let value = PercentCoding.decodeForm(end < part.endIndex ? part[(end + 1)...] : [])
            else { return nil }
            fields.append((name, value))
        }
        self.fields = fields
    }

    /// By the bytes of their names.
    var sorted: [(name: String, value: String)] {
        fields.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// The same, and each field once.
    var distinct: [(name: String, value: String)] {
        let sorted = fields.sorted {
            $0.name.utf8.elementsEqual($1.name.utf8)
                ? $0.value.utf8.lexicographicallyPrecedes($1.value.utf8)
                : $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }
        return sorted.enumerated().filter { index, field in
            guard index > 0 else { return true }
            let before = sorted[index - 1]
            return !before.name.utf8.elementsEqual(field.name.utf8)
                || !before.value.utf8.elementsEqual(field.value.utf8)
        }.map(\.element)
    }

    func value(of name: String) -> String? {
        fields.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }
}
