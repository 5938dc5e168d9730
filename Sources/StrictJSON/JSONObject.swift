internal import Text

/// A JSON object: members in the order of the text, names unique.
package struct JSONObject: Sendable, Equatable {
    package struct Member: Sendable, Equatable {
        package let name: String
        package var value: JSONValue

        package static func == (left: Member, right: Member) -> Bool {
            left.name.isSame(as: right.name) && left.value == right.value
        }
    }

    package private(set) var members: [Member]

    /// Capacity reserved with the first member: growing from one to eight members would cost four allocations.
    static let usualCount = 8

    package init() {
        members = []
    }

    /// For the parser, which has checked that names are unique.
    init(unique members: [Member]) {
        self.members = members
    }

    /// The value of `name`; setting `nil` removes the member. A new member is added at the end.
    package subscript(name: String) -> JSONValue? {
        get {
            guard let index = index(of: name) else { return nil }
            return members[index].value
        }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?):
                if members.isEmpty { members.reserveCapacity(Self.usualCount) }
                members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    package var names: [String] { members.map(\.name) }
    package var isEmpty: Bool { members.isEmpty }
    package var count: Int { members.count }

    package func has(_ name: String) -> Bool { index(of: name) != nil }

    /// Compares bytes: `==` of strings would treat the Kelvin sign U+212A as a K, and take more than linear time.
    private func index(of name: String) -> Int? {
        members.firstIndex { $0.name.isSame(as: name) }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue?)...) {
        self.init(elements)
    }

    /// If two values have the same name, the second is used.
    package init(_ elements: [(String, JSONValue?)]) {
        self.init()
        members.reserveCapacity(elements.count)
        for (name, value) in elements {
            self[name] = value
        }
    }
}

/// Sets a member; `nil` removes it.
extension JSONObject {
    package mutating func set(_ name: String, _ value: String?) { self[name] = value.map { .string($0) } }
    package mutating func set(_ name: String, _ value: Int64?) { self[name] = value.map { .integer($0) } }
    package mutating func set(_ name: String, _ value: Int?) { self[name] = value.map { .integer(Int64($0)) } }
    package mutating func set(_ name: String, _ value: Bool?) { self[name] = value.map { .bool($0) } }
    package mutating func set(_ name: String, _ value: JSONObject?) { self[name] = value.map { .object($0) } }
    package mutating func set(_ name: String, _ value: [String]?) {
        self[name] = value.map { .array($0.map { .string($0) }) }
    }
    package mutating func set(_ name: String, _ value: [JSONObject]?) {
        self[name] = value.map { .array($0.map { .object($0) }) }
    }
}

extension JSONObject {
    /// Reads exactly one object that fills `bytes`; any other value is refused (API-08).
    ///
    /// - Throws: `JSONError` for anything RFC 8259 or the rules of `JSONParser` refuse.
    package static func parse(_ bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) -> JSONObject {
        guard case .object(let object) = try JSONValue.parse(bytes, limits: limits) else {
            throw JSONError(reason: "the top is not an object", offset: 0)
        }
        return object
    }

    /// The object as JSON without white space.
    package func serialized() -> [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }
}
