internal import Engine
internal import Possession
internal import StrictJSON
internal import Text

/// The form of one kind of gateway's receipts.
struct ReceiptForm: Sendable, Equatable {
    enum Source: String, CaseIterable { case form, query, json }

    struct Signature: Sendable, Equatable {
        let scheme: ReceiptScheme
        /// The name of the setting that holds the key.
        let key: String
        /// The name of the setting with the key for receipts whose header names that key.
        let sharedKey: String?
        /// An operator may leave the key out; the receipts are then not signed.
        let isKeyOptional: Bool
    }

    /// A field, and the values of which it must have one.
    private struct Condition: Sendable, Equatable {
        /// A field's name, or a JSON pointer.
        let name: String
        let values: [String]
    }

    /// Longest name of a state, in bytes.
    private static let maxStateBytes = 64

    private let source: Source
    /// A field's name, or a JSON pointer.
    private let state: String
    private let code: String?
    private let states: [String: MessageReceipt.End]
    /// If one of these holds, the message is still on its way, whatever its state is called.
    private let underWay: [Condition]
    let signature: Signature?
    /// The body that the carrier expects; `nil`: the answer is empty.
    let answer: String?
    /// Seconds within which a message's first receipt arrives, whatever it says. 0: unknown.
    let withinSeconds: Int

    /// - Parameter known: the names of settings, and whether each may be missing.
    /// - Returns: `nil` after a mistake, which the reader has recorded.
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
        underWay = Self.conditions(&reader, isJSON: source == .json)
        signature = reader.object("signature") { inner in
            let scheme = inner.choice("scheme", of: ReceiptScheme.allCases)
            let key = inner.text("key", maxBytes: 64, required: true)
            let sharedKey = inner.text("sharedKey", maxBytes: 64)
            guard let scheme, let key else { return nil }
            let setting = known.first { $0.name.utf8.elementsEqual(key.utf8) }
            if setting == nil { inner.note("key", "is no setting and no secret") }
            if let sharedKey {
                let isKnown = known.contains { $0.name.utf8.elementsEqual(sharedKey.utf8) }
                if !isKnown { inner.note("sharedKey", "is no setting and no secret") }
                if scheme != .twilio { inner.note("sharedKey", "is for the scheme twilio only") }
            }
            return Signature(
                scheme: scheme, key: key, sharedKey: sharedKey, isKeyOptional: setting?.isOptional ?? false)
        }
        if let scheme = signature?.scheme, scheme.coversBodyOnly, source == .query {
            reader.note("from", "must be form or json: \(scheme.rawValue) signs the body, and not the query")
        }
        if let scheme = signature?.scheme, scheme.coversFieldsOnly, source == .json {
            reader.note("from", "must be form or query: \(scheme.rawValue) signs the fields of a form")
        }
        answer = reader.text("answer", maxBytes: 64)
        withinSeconds = reader.wholeNumber("withinSeconds", in: 0...3600, or: 0)
        guard reader.mistakeCount == mistakes else { return nil }
    }

    private static func conditions(_ reader: inout MemberReader, isJSON: Bool) -> [Condition] {
        var conditions: [Condition] = []
        for member in reader.members("underWay", maxCount: 8) {
            let values = member.value.array ?? [member.value]
            let hasName = !isJSON || GatewayPointer(member.name) != nil
            guard hasName, !values.isEmpty, values.allSatisfy({ $0.string != nil }) else {
                reader.note(
                    "underWay",
                    "must have " + (isJSON ? "JSON pointers" : "names of fields")
                        + ", each with a text or a list of texts")
                continue
            }
            conditions.append(Condition(name: member.name, values: values.compactMap(\.string)))
        }
        return conditions
    }

    /// Reads the receipt in a call.
    /// - Parameter systemNow: compared with the times of signatures.
    func receipt(
        in call: ReceiptCall, _ values: GatewayValues, _ crypto: GatewayCrypto, at systemNow: Timestamp
    ) throws(ReceiptRefusal) -> MessageReceipt {
        // With GET, the form is in the query, unless the signature does not cover it there.
        let isGet = call.method.utf8.elementsEqual("GET".utf8) && signature?.scheme.coversBodyOnly != true
        let isQuery = source == .query || isGet
        let form = FormFields(isQuery ? call.query : call.body)
        if let signature, !signature.isKeyOptional || values[signature.key] != nil {
            let sharedKey = signature.scheme.isBySharedKey(call) ? signature.sharedKey.flatMap { values[$0] } : nil
            guard let key = sharedKey ?? values[signature.key],
                signature.scheme.isGenuine(call, key: key, crypto, at: systemNow)
            else { throw .signature }
        }
        let read: (String) -> String?
        switch source {
        case .form, .query:
            guard let form else { throw .malformed(reason: "there are more than \(FormFields.most) fields") }
            read = { form.value(of: $0) }
        case .json:
            guard let document = try? JSONValue.parse(call.body, limits: .ofCarriers) else {
                throw .malformed(reason: "the body is no JSON")
            }
            read = { GatewayPointer($0)?.text(in: document) }
        }
        guard let state = read(state) else {
            let isJSON = source == .form && call.body.first == UInt8(ascii: "{")
            throw .malformed(
                reason: isJSON
                    ? "the body is JSON, and must be a form: change how the provider sends receipts"
                    : "there is no state")
        }
        // A dictionary hashes text, in time that grows with the square of the text that a caller sends.
        let isPlain = state.utf8.count <= Self.maxStateBytes && state.utf8.allSatisfy { $0 < 0x80 }
        let isUnderWay = underWay.contains { condition in
            guard let text = read(condition.name) else { return false }
            return condition.values.contains { $0.utf8.elementsEqual(text.utf8) }
        }
        return MessageReceipt(isPlain && !isUnderWay ? states[state] : nil, code: code.flatMap(read))
    }
}

/// The fields of a form (`application/x-www-form-urlencoded`), in order, as bytes. Carriers include operators' texts,
/// in any alphabet, in fields that are never read.
struct FormFields {
    struct Field {
        let name: [UInt8]
        let value: [UInt8]
    }

    /// A carrier sends about twenty.
    static let most = 1024

    let fields: [Field]

    /// `nil`: there are too many fields.
    init?(_ bytes: [UInt8]) {
        let parts = bytes.split(separator: UInt8(ascii: "&"), maxSplits: Self.most)
        guard parts.count <= Self.most else { return nil }
        fields = parts.map { part in
            let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let value = end < part.endIndex ? part[(end + 1)...] : []
            return Field(name: PercentCoding.formBytes(part[..<end]), value: PercentCoding.formBytes(value))
        }
    }

    /// Sorted by the bytes of their names.
    var sorted: [Field] { fields.sorted { $0.name.lexicographicallyPrecedes($1.name) } }

    /// The same, without repeated fields.
    var distinct: [Field] {
        let sorted = fields.sorted {
            $0.name == $1.name
                ? $0.value.lexicographicallyPrecedes($1.value) : $0.name.lexicographicallyPrecedes($1.name)
        }
        return sorted.enumerated().filter { index, field in
            index == 0 || sorted[index - 1].name != field.name || sorted[index - 1].value != field.value
        }.map(\.element)
    }

    /// `nil`: there is no such field, or it is not UTF-8.
    func value(of name: String) -> String? {
        fields.first { $0.name.isSame(as: name) }.flatMap { String(validating: $0.value, as: UTF8.self) }
    }
}
