/// How large the body of a call may be. A route's `BodyRule` has its bytes, and the API description its number.
package struct BodyBound: Sendable, Equatable {
    /// As many as a connection takes for the call; `nil`: as many as the server takes at all (`server.maxBodyBytes`).
    package let bytes: Int?
    /// As many as the body may have where that is less than its bytes, an escape counting as the character it stands for:
    /// a text is not refused for being written in another way.
    package var characters: Int?

    /// Nobody reads a body of the call.
    package static let none = BodyBound(bytes: 0)
    /// Forms, and calls with short texts (contract section 8).
    package static let short = BodyBound(bytes: 4096)
    /// Calls about one session, which have texts of the API client. The longest of them take 12 KiB as escapes.
    package static let session = BodyBound(bytes: 16_384, characters: 4096)
    /// Calls of an app's SDK, which tells of its phone in each of them.
    package static let app = BodyBound(bytes: 16_384)
    /// Calls of a server that has one message sent, and tells what the text is made of.
    package static let message = BodyBound(bytes: 16_384)
    /// Calls of a backend that passes on what an app has sent to it.
    package static let passedOn = BodyBound(bytes: 65_536)
    /// Calls about one person: 20 attributes take 90 KiB as escapes, ten addresses and e-mails 190 KiB.
    package static let person = BodyBound(bytes: 262_144)
    /// The bound for an event that a receiver takes.
    package static let event = BodyBound(bytes: 65_536)
    /// Up to 1,000 people at once.
    package static let batch = BodyBound(bytes: nil)

    /// The one number that callers are told.
    package var text: String {
        if let characters { return "\(characters) characters" }
        return bytes.map { "\($0) bytes" } ?? "as many bytes as the server takes (server.maxBodyBytes)"
    }

    package func admits(_ body: [UInt8]) -> Bool {
        guard body.count <= bytes ?? .max else { return false }
        guard let characters, body.count > characters else { return true }
        return Self.characters(in: body) <= characters
    }

    /// Bytes that begin a character, each escape of JSON as one. Half of a surrogate pair counts as one as well.
    private static func characters(in body: [UInt8]) -> Int {
        var count = 0
        var index = 0
        while index < body.count {
            let byte = body[index]
            if byte == UInt8(ascii: "\\") {
                index += index + 1 < body.count && body[index + 1] == UInt8(ascii: "u") ? 6 : 2
                count += 1
                continue
            }
            if byte & 0xC0 != 0x80 { count += 1 }
            index += 1
        }
        return count
    }
}
