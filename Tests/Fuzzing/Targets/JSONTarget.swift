@testable import StrictJSON

extension FuzzTarget {
    /// JSON texts: what is read can be written, and is then read as the same value.
    static let json = FuzzTarget("json") { bytes in
        // Wider limits take what the usual ones take, and the same of it.
        let trusted = try? JSONValue.parse(bytes, limits: .trusted)
        guard let value = try? JSONValue.parse(bytes) else { return }
        require(trusted == value, "the same under wider limits")
        let written = value.serialized()
        require((try? JSONValue.parse(written, limits: .trusted)) == value, "the same after writing")
        require((try? JSONValue.parse(written, limits: .trusted))?.serialized() == written, "written in one way")
        check(value)
        if case .object(let object) = value {
            require((try? JSONObject.parse(bytes)) == object, "an object is an object")
            require(object.serialized() == written, "written in one way")
        } else {
            require((try? JSONObject.parse(bytes)) == nil, "no other value is an object")
        }
    }

    private static func check(_ value: JSONValue) {
        switch value {
        case .object(let object):
            for (index, member) in object.members.enumerated() {
                require(object.has(member.name) && object[member.name] == member.value, "a member is found")
                if index < 64 {
                    let earlier = object.members[..<index]
                    require(!earlier.contains { $0.name.utf8.elementsEqual(member.name.utf8) }, "a name once")
                }
                check(member.value)
            }
        case .array(let elements): elements.forEach(check)
        case .number(let text): require(Double(text) != nil, "a number is one")
        case .null, .bool, .integer, .string: break
        }
    }
}
