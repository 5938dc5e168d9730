internal import Possession
internal import Text

/// Notes of one server as a text for NOTIFY, which takes fewer than 8000 bytes:
///
///     17cAZ...wAZ...e
///
/// It begins with the number of the server. Each note is a letter, with the ID of its session as Base64url.
package struct WakePayload: Sendable {
    private static let changed = UInt8(ascii: "c")
    private static let watched = UInt8(ascii: "w")
    private static let events = UInt8(ascii: "e")
    private static let idLength = 22
    /// With a number of 19 digits, a text has at most 6919 bytes.
    private static let mostNotes = 300

    /// In table `servers`.
    package let server: Int64
    package let notes: [WakeNote]

    /// `nil`: no server has made the text. Notes of a newer build are left out, from the first that is unknown here.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        let number = bytes.prefix { (48...57).contains($0) }
        guard let server = Int64(String(decoding: number, as: UTF8.self)) else { return nil }
        self.server = server
        var notes: [WakeNote] = []
        var rest = bytes.dropFirst(number.count)
        while let letter = rest.popFirst() {
            if letter == Self.events {
                notes.append(.events)
                continue
            }
            guard letter == Self.changed || letter == Self.watched,
                let id = Base64URL.decode(rest.prefix(Self.idLength)), id.count == 16
            else { break }
            rest = rest.dropFirst(Self.idLength)
            notes.append(letter == Self.changed ? .changed(AuthID(bytes: id)) : .watched(AuthID(bytes: id)))
        }
        self.notes = notes
    }

    /// - Returns: as many texts as the notes need.
    package static func texts(of notes: [WakeNote], from server: Int64) -> [String] {
        stride(from: 0, to: notes.count, by: mostNotes).map { start in
            var text = Array("\(server)".utf8)
            for note in notes[start..<min(start + mostNotes, notes.count)] { append(note, to: &text) }
            return String(decoding: text, as: UTF8.self)
        }
    }

    private static func append(_ note: WakeNote, to text: inout [UInt8]) {
        switch note {
        case .changed(let id):
            text.append(changed)
            Base64URL.append(id.bytes, to: &text)
        case .watched(let id):
            text.append(watched)
            Base64URL.append(id.bytes, to: &text)
        case .events: text.append(events)
        }
    }
}
