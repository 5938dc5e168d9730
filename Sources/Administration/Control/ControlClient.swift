internal import Glibc
internal import StrictJSON

/// A blocking HTTP client of one request, for the commands of an operator and the health check.
package struct ControlClient {
    /// Why the client got no answer.
    package enum Failure: Error, Equatable, CustomStringConvertible {
        /// No process listens: no server runs there.
        case nobody
        case broken(String)

        package var description: String {
            switch self {
            case .nobody: "no server listens there"
            case .broken(let reason): reason
            }
        }
    }

    /// The longest wait for each step, in seconds.
    private static let timeoutSeconds = 30
    private static let maxAnswerBytes = 4 * 1024 * 1024

    private let open: () throws(Failure) -> Int32

    /// A server's control socket.
    init(socket path: String) {
        open = { () throws(Failure) in
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = Array(path.utf8)
            guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .nobody }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            return try ControlClient.connect(AF_UNIX, &address)
        }
    }

    /// A server on a loopback port.
    package init(loopbackPort port: UInt16) { self.init(host: "127.0.0.1", port: port) }

    /// - Parameter host: an IP address. Another text makes the exchange fail.
    package init(host: String, port: UInt16) {
        open = { () throws(Failure) in
            var address = sockaddr_in()
            if inet_pton(AF_INET, host, &address.sin_addr) == 1 {
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = port.bigEndian
                return try ControlClient.connect(AF_INET, &address)
            }
            var longAddress = sockaddr_in6()
            guard inet_pton(AF_INET6, host, &longAddress.sin6_addr) == 1 else {
                throw .broken("\(host) is no IP address")
            }
            longAddress.sin6_family = sa_family_t(AF_INET6)
            longAddress.sin6_port = port.bigEndian
            return try ControlClient.connect(AF_INET6, &longAddress)
        }
    }

    func send<O: Order>(_ order: O) throws(Failure) -> OrderAnswer {
        let (path, sent) = O.call.written(order)
        let json = sent.isEmpty ? [] : ["Content-Type: application/json"]
        let (status, body) = try exchange(O.call.method.rawValue, path, sent, json)
        guard let object = try? JSONObject.parse(body) else { throw .broken("the answer is no JSON object") }
        return OrderAnswer(status: status, object: object)
    }

    /// - Parameter headers: whole lines without line ends.
    package func exchange(
        _ method: String, _ path: String, _ body: [UInt8] = [], _ headers: [String] = [], host: String = "localhost"
    ) throws(Failure) -> (status: Int, body: [UInt8]) {
        let connection = try open()
        defer { close(connection) }
        var head = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n"
        for header in headers { head += header + "\r\n" }
        if !body.isEmpty { head += "Content-Length: \(body.count)\r\n" }
        try send(Array((head + "\r\n").utf8) + body, over: connection)
        return try ControlClient.parse(try receive(from: connection))
    }

    private static func connect<Address>(_ family: Int32, _ address: inout Address) throws(Failure) -> Int32 {
        let connection = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard connection >= 0 else { throw .broken("no socket: \(String(cString: strerror(errno)))") }
        var timeout = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
        setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &timeout, size)
        let outcome = withUnsafeBytes(of: &address) { bytes in
            Glibc.connect(connection, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        guard outcome == 0 else {
            let code = errno
            close(connection)
            if code == ENOENT || code == ECONNREFUSED { throw .nobody }
            if code == EACCES { throw .broken("permission denied: run this as the user that the server runs as") }
            throw .broken(String(cString: strerror(code)))
        }
        return connection
    }

    private func send(_ bytes: [UInt8], over connection: Int32) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let flags = Int32(MSG_NOSIGNAL)
            let count = rest.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { throw .broken(String(cString: strerror(errno))) }
            rest = rest.dropFirst(count)
        }
    }

    private func receive(from connection: Int32) throws(Failure) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while all.count < ControlClient.maxAnswerBytes {
            let count = read(connection, &buffer, buffer.count)
            guard count >= 0 else { throw .broken(String(cString: strerror(errno))) }
            if count == 0 { return all }
            all += buffer.prefix(count)
        }
        throw .broken("the answer is too long")
    }

    /// The server closes the connection after its answer, so everything after the head is the body.
    private static func parse(_ answer: [UInt8]) throws(Failure) -> (status: Int, body: [UInt8]) {
        let words = answer.prefix(16).split(separator: UInt8(ascii: " "))
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)), words.count > 1,
            let status = Int(String(decoding: words[1], as: UTF8.self))
        else { throw .broken("the answer is no HTTP") }
        return (status, Array(answer[end.upperBound...]))
    }
}
