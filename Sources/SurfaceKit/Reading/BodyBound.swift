/// The maximum size of a call's body. A route's `BodyRule` uses its bytes, and the API description its text.
package struct BodyBound: Sendable, Equatable {
    /// The most bytes that a connection accepts for the call; `nil`: the server's own limit (`server.maxBodyBytes`).
    package let bytes: Int?
    /// The most characters, if that limit is below the bytes. An escape counts as the character it stands for, so that
    /// a text is not refused because of its encoding.
    package var characters: Int?

    /// The call has no body.
    package static let none = BodyBound(bytes: 0)
    /// Forms, and calls with short texts (contract section 8).
    package static let short = BodyBound(bytes: 4096)
    /// Calls about one session, with texts of the API client. The longest take 12 KiB as escapes.
    package static let session = BodyBound(bytes: 16_384, characters: 4096)
    /// Calls of an app's SDK, each with data about its phone.
    package static let app = BodyBound(bytes: 16_384)
    /// Calls of a server that requests one message, with the parts of its text.
    package static let message = BodyBound(bytes: 16_384)
    /// Calls of a backend that forwards data from an app.
    package static let passedOn = BodyBound(bytes: 65_536)
    /// Calls about one person: 20 attributes take 90 KiB as escapes, ten addresses and e-mails 190 KiB.
    package static let person = BodyBound(bytes: 262_144)
    /// For an event that a receiver gets.
    package static let event = BodyBound(bytes: 65_536)
    /// Up to 1,000 people at once.
    package static let batch = BodyBound(bytes: nil)

    /// The limit as shown to callers.
    package var text: String {
        if let characters { return "\(characters) characters" }
        return bytes.map { "\($0) bytes" } ?? "as many bytes as the server takes (server.maxBodyBytes)"
    }

    package func admits(_ body: [UInt8]) -> Bool {
        guard body.count <= bytes ?? .max else { return false }
        guard let characters, body.count > characters else { return true }
        return Self.characters(in: body) <= characters
    }

    /// Counts bytes that begin a character, and each JSON escape as one character. Half of a surrogate pair also counts
    /// as one.
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
