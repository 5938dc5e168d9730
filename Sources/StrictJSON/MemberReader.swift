/// Reads the members of one object of a configuration file. Records every mistake with its place instead of stopping at
/// the first. A mistake contains the member and the reason, never the value.
package struct MemberReader {
    private let object: JSONObject
    /// The place of the object, such as `users[3].person`.
    private let place: String
    private var known: Set<String> = []
    private var mistakes: [String] = []

    /// Returns `nil`, and records a mistake, when `value` is not an object.
    package static func reader(of value: JSONValue, at place: String, mistakes: inout [String]) -> MemberReader? {
        guard let object = value.object else {
            mistakes.append("\(place): must be an object")
            return nil
        }
        return MemberReader(object, at: place)
    }

    package init(_ object: JSONObject, at place: String) {
        self.object = object
        self.place = place
    }

    /// Every mistake so far, and the members that were never read.
    package func allMistakes() -> [String] {
        mistakes + object.names.filter { !known.contains($0) }.map { "\(path(Self.shown($0))): unknown member" }
    }

    /// Number of recorded mistakes.
    package var mistakeCount: Int { mistakes.count }

    package func has(_ name: String) -> Bool { object.has(name) }

    package mutating func note(_ name: String, _ reason: String) {
        mistakes.append("\(path(name)): \(reason)")
    }

    /// Adds the mistakes of an object inside this one.
    package mutating func adopt(_ inner: [String]) {
        mistakes += inner
    }

    package func path(_ name: String) -> String {
        place.isEmpty ? name : "\(place).\(name)"
    }

    // MARK: Members

    /// The value of a member; `nil` when it is absent, which is a mistake if it is required.
    package mutating func value(_ name: String, required: Bool = false) -> JSONValue? {
        known.insert(name)
        let value = object[name]
        if value == nil, required { note(name, "is missing") }
        return value
    }

    /// Text of 1 to `maxBytes` bytes of UTF-8 without control characters.
    package mutating func text(_ name: String, maxBytes: Int, required: Bool = false) -> String? {
        guard let value = value(name, required: required) else { return nil }
        let reason = Self.textMistake(value, maxBytes: maxBytes)
        if let reason { note(name, reason) }
        return reason == nil ? value.string : nil
    }

    /// Text that satisfies `rule`; otherwise the mistake is `reason`.
    package mutating func text(
        _ name: String, required: Bool = false, reason: String, where rule: (String) -> Bool
    ) -> String? {
        guard let value = value(name, required: required) else { return nil }
        guard let text = value.string, rule(text) else {
            note(name, reason)
            return nil
        }
        return text
    }

    /// One of the named values; `fallback` when the member is absent. Without a fallback it is required.
    package mutating func choice<Choice: RawRepresentable<String>>(
        _ name: String, of choices: [Choice], or fallback: Choice? = nil
    ) -> Choice? {
        guard let value = value(name, required: fallback == nil) else { return fallback }
        guard let choice = choices.first(where: { $0.rawValue == value.string }) else {
            note(name, "must be one of " + choices.map(\.rawValue).joined(separator: ", "))
            return nil
        }
        return choice
    }

    package mutating func bool(_ name: String, or fallback: Bool) -> Bool {
        guard let value = value(name) else { return fallback }
        if value.bool == nil { note(name, "must be true or false") }
        return value.bool ?? fallback
    }

    /// A whole number in `range`; `fallback` when the member is absent.
    package mutating func wholeNumber(_ name: String, in range: ClosedRange<Int>, or fallback: Int) -> Int {
        guard let value = value(name) else { return fallback }
        guard let number = value.integer.flatMap(Int.init(exactly:)), range.contains(number) else {
            note(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            return fallback
        }
        return number
    }

    /// A list of at most `maxCount` values, each with its place; empty when the member is absent or not a list.
    package mutating func list(
        _ name: String, mayBeEmpty: Bool = true, maxCount: Int, required: Bool = false
    ) -> [(place: String, value: JSONValue)] {
        guard let value = value(name, required: required) else { return [] }
        guard let elements = value.array else {
            note(name, "must be a list")
            return []
        }
        guard mayBeEmpty || !elements.isEmpty else {
            note(name, "must not be empty")
            return []
        }
        guard elements.count <= maxCount else {
            note(name, "has more than \(maxCount) entries")
            return []
        }
        return elements.enumerated().map { ("\(path(name))[\($0.offset)]", $0.element) }
    }

    // MARK: Rules

    /// The mistake in a text; `nil`: none.
    package static func textMistake(_ value: JSONValue, maxBytes: Int) -> String? {
        guard let text = value.string else { return "must be text" }
        guard !text.isEmpty else { return "must not be empty" }
        guard text.utf8.count <= maxBytes else { return "is longer than \(maxBytes) bytes" }
        let isPrintable = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
        return isPrintable ? nil : "must not contain control characters"
    }

    /// A member name that is safe to show in a message: an unknown name may contain anything.
    package static func shown(_ name: String) -> String {
        let isPlain = name.utf8.count <= 64 && textMistake(.string(name), maxBytes: 64) == nil
        return isPlain ? name : "(a member with an odd name)"
    }
}
