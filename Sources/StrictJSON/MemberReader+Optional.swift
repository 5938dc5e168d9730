/// Members that may be absent without a default, and objects inside an object.
extension MemberReader {
    package mutating func flag(_ name: String) -> Bool? {
        guard let value = value(name) else { return nil }
        if value.bool == nil { note(name, "must be true or false") }
        return value.bool
    }

    /// A whole number in `range`.
    package mutating func wholeNumber(_ name: String, in range: ClosedRange<Int>, required: Bool) -> Int? {
        guard let value = value(name, required: required) else { return nil }
        guard let number = value.integer.flatMap(Int.init(exactly:)), range.contains(number) else {
            note(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    /// A number from 0 to `most`, possibly with a fraction.
    package mutating func number(_ name: String, upTo most: Int) -> Double? {
        guard let value = value(name) else { return nil }
        let number: Double? =
            switch value {
            case .integer(let integer): Double(integer)
            case .number(let text): Double(text)
            default: nil
            }
        guard let number, (0...Double(most)).contains(number) else {
            note(name, "must be a number from 0 to \(most)")
            return nil
        }
        return number
    }

    /// The value that `read` makes from an object.
    package mutating func object<Value>(_ name: String, _ read: (inout MemberReader) -> Value?) -> Value? {
        guard let value = value(name) else { return nil }
        return object(value, at: path(name), read)
    }

    /// The values that `read` makes from the objects of a list.
    package mutating func objects<Value>(
        _ name: String, maxCount: Int, _ read: (inout MemberReader) -> Value?
    ) -> [Value] {
        list(name, maxCount: maxCount).compactMap { object($0.value, at: $0.place, read) }
    }

    private mutating func object<Value>(
        _ value: JSONValue, at place: String, _ read: (inout MemberReader) -> Value?
    ) -> Value? {
        var mistakes: [String] = []
        guard var inner = Self.reader(of: value, at: place, mistakes: &mistakes) else {
            adopt(mistakes)
            return nil
        }
        let read = read(&inner)
        adopt(inner.allMistakes())
        return read
    }
}
