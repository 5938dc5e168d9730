import Glibc

@testable import HTTPServer

/// A blocking client socket with a time limit on every call, which only a server that hangs can reach. Speaks bytes, so that it can be as wrong as a test needs.
final class TestClient {
    struct Failure: Error {
        let step: String
        let code: Int32
    }

    struct Answer: Equatable {
        var status: Int
        var headers: [String: String]
        var body: String
    }

    let descriptor: Int32
    /// Speaks for the client where the server has a transport with a protocol of its own.
    let peer: (any TestPeer)?
    private var buffer: [UInt8] = []
    private var wasReset = false

    init(
        _ address: BoundAddress, receiveBufferBytes: Int32? = nil, over transport: TestTransport = .plain,
        peer: (any TestPeer)? = nil
    ) throws {
        switch transport {
        case .plain: self.peer = peer
        case .odd: self.peer = OddPeer()
        case .tls: self.peer = try TLSPeer()
        }
        switch address {
        case .tcp(let host, let port):
            descriptor = socket(host.contains(":") ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            if var bytes = receiveBufferBytes {
                setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
            }
            if host.contains(":") {
                var target = sockaddr_in6()
                target.sin6_family = sa_family_t(AF_INET6)
                target.sin6_port = UInt16(port).bigEndian
                inet_pton(AF_INET6, host, &target.sin6_addr)
                try connect(&target)
            } else {
                var target = sockaddr_in()
                target.sin_family = sa_family_t(AF_INET)
                target.sin_port = UInt16(port).bigEndian
                inet_pton(AF_INET, host, &target.sin_addr)
                try connect(&target)
            }
            var on: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        case .unix(let path):
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var target = sockaddr_un()
            target.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: path.utf8) }
            try connect(&target)
        }
        var limit = timeval(tv_sec: 600, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    private func connect<Address>(_ address: inout Address) throws {
        let size = socklen_t(MemoryLayout<Address>.size)
        let failed = withUnsafeBytes(of: &address) {
            Glibc.connect(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), size)
        }
        if failed != 0 { throw Failure(step: "connect", code: errno) }
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        try shakeHands()
        try sendRaw(peer?.seal(bytes) ?? bytes)
    }

    /// Goes through the handshake of the transport, where it is one with answers.
    func shakeHands() throws {
        guard let peer = peer as? TLSPeer else { return }
        while !peer.isOpen {
            try sendRaw(try peer.takeHandshakeStep())
            if peer.isOpen { return }
            guard try fill() else { throw Failure(step: "handshake", code: 0) }
        }
    }

    /// Past the transport: what goes to the socket as it is.
    func sendRaw(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { throw Failure(step: "send", code: errno) }
            sent += count
        }
    }

    /// Sends as much as the socket takes at once.
    func sendWithoutWaiting(_ bytes: [UInt8]) -> Int {
        max(
            0,
            bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress!, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            })
    }

    func finishSending() {
        if let peer { try? sendRaw(peer.end) }
        shutDown()
    }

    /// Ends the socket's side, without the end of a transport's protocol.
    func shutDown() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closes with a reset instead of an end.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        // The descriptor itself is closed by `deinit`; connecting to nowhere resets the connection now.
        var nowhere = sockaddr()
        nowhere.sa_family = sa_family_t(AF_UNSPEC)
        _ = Glibc.connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Takes in more bytes. False at the end of the stream; a reset counts as one.
    private func fill() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = chunk.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count < 0, errno != ECONNRESET { throw Failure(step: "recv", code: errno) }
        wasReset = wasReset || count < 0
        if count > 0 { buffer += peer?.open(chunk[..<count]) ?? Array(chunk[..<count]) }
        return count > 0
    }

    /// Takes in what comes next. False at the end of the stream.
    func takeMore() throws -> Bool { try fill() }

    /// The next response; `nil` when the stream ends before one.
    func receive(toHead: Bool = false) throws -> Answer? {
        while true {
            if let head = headEnd() {
                let lines = String(decoding: buffer[..<head], as: UTF8.self).components(separatedBy: "\r\n")
                var headers: [String: String] = [:]
                for line in lines.dropFirst() where !line.isEmpty {
                    let parts = line.split(separator: ":", maxSplits: 1)
                    headers[parts[0].lowercased()] = parts[1].trimmingBlanks
                }
                let status = Int(lines[0].split(separator: " ")[1])!
                let length = toHead || status < 200 || status == 204 ? 0 : Int(headers["content-length"]!)!
                if buffer.count >= head + length {
                    let body = String(decoding: buffer[head..<(head + length)], as: UTF8.self)
                    buffer.removeFirst(head + length)
                    return Answer(status: status, headers: headers, body: body)
                }
            }
            guard try fill() else { return nil }
        }
    }

    private func headEnd() -> Int? {
        guard buffer.count >= 4 else { return nil }
        return (4...buffer.count).first { buffer[($0 - 4)..<$0].elementsEqual("\r\n\r\n".utf8) }
    }

    /// Everything up to and with `mark`, or to the end of the stream.
    func receive(through mark: String) throws -> String {
        let mark = Array(mark.utf8)
        while true {
            if let range = buffer.firstRange(of: mark) {
                defer { buffer.removeFirst(range.upperBound) }
                return String(decoding: buffer[..<range.upperBound], as: UTF8.self)
            }
            guard try fill() else { return try receiveAll() }
        }
    }

    /// True when the server has reset the connection, and not ended it.
    func isReset() throws -> Bool {
        while try fill() {}
        return wasReset
    }

    /// Everything up to the end of the stream.
    func receiveAll() throws -> String {
        while try fill() {}
        defer { buffer = [] }
        return String(decoding: buffer, as: UTF8.self)
    }

    /// True when the server has ended the stream, with nothing left to read.
    func isAtEnd() throws -> Bool {
        while buffer.isEmpty { if try !fill() { return true } }
        return false
    }

    func exchange(_ text: String) throws -> Answer? {
        try send(text)
        return try receive()
    }
}

extension String {
    func components(separatedBy separator: String) -> [String] {
        var parts: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            parts.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return parts + [String(rest)]
    }
}

extension Substring {
    var trimmingBlanks: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
