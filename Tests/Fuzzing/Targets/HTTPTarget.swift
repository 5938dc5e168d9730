@testable import HTTPServer

extension FuzzTarget {
    /// Streams of requests: heads, bodies by length and in chunks, one behind the other.
    static let http = FuzzTarget("http", maxBytes: 8192) { bytes in
        var limits = Limits()
        limits.maxBodyBytes = 64 * 1024
        let whole = ReadStream(bytes, pieces: [bytes.count], limits)
        // However a stream is cut, it is the same stream.
        require(
            ReadStream(bytes, pieces: Array(repeating: 1, count: bytes.count), limits) == whole, "cut at every byte")
        require(ReadStream(bytes, pieces: pieces(of: bytes), limits) == whole, "cut as its bytes say")
        // A field that is no UTF-8 takes up to three times its room when it is written again.
        var wide = limits
        (wide.maxHeaderBytes, wide.maxHeaderFields) = (wide.maxHeaderBytes * 4, wide.maxHeaderFields + 2)
        for message in whole.messages {
            check(message)
            // A message that was understood can be written in the plainest way, and is then understood in the same way.
            let written = message.written
            let plain = ReadStream(written, pieces: [written.count], wide)
            require(plain.messages == [message.afterWriting] && plain.isIdle, "the same after writing")
        }
    }

    /// The chunked coding by itself: what it takes off, and that what was coded comes back.
    static let chunks = FuzzTarget("chunks", maxBytes: 8192) { bytes in
        let limits = Limits()
        let whole = DecodedChunks(bytes, pieces: [bytes.count], limits)
        require(DecodedChunks(bytes, pieces: Array(repeating: 1, count: bytes.count), limits) == whole, "cut anywhere")
        require(whole.body.count <= bytes.count, "no more than was sent")
        let sizes = pieces(of: bytes).filter { $0 > 0 }
        var coded: [UInt8] = []
        var next = 0
        for size in sizes {
            ResponseEncoder.appendChunk(bytes[next..<next + size], into: &coded)
            next += size
        }
        coded += ResponseEncoder.lastChunk
        let decoded = DecodedChunks(coded, pieces: pieces(of: coded), limits)
        require(decoded.verdict == .complete && decoded.body == bytes, "what was coded comes back")
        require(decoded.taken == coded.count, "all of it is taken")
    }

    private static func check(_ message: ReadStream.Message) {
        require(!message.method.isEmpty && message.method.utf8.allSatisfy { isToken($0) }, "a method is a token")
        for field in message.fields {
            require(!field.name.isEmpty && field.name.utf8.allSatisfy { isToken($0) }, "a field name is a token")
            require(!field.value.contains { $0 < 0x20 && $0 != 9 || $0 == 0x7F }, "a field value has no controls")
        }
        let names = message.fields.map { $0.name.lowercased() }
        for single in ["host", "content-length", "transfer-encoding", "authorization"] {
            require(names.count { $0 == single } <= 1, "\(single) once")
        }
        require(!(names.contains("content-length") && names.contains("transfer-encoding")), "one kind of length")
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// Sizes that add up to all of the bytes, from the bytes themselves: 0 to 15, and a rest.
    private static func pieces(of bytes: [UInt8]) -> [Int] {
        var sizes: [Int] = []
        var next = 0
        for byte in bytes.prefix(64) {
            let size = min(Int(byte & 15), bytes.count - next)
            sizes.append(size)
            next += size
        }
        return sizes + [bytes.count - next]
    }
}

/// A stream as the server reads it.
private struct ReadStream: Equatable {
    struct Message: Equatable {
        let method: String
        let form: RequestTarget.Form
        let path: [UInt8]
        let query: [UInt8]
        let fields: [Field]
        let host: String?
        let keepsAlive: Bool
        let isHTTP10: Bool
        let body: [UInt8]

        /// Without the fields that are written in another way.
        private var writtenFields: [Field] {
            let length = body.isEmpty ? [] : [Field("Content-Length", String(body.count))]
            return [Field("Host", host ?? "")] + length
                + fields.filter {
                    !["content-length", "transfer-encoding", "host"].contains($0.name.lowercased())
                }
        }

        /// The message with its target in origin-form, or as it was without a path, and its body with a length.
        var written: [UInt8] {
            let target: [UInt8] =
                switch form {
                case .path: path + (query.isEmpty ? [] : [UInt8(ascii: "?")] + query)
                case .asterisk: [UInt8(ascii: "*")]
                case .authority: Array("a.example:1".utf8)
                }
            let fields = writtenFields.map { "\($0.name): \(String(decoding: $0.value, as: UTF8.self))\r\n" }.joined()
            return Array("\(method) ".utf8) + target + Array(" HTTP/1.\(isHTTP10 ? 0 : 1)\r\n\(fields)\r\n".utf8) + body
        }

        var afterWriting: Message {
            Message(
                method: method, form: form, path: path, query: query, fields: writtenFields, host: host,
                keepsAlive: keepsAlive, isHTTP10: isHTTP10, body: body)
        }
    }

    struct Field: Equatable {
        let name: String
        let value: [UInt8]

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = Array(value.utf8)
        }
    }

    var messages: [Message] = []
    var failure: HTTPFailure?
    var isIdle = true
    var bytesLeft: Int?

    init(_ bytes: [UInt8], pieces: [Int], _ limits: Limits) {
        var parser = RequestParser(limits: limits)
        var head: RequestHead?
        var next = 0
        var end = 0
        for size in pieces {
            end += size
            feeding: while true {
                switch parser.feed(bytes.span, from: &next, to: end) {
                case .needMore:
                    require(next == end, "all input is taken")
                    break feeding
                case .head(let arrived):
                    head = arrived
                    if case .length(let length) = arrived.framing, length > limits.maxBodyBytes {
                        failure = .contentTooLarge
                        return
                    }
                    parser.receiveBody(keeping: true, limit: limits.maxBodyBytes)
                case .complete:
                    let length = parser.bodyBytes
                    let body = parser.takeBody()
                    require(body.count == length && length <= limits.maxBodyBytes, "a body of its length")
                    guard let head else { fatalError("does not hold: a head before its body") }
                    messages.append(Message(head, body))
                case .failed(let reason):
                    failure = reason
                    return
                }
            }
        }
        isIdle = parser.isIdle
        bytesLeft = parser.bytesLeft
    }
}

extension ReadStream.Message {
    init(_ head: RequestHead, _ body: [UInt8]) {
        self.init(
            method: head.method.text, form: head.target.form, path: Array(head.target.path),
            query: Array(head.target.query), fields: head.headers.all.map { ReadStream.Field($0.name, $0.value) },
            host: head.host, keepsAlive: head.keepsAlive, isHTTP10: head.isHTTP10, body: body)
    }
}

/// A body as the decoder reads it.
private struct DecodedChunks: Equatable {
    var verdict = ChunkedDecoder.Verdict.incomplete
    var body: [UInt8] = []
    var taken = 0

    init(_ bytes: [UInt8], pieces: [Int], _ limits: Limits) {
        var decoder = ChunkedDecoder(maxBodyBytes: 1 << 20)
        var data: [Range<Int>] = []
        var end = 0
        for size in pieces where verdict == .incomplete {
            end += size
            verdict = decoder.decode(bytes.span.extracting(0..<end), from: &taken, limits: limits) { data.append($0) }
        }
        body = data.flatMap { bytes[$0] }
    }
}
