internal import Possession
internal import Text

/// An e-mail in its wire form (RFC 5322): plain text in UTF-8, with lines that end in CR LF.
///
///     MailMessage(from: sender, name: "Shop", to: recipient, subject: "Ihr Code", text: "...", id: "0198-...", at: now).bytes
///
/// A value cannot start another header: addresses have a narrow form, and all other text that is not plain ASCII is
/// encoded.
struct MailMessage: Sendable {
    /// Longest line without its end (RFC 5322 section 2.1.1, RFC 2045 section 6.7).
    private static let maxLineBytes = 76
    /// Longest encoded word: its line has at most 76 bytes, including the name of its header (RFC 2047 section 2).
    private static let maxWordBytes = 66

    let from: EmailAddress
    /// The sender's name that recipients see.
    let name: String?
    let to: EmailAddress
    let subject: String
    let text: String
    /// The same on every try, so that a mail server can recognize a repeated message.
    let id: String
    let at: Timestamp

    var bytes: [UInt8] {
        let sender = name.map { Self.phrase($0) + " <\(from.text)>" } ?? from.text
        let headers = [
            ("Date", MailDate.text(at)), ("Message-ID", "<\(id)@\(from.domain)>"), ("From", sender), ("To", to.text),
            ("Subject", Self.unstructured(subject)), ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"), ("Content-Transfer-Encoding", "quoted-printable"),
            // Prevents automatic replies (RFC 3834 section 5).
            ("Auto-Submitted", "auto-generated"),
        ]
        let head = headers.map { "\($0): \($1)\r\n" }.joined()
        return Array("\(head)\r\n".utf8) + Self.quotedPrintable(text)
    }

    // MARK: Headers

    /// A display name (RFC 5322 section 3.4): a quoted string, or encoded words.
    private static func phrase(_ text: String) -> String {
        guard isPlain(text), text.utf8.count <= maxWordBytes else { return encodedWords(text) }
        let quoted = text.utf8.flatMap { byte -> [UInt8] in
            byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? [UInt8(ascii: "\\"), byte] : [byte]
        }
        return "\"" + String(decoding: quoted, as: UTF8.self) + "\""
    }

    private static func unstructured(_ text: String) -> String {
        // A text that looks like an encoded word would be decoded as one.
        let isShort = "Subject: ".utf8.count + text.utf8.count <= maxLineBytes
        return isPlain(text) && isShort && text.utf8.firstRange(of: Array("=?".utf8)) == nil ? text : encodedWords(text)
    }

    /// Visible ASCII and blanks.
    private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }

    /// Words in base64 of UTF-8, each of whole characters, each on its own line (RFC 2047).
    private static func encodedWords(_ text: String) -> String {
        let (start, end) = ("=?utf-8?B?", "?=")
        // Four characters for three bytes.
        let most = (maxWordBytes - start.utf8.count - end.utf8.count) / 4 * 3
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > most { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { start + Base64.encode($0) + end }.joined(separator: "\r\n ")
    }

    // MARK: The body

    /// Encodes each line of the text (RFC 2045 section 6.7). A line end, LF or CR LF, becomes CR LF.
    static func quotedPrintable(_ text: String) -> [UInt8] {
        var encoded: [UInt8] = []
        for line in lines(of: text) { encoded += quoted(line) + [0x0D, 0x0A] }
        return encoded
    }

    private static func lines(of text: String) -> [ArraySlice<UInt8>] {
        Array(text.utf8).split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            line.last == 0x0D ? line.dropLast() : line
        }
    }

    private static func quoted(_ line: ArraySlice<UInt8>) -> [UInt8] {
        var encoded: [UInt8] = []
        var width = 0
        for (index, byte) in zip(line.indices, line) {
            let isLast = index == line.endIndex - 1
            let isBlank = byte == 0x20 || byte == 0x09
            let isLiteral = isBlank ? !isLast : (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=")
            let piece = isLiteral ? [byte] : [UInt8(ascii: "=")] + Hex.text([byte]).uppercased().utf8
            // One column is reserved for the `=` of a line that continues.
            if width + piece.count > maxLineBytes - (isLast ? 0 : 1) {
                encoded += [UInt8(ascii: "="), 0x0D, 0x0A]
                width = 0
            }
            encoded += piece
            width += piece.count
        }
        return encoded
    }
}

/// A time in the form of mail (RFC 5322 section 3.3), in UTC: `Thu, 26 Nov 2026 03:28:04 +0000`.
enum MailDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static func text(_ moment: Timestamp) -> String {
        // `2026-11-26T03:28:04Z`
        let parts = RFC3339.text(milliseconds: moment.milliseconds).utf8.split { !(48...57).contains($0) }
            .map { String(decoding: $0, as: UTF8.self) }
        let month = Int(parts[1]).map { months[$0 - 1] } ?? ""
        // 1 January 1970 was a Thursday.
        let day = days[Int(((moment.seconds / 86_400) % 7 + 7) % 7)]
        return "\(day), \(parts[2]) \(month) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) +0000"
    }
}
