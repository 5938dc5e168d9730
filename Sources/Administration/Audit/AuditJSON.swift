package import Engine
package import Possession
internal import StrictJSON
internal import Text
package import Tokens

/// The JSON form of a line of the audit log, as it is stored and as it is exported.
///
///     stored    {"number":17,"at":"2026-11-23T20:31:02.123Z","event":"client_secret_rotated",...,"previous":"<64 digits>"}
///     exported  the same with the line's own hash: ...,"previous":"<64 digits>","hash":"<64 digits>"}
///
/// To check an exported line, remove `,"hash":"..."` from it: the hash is of the remaining bytes.
package enum AuditJSON {
    /// - Parameter subject: the keyed digest of a number or an address.
    package static func line(
        _ entry: AuditEntry, _ number: Int64, _ previous: [UInt8], subject: (Target) -> [UInt8]
    ) -> [UInt8] {
        var object = JSONObject()
        object.set("number", number)
        object.set("at", RFC3339.text(milliseconds: entry.at.milliseconds, showsMilliseconds: true))
        object.set("event", entry.event.rawValue)
        object.set("actor", entry.actor.rawValue)
        object.set("result", entry.result.rawValue)
        object.set("client", entry.client?.text)
        object.set("address", entry.address)
        object.set("requestId", entry.requestID)
        object.set("subject", entry.target.map { Hex.text(subject($0)) })
        if !entry.detail.isEmpty {
            var detail = JSONObject()
            for (name, value) in entry.detail { detail.set(name, value) }
            object.set("detail", detail)
        }
        object.set("previous", Hex.text(previous))
        return object.serialized()
    }

    private static let hashMember = Array(#","hash":""#.utf8)

    /// The line that replaces a text that cannot be opened: `{"number":17,"damaged":true}`.
    private static func damaged(_ number: Int64) -> [UInt8] {
        let object: JSONObject = ["number": .integer(number), "damaged": true]
        return object.serialized()
    }

    /// Whether the text could not be opened when the line was exported.
    package static func isDamaged(_ line: AuditLine) -> Bool { line.text == damaged(line.number) }

    package static func exported(_ line: AuditLine) -> [UInt8] {
        let text = line.text.isEmpty ? damaged(line.number) : line.text
        return text.dropLast() + hashMember + Hex.text(line.hash).utf8 + Array(#""}"#.utf8)
    }

    /// Reads the output of `exported`; `nil`: the bytes have another form.
    package static func read(_ bytes: [UInt8]) -> AuditLine? {
        let tail = hashMember.count + 64 + 2
        guard bytes.count > tail, bytes.suffix(2) == Array(#""}"#.utf8)[...],
            bytes.suffix(tail).prefix(hashMember.count) == hashMember[...],
            let hash = Hex.bytes(String(decoding: bytes.suffix(66).prefix(64), as: UTF8.self))
        else { return nil }
        let text = Array(bytes.dropLast(tail)) + [UInt8(ascii: "}")]
        guard let number = number(of: text) else { return nil }
        return AuditLine(number: number, text: text, hash: hash)
    }

    private static func number(of text: [UInt8]) -> Int64? {
        guard let object = try? JSONObject.parse(text) else { return nil }
        return object["number"]?.integer
    }

    static func time(_ text: [UInt8]) -> Timestamp? {
        guard let object = try? JSONObject.parse(text), let at = object["at"]?.string else { return nil }
        return RFC3339.milliseconds(at.utf8).map { Timestamp(milliseconds: $0) }
    }

    /// The number of a line, and the hash of the line before it, as the line states them.
    static func previous(_ text: [UInt8]) -> (number: Int64, hash: [UInt8])? {
        guard let object = try? JSONObject.parse(text), let number = object["number"]?.integer,
            let previous = object["previous"]?.string, let hash = Hex.bytes(previous)
        else { return nil }
        return (number, hash)
    }
}

extension AuditForm {
    /// - Throws: `TokenFault`: a key cannot be derived.
    package convenience init(
        _ master: MasterKey, subject: @escaping @Sendable (Target) -> [UInt8]
    ) throws(TokenFault) {
        let key = KeyedHash(key: try master.subkey(.audit))
        self.init(
            line: { AuditJSON.line($0, $1, $2, subject: subject) }, time: { AuditJSON.time($0) },
            hash: { SHA256.digest($0) },
            code: { key.digest($0) })
    }
}
