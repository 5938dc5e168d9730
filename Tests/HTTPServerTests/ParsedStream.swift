@testable import HTTPServer

/// A stream as a parser reads it: the requests, and how it ended.
struct ParsedStream: Equatable, CustomStringConvertible {
    struct Message: Equatable {
        var method: String
        var path: String
        var fields: [String]
        var body: [UInt8]
        var host: String?
        var keepsAlive: Bool
    }

    var messages: [Message] = []
    var failure: HTTPFailure?
    /// The stream ended between two requests.
    var isInStep = true

    /// `nil` when the stream was sound.
    var status: Int? { failure?.status }

    var description: String {
        "\(messages.map { "\($0.method) \($0.path) \(String(decoding: $0.body, as: UTF8.self))" }) \(String(describing: failure))"
    }

    /// Feeds the stream in pieces of `size` bytes; the pieces begin anew after each cut in `cuts`.
    init(_ stream: [UInt8], pieces size: Int = .max, limits: Limits = Limits()) {
        self.init(
            stream,
            ends: Array(stride(from: min(size, stream.count), to: stream.count, by: max(1, min(size, stream.count)))),
            limits)
    }

    init(_ text: String, pieces size: Int = .max, limits: Limits = Limits()) {
        self.init(Array(text.utf8), pieces: size, limits: limits)
    }

    init(_ stream: [UInt8], cutAt cut: Int) {
        self.init(stream, ends: [cut], Limits())
    }

    private init(_ stream: [UInt8], ends: [Int], _ limits: Limits) {
        var parser = RequestParser(limits: limits)
        var head: RequestHead?
        var next = 0
        for end in ends + [stream.count] {
            feeding: while true {
                switch parser.feed(stream.span, from: &next, to: end) {
                case .needMore: break feeding
                case .head(let arrived):
                    head = arrived
                    parser.receiveBody(keeping: true, limit: limits.maxBodyBytes)
                    if case .length(let length) = arrived.framing, length > limits.maxBodyBytes {
                        failure = .contentTooLarge
                        return
                    }
                case .complete:
                    if let head { messages.append(Message(head, parser.takeBody())) }
                case .failed(let reason):
                    failure = reason
                    isInStep = false
                    return
                }
            }
        }
        isInStep = parser.isIdle
    }
}

extension ParsedStream.Message {
    init(_ head: RequestHead, _ body: [UInt8]) {
        self.init(
            method: head.method.text, path: String(decoding: head.target.path, as: UTF8.self),
            fields: head.headers.all.map { "\($0.name): \($0.value)" }, body: body, host: head.host,
            keepsAlive: head.keepsAlive)
    }
}
