package import Possession
package import StrictJSON
internal import Text

/// The first rule that a field breaks. Contains the field's name and the reason, never the value (API-06).
public struct FieldDefect: Error, Sendable, Equatable {
    package let field: String
    package let reason: String

    package init(_ field: String, _ reason: String) {
        self.field = field
        self.reason = reason
    }

    package var message: String { "field '\(field)' \(reason)" }

    @usableFromInline
    package static func missing(_ field: String) -> FieldDefect { FieldDefect(field, "is missing") }
}

/// Reads the members of a body one by one, in the order of the endpoint's declaration, so that the same mistake is
/// always reported first. JSON `null` and an empty text count as absent, and types are not converted (contract section
/// 8).
public struct FieldReader {
    package let object: JSONObject

    package init(_ object: JSONObject) {
        self.object = object
    }

    /// Refuses members that the endpoint does not know (API-09). A name is repeated in the error only if it is a plain
    /// one.
    package func refuseOthers(than known: [String]) throws(FieldDefect) {
        guard
            let stranger = object.members.first(where: { member in !known.contains { $0.isSame(as: member.name) } })?
                .name
        else { return }
        let isPlain =
            (1...32).contains(stranger.utf8.count)
            && stranger.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }
        throw isPlain ? FieldDefect(stranger, "is not known") : FieldDefect("?", "is not known")
    }

    @usableFromInline
    package func has(_ name: String) -> Bool { object.has(name) }

    /// `nil` for `null`, and for an empty text regardless of the member's type: some SDKs send every member of a
    /// request (Prove 13.3).
    private func value(_ name: String) -> JSONValue? {
        switch object[name] {
        case nil, .null: nil
        case .string(let text)? where text.utf8.isEmpty: nil
        case let value?: value
        }
    }

    /// An optional text.
    package func text(_ name: String, _ rule: TextRule) throws(FieldDefect) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string else { throw FieldDefect(name, "must be a string") }
        if let defect = rule.defect(of: text) { throw FieldDefect(name, defect) }
        return text
    }

    /// A required text. An empty one counts as missing.
    package func requiredText(_ name: String, _ rule: TextRule) throws(FieldDefect) -> String {
        guard let text = try text(name, rule) else { throw .missing(name) }
        return text
    }

    package func flag(_ name: String) throws(FieldDefect) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let flag = value.bool else { throw FieldDefect(name, "must be true or false") }
        return flag
    }

    /// A whole number without fraction or exponent.
    package func integer(_ name: String) throws(FieldDefect) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let integer = value.integer else { throw FieldDefect(name, "must be a whole number") }
        return integer
    }

    package func object(_ name: String) throws(FieldDefect) -> JSONObject? {
        guard let value = value(name) else { return nil }
        guard let object = value.object else { throw FieldDefect(name, "must be an object") }
        return object
    }

    /// Reads the members of an object with `read`; a defect in it names the whole path.
    package func inside<Value>(
        _ name: String, _ read: (FieldReader) throws(FieldDefect) -> Value?
    ) throws(FieldDefect) -> Value? {
        guard let object = try object(name) else { return nil }
        do throws(FieldDefect) { return try read(FieldReader(object)) } catch {
            throw FieldDefect("\(name).\(error.field)", error.reason)
        }
    }

    /// Checks the members of an object in the same way.
    package func check(_ name: String, _ read: (FieldReader) throws(FieldDefect) -> Void) throws(FieldDefect) {
        _ = try inside(name) { (members) throws(FieldDefect) -> Bool? in
            try read(members)
            return true
        }
    }

    /// Refuses a member for a feature that this server does not have: ignoring it would let the caller wait for its
    /// effect.
    package func refuseUnsupported(_ names: String...) throws(FieldDefect) {
        if let name = names.first(where: { value($0) != nil }) {
            throw FieldDefect(name, "is not supported by this server")
        }
    }

    package func array(_ name: String) throws(FieldDefect) -> [JSONValue]? {
        guard let value = value(name) else { return nil }
        guard let elements = value.array else { throw FieldDefect(name, "must be an array") }
        return elements
    }

    /// One of the values of an enumeration, spelled exactly; an empty text counts as absent.
    package func choice<Choice: RawRepresentable<String>>(
        _ name: String, _ choices: [Choice]
    ) throws(FieldDefect) -> Choice? {
        guard let value = value(name) else { return nil }
        guard let text = value.string else { throw FieldDefect(name, "must be a string") }
        guard let choice = choices.first(where: { $0.rawValue.isSame(as: text) }) else {
            throw FieldDefect(name, "must be one of \(choices.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    /// A required choice; an empty text counts as missing.
    package func requiredChoice<Choice: RawRepresentable<String>>(
        _ name: String, _ choices: [Choice]
    ) throws(FieldDefect) -> Choice {
        guard let choice = try choice(name, choices) else { throw .missing(name) }
        return choice
    }

    package func identifier<ID: Identifier>(_ name: String, _ type: ID.Type) throws(FieldDefect) -> ID? {
        guard let text = try text(name, .any) else { return nil }
        guard let id = ID(text) else { throw FieldDefect(name, "must be a UUID") }
        return id
    }
}
