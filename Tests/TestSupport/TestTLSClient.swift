internal import COpenSSL
import Glibc

/// One request over TLS to this machine: blocks, and reads to the end of the connection.
package struct TestTLSClient {
    package struct Failure: Error {
        package let step: String
    }

    package struct Answer: Sendable {
        package let status: Int
        package let head: String
        package let body: String
        /// The first name in the server's certificate.
        package let serverName: String
    }

    private let port: UInt16
    private let certificate: TestCertificate?

    /// - Parameter certificate: the client's own.
    package init(_ port: UInt16, certificate: TestCertificate? = nil) {
        self.port = port
        self.certificate = certificate
    }

    package func exchange(
        _ method: String, _ path: String, _ fields: [String] = [], body: String = ""
    ) throws -> Answer {
        let head = ["\(method) \(path) HTTP/1.1", "Host: localhost", "Connection: close"] + fields
        return try exchange(
            (head + ["Content-Length: \(body.utf8.count)", "", body]).joined(separator: "\r\n"))
    }

    private func exchange(_ request: String) throws -> Answer {
        let descriptor = try TestPlainClient.connect(port)
        defer { close(descriptor) }
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw Failure(step: "SSL_CTX_new") }
        defer { SSL_CTX_free(context) }
        if let certificate {
            SSL_CTX_use_certificate(context, certificate.certificate)
            SSL_CTX_use_PrivateKey(context, certificate.key)
        }
        guard let connection = SSL_new(context) else { throw Failure(step: "SSL_new") }
        defer { SSL_free(connection) }
        SSL_set_fd(connection, descriptor)
        guard SSL_connect(connection) == 1 else { throw Failure(step: "handshake") }
        guard SSL_write(connection, Array(request.utf8), Int32(request.utf8.count)) > 0 else {
            throw Failure(step: "write")
        }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = SSL_read(connection, &buffer, Int32(buffer.count))
            guard count > 0 else { break }
            received += buffer[..<Int(count)]
        }
        ERR_clear_error()
        return try answer(String(decoding: received, as: UTF8.self), name(of: connection))
    }

    private func answer(_ text: String, _ serverName: String) throws -> Answer {
        guard let end = text.firstRange(of: "\r\n\r\n"), let status = Int(text.dropFirst(9).prefix(3)) else {
            throw Failure(step: "answer")
        }
        return Answer(
            status: status, head: text[..<end.lowerBound].lowercased(), body: String(text[end.upperBound...]),
            serverName: serverName)
    }

    private func name(of connection: OpaquePointer) -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        guard let certificate = SSL_get0_peer_certificate(connection) else { return "" }
        let length = copenssl_certificate_name(certificate, COPENSSL_COMMON_NAME, 0, &buffer, 256)
        return String(decoding: buffer.prefix(max(0, Int(length))), as: UTF8.self)
    }
}

/// One request without TLS, as text.
package enum TestPlainClient {
    package static func exchange(_ port: UInt16, _ request: String) throws -> String {
        let descriptor = try connect(port)
        defer { close(descriptor) }
        let bytes = Array(request.utf8)
        guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw TestTLSClient.Failure(step: "send")
        }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return String(decoding: received, as: UTF8.self) }
            received += buffer[..<count]
        }
    }

    /// A socket that is connected to this machine.
    static func connect(_ port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        let result = withUnsafeBytes(of: &address) { bytes in
            Glibc.connect(
                descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        guard result == 0 else {
            close(descriptor)
            throw TestTLSClient.Failure(step: "connect")
        }
        return descriptor
    }
}
