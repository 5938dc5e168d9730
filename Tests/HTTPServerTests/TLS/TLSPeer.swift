import COpenSSL
import Glibc
import TLS
import TestSupport
import Testing

@testable import HTTPServer

/// Speaks for a test's client where its server has a transport with a protocol of its own.
protocol TestPeer: AnyObject {
    /// The server has ended its side properly.
    var sawEnd: Bool { get }
    /// Bytes that end the client's side.
    var end: [UInt8] { get }

    func seal(_ bytes: [UInt8]) -> [UInt8]
    func open(_ bytes: ArraySlice<UInt8>) -> [UInt8]
}

/// The client's side of TLS, in memory.
final class TLSPeer: TestPeer {
    struct Failure: Error {
        let step: String
    }

    /// How a client differs from the usual one.
    struct Settings {
        var least = TLS1_2_VERSION
        var most = TLS1_3_VERSION
        /// For the server's choice among certificates (SNI).
        var serverName: String?
        /// As on the wire: each with its length before it.
        var protocols: [UInt8] = []
        var certificate: TestCertificate?
        /// Session of an earlier connection.
        var session: OpaquePointer?
    }

    private let context: OpaquePointer
    private let connection: OpaquePointer
    private let input = BIO_new(BIO_s_mem())
    private let output = BIO_new(BIO_s_mem())
    private(set) var sawEnd = false

    init(_ settings: Settings = Settings()) throws {
        context = try #require(SSL_CTX_new(TLS_client_method()))
        // Also what this server must refuse.
        SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0")
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(settings.least), nil)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(settings.most), nil)
        if let own = settings.certificate {
            SSL_CTX_use_certificate(context, own.certificate)
            SSL_CTX_use_PrivateKey(context, own.key)
        }
        if !settings.protocols.isEmpty {
            SSL_CTX_set_alpn_protos(context, settings.protocols, UInt32(settings.protocols.count))
        }
        connection = try #require(SSL_new(context))
        if let name = settings.serverName {
            var name = Array(name.utf8CString)
            SSL_ctrl(connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), &name)
        }
        if let session = settings.session { SSL_set_session(connection, session) }
        SSL_set_bio(connection, input, output)
        SSL_set_connect_state(connection)
    }

    deinit {
        SSL_free(connection)
        SSL_CTX_free(context)
    }

    var isOpen: Bool { SSL_is_init_finished(connection) == 1 }
    var version: String { String(cString: SSL_get_version(connection)) }
    var isResumed: Bool { SSL_session_reused(connection) == 1 }
    /// Counted: the caller frees it.
    var session: OpaquePointer? { SSL_get1_session(connection) }

    var chosenProtocol: String {
        var bytes: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(connection, &bytes, &length)
        return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(length)), as: UTF8.self)
    }

    /// The certificate that the server has shown, as text.
    var serverCertificate: String {
        var buffer = [UInt8](repeating: 0, count: 256)
        guard let certificate = SSL_get0_peer_certificate(connection) else { return "" }
        let length = copenssl_certificate_name(certificate, COPENSSL_COMMON_NAME, 0, &buffer, 256)
        return String(decoding: buffer.prefix(max(0, Int(length))), as: UTF8.self)
    }

    /// Goes on with the handshake; what is to be sent for it.
    func takeHandshakeStep() throws -> [UInt8] {
        ERR_clear_error()
        let result = SSL_do_handshake(connection)
        guard result == 1 || SSL_get_error(connection, result) == SSL_ERROR_WANT_READ else {
            throw Failure(step: "handshake")
        }
        return takeOutput()
    }

    func seal(_ bytes: [UInt8]) -> [UInt8] {
        if !bytes.isEmpty { SSL_write(connection, bytes, Int32(bytes.count)) }
        return takeOutput()
    }

    func open(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        BIO_write(input, Array(bytes), Int32(bytes.count))
        guard isOpen else { return [] }
        return read()
    }

    /// Plaintext that has come so far, also with the last step of the handshake.
    private func read() -> [UInt8] {
        var opened: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            // One that another test has left on this thread would count as one of this call.
            ERR_clear_error()
            let count = SSL_read(connection, &buffer, Int32(buffer.count))
            guard count > 0 else {
                if SSL_get_error(connection, count) == SSL_ERROR_ZERO_RETURN { sawEnd = true }
                return opened
            }
            opened += buffer[..<Int(count)]
        }
    }

    /// So many new keys, each with the wish for one of the server's.
    func newKeys(_ count: Int) -> [UInt8] {
        for _ in 0..<count {
            SSL_key_update(connection, SSL_KEY_UPDATE_REQUESTED)
            SSL_do_handshake(connection)
        }
        return takeOutput()
    }

    var end: [UInt8] {
        SSL_shutdown(connection)
        return takeOutput()
    }

    private func takeOutput() -> [UInt8] {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = BIO_read(self.output, &buffer, Int32(buffer.count))
            guard count > 0 else { return output }
            output += buffer[..<Int(count)]
        }
    }
}

/// The server's side of TLS for tests.
enum TLSFixture {
    /// A time within the life of the certificates of tests.
    static var now: Int64 {
        var seconds = time_t()
        time(&seconds)
        return Int64(seconds)
    }

    /// The files stay until the process ends.
    private static let directory = try? TestDirectory()

    /// For tests that need no certificate of their own.
    static let listening: TLSListening = {
        do {
            let directory = try #require(directory)
            return try listening(in: directory, TestCertificate("shared"))
        } catch { fatalError("no certificate could be made: \(error)") }
    }()

    static func listening(
        in directory: TestDirectory, _ certificate: TestCertificate, clientAuthorities: String? = nil
    ) throws -> TLSListening {
        let files = files(in: directory, clientAuthorities: clientAuthorities)
        try certificate.write(certificate: files.certificate, key: files.key)
        return try TLSListening(files, now: now)
    }

    static func files(in directory: TestDirectory, clientAuthorities: String? = nil) -> TLSFiles {
        TLSFiles(
            certificate: directory.file("chain.pem"), key: directory.file("key.pem"),
            clientAuthorities: clientAuthorities)
    }

    static func make(_ listening: TLSListening) -> ConnectionTransport.Maker {
        let make = listening.makeTransport
        return { .layered(make($0)) }
    }
}
