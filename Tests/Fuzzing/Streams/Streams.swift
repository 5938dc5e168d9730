internal import Glibc
@testable import HTTPServer

/// Reads streams of requests from its input, each behind its length in four bytes, and writes for each one line: how the
/// server reads it, in JSON. `compare.py` runs it.
@main
struct Streams {
    static func main() {
        while let length = number(), let stream = bytes(length) {
            print(line(stream))
            fflush(nil)
        }
    }

    /// How one stream is read:
    ///
    ///     {"messages":[{"method":"GET","target":"/a?b","fields":["name","value"],"body":"","end":40,"keepsAlive":true}],
    ///      "refusal":"400 no Host","isIdle":false}
    ///
    /// What comes from the stream is in hexadecimal; `end` counts its bytes up to the end of the message.
    private static func line(_ stream: [UInt8]) -> String {
        var parser = RequestParser(limits: Limits())
        var head: RequestHead?
        var messages: [String] = []
        var refusal: String?
        var next = 0
        reading: while true {
            switch parser.feed(stream.span, from: &next, to: stream.count) {
            case .needMore: break reading
            case .head(let arrived):
                head = arrived
                parser.receiveBody(keeping: true, limit: Limits().maxBodyBytes)
            case .complete:
                let body = parser.takeBody()
                guard let head else { break reading }
                messages.append(shown(head, body, end: next))
                // A connection reads no further than this.
                if !head.keepsAlive { break reading }
            case .failed(let failure):
                refusal = words(failure)
                break reading
            }
        }
        let refused = refusal.map { "\"\($0)\"" } ?? "null"
        return """
            {"messages":[\(messages.joined(separator: ","))],"refusal":\(refused),"isIdle":\(parser.isIdle)}
            """
    }

    private static func words(_ failure: HTTPFailure) -> String {
        if case .badRequest(let reason) = failure { return "400 \(reason)" }
        return "\(failure.status)"
    }

    private static func shown(_ head: RequestHead, _ body: [UInt8], end: Int) -> String {
        let target =
            switch head.target.form {
            case .path: Array(head.target.path) + (head.target.query.isEmpty ? [] : [0x3F] + Array(head.target.query))
            case .asterisk: Array("*".utf8)
            case .authority: Array("authority".utf8)
            }
        let fields = head.headers.all.flatMap { [hex(Array($0.name.utf8)), hex(Array($0.value.utf8))] }
        return """
            {"method":"\(hex(Array(head.method.text.utf8)))","target":"\(hex(target))",\
            "fields":[\(fields.map { "\"\($0)\"" }.joined(separator: ","))],"body":"\(hex(body))","end":\(end),\
            "keepsAlive":\(head.keepsAlive)}
            """
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Four bytes, the most significant first; `nil` at the end of the input.
    private static func number() -> Int? {
        bytes(4).map { $0.reduce(0) { $0 << 8 | Int($1) } }
    }

    private static func bytes(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var piece = [UInt8](repeating: 0, count: count - bytes.count)
            let taken = read(0, &piece, piece.count)
            guard taken > 0 else { return nil }
            bytes += piece.prefix(taken)
        }
        return bytes
    }
}
