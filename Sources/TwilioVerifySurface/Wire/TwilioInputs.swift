internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

// Rules for the parameters of forms and paths. All values in a form are texts.

extension Input where Value == Bool {
    /// Accepts any case: some languages write True.
    static var formFlag: Input {
        Input<String>.text(.any).map(orFail: "must be true or false") { text -> Bool? in
            if text.isSameIgnoringCase(as: "true") { return true }
            return text.isSameIgnoringCase(as: "false") ? false : nil
        }.described(as: Schema.flag)
    }
}

extension Input where Value == JSONObject {
    /// A map: JSON inside a text.
    static var jsonText: Input {
        Input<String>.text(.any).map(orFail: "must be a JSON object") { text -> JSONObject? in
            try? JSONObject.parse(Array(text.utf8))
        }.described(as: .text())
    }
}

extension Input where Value == Int {
    static func formInteger(_ range: ClosedRange<Int>) -> Input {
        Input<String>.text(.any).map(
            orFail: "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
        ) { text -> Int? in
            // At most 18 digits, which every `Int` can hold.
            guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else {
                return nil
            }
            return Int(text).flatMap { range.contains($0) ? $0 : nil }
        }.described(as: .integer(range))
    }
}

extension Input where Value == [NamedText] {
    /// A map of texts: JSON inside a text.
    /// - Parameters:
    ///   - most: the most entries.
    ///   - mostBytes: the most bytes of a text, which must not be empty.
    static func texts(_ most: Int, mostBytes: Int) -> Input {
        Input<JSONObject>.jsonText.map(
            orFail: "must be a JSON object of at most \(most) texts of 1 to \(mostBytes) bytes"
        ) { object -> [NamedText]? in
            guard object.count <= most else { return nil }
            let texts = object.members.compactMap { member in
                member.value.string.flatMap { text in
                    (1...mostBytes).contains(text.utf8.count) ? NamedText(name: member.name, value: text) : nil
                }
            }
            return texts.count == object.count ? texts : nil
        }
    }
}

/// An entry of a map.
struct NamedText: Sendable {
    let name: String
    let value: String
}

extension Input where Value == OTP {
    static var code: Input {
        Input<String>.text(.any).map(orFail: "must be 4 to 10 digits") { OTP($0) }
            .described(as: .text(pattern: "^[0-9]{4,10}$"))
    }
}

extension Input where Value == SID {
    static func sid(_ kind: SID.Kind) -> Input {
        Input<String>.text(.any).map(orFail: "must be \(kind.rawValue) and 32 hexadecimal digits") { SID($0, of: kind) }
            .described(as: .sid(kind))
    }
}

extension Input where Value == String {
    /// The text of a number. It is validated later: for a channel that is not served it is never read.
    static var target: Input { filledText(TextRule(maxCharacters: 254, alphabet: .freeText)) }
}

extension ParameterInput where Value == SID {
    static func sid(_ kind: SID.Kind) -> ParameterInput {
        ParameterInput(.sid(kind)) { (text, name) throws(FieldDefect) in
            guard let sid = SID(text, of: kind) else { throw FieldDefect(name, "is no SID of this kind") }
            return sid
        }
    }
}

extension Schema {
    static func sid(_ kind: SID.Kind) -> Schema { .text(pattern: "^\(kind.rawValue)[0-9a-fA-F]{32}$") }
}

extension ParameterMember where Refusal == TwilioError {
    /// The service in the path. `TwilioGate` has already checked that it is the caller's.
    static var service: ParameterMember {
        .path(TwilioGate.serviceSID, .sid(.service), "The service.", orRefuse: .notFound) { _, _ in }
    }
}
