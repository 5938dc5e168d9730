internal import HTTPServer
internal import StrictJSON
internal import SurfaceKit

// Forms of the members of answers. In the vendor's answers a member without a value is `null`.

extension Output where Value == SID {
    static func sid(_ kind: SID.Kind) -> Output { Output(.sid(kind)) { .string($0.text) } }
}

extension Output where Value == String? {
    /// A text, or `null`.
    static var textOrNull: Output {
        Output(Schema(["type": ["string", "null"]])) { $0.map { .string($0) } ?? .null }
    }
}

extension ResponseReply<Nothing> {
    /// The answer to a call that has removed something.
    static let removed = ResponseReply([Answer(status: 204, about: "It is removed.")]) { _ in Response(status: 204) }
}

extension ReplyMember {
    /// A member that is always `null` here.
    static func null(_ name: String, _ about: String = "") -> ReplyMember {
        always(name, Output<Void>(Schema(["type": ["string", "null"]])) { _ in .null }, about) { _ in () }
    }

    /// A member that always has the same value.
    static func fixed(_ name: String, _ value: Bool, _ about: String = "") -> ReplyMember {
        always(name, .flag, about) { _ in value }
    }

    /// A map that is always empty.
    static func empty(_ name: String, _ about: String = "") -> ReplyMember {
        always(name, .object(Schema(["type": "object"])), about) { _ in JSONObject() }
    }
}
