import TLS
import TestSupport
import Testing

/// Checks of certificates and keys before they are used.
struct TLSIdentityTests {
    private let directory: TestDirectory
    private let files: TLSFiles

    init() throws {
        directory = try TestDirectory()
        files = TLSFixture.files(in: directory)
    }

    private func fault() -> TLSFault? {
        do throws(TLSFault) {
            _ = try TLSListening(files, now: TLSFixture.now)
            return nil
        } catch { return error }
    }

    private func expectFault(_ file: TLSFault.File, _ words: String, _ place: SourceLocation = #_sourceLocation) {
        let fault = fault()
        #expect(fault?.file == file, sourceLocation: place)
        #expect(fault?.reason.contains(words) == true, "\(fault?.reason ?? "no fault")", sourceLocation: place)
    }

    @Test(arguments: [TestCertificate.Key.p256, .rsa2048])
    func `takes a certificate with its key and its issuers`(key: TestCertificate.Key) throws {
        let root = try TestCertificate("root", isAuthority: true)
        let middle = try TestCertificate("middle", issuer: root, isAuthority: true)
        let own = try TestCertificate("own", issuer: middle, key: key)
        try own.write(certificate: files.certificate, key: files.key, issuers: [middle, root])
        #expect(fault() == nil)
        try own.write(certificate: files.certificate, key: files.key, issuers: [middle], keyMode: 0o400)
        #expect(fault() == nil)
    }

    @Test func `names a file that is missing`() throws {
        expectFault(.certificate, "\(files.certificate) cannot be opened: No such file or directory")
        try TestCertificate("own").write(certificate: files.certificate, key: directory.file("other.pem"))
        expectFault(.key, "\(files.key) cannot be opened")
    }

    @Test(arguments: [0o644, 0o640, 0o660, 0o604])
    func `refuses a key that others can read`(mode: Int) throws {
        try TestCertificate("own").write(certificate: files.certificate, key: files.key, keyMode: mode)
        expectFault(.key, "can be read by others: it must have mode 0600")
    }

    @Test(arguments: [(0o700, "0700"), (0o620, "0620"), (0o4600, "4600"), (0o601, "0601")])
    func `refuses a key of another mode, and does not say that others read it`(mode: Int, text: String) throws {
        try TestCertificate("own").write(certificate: files.certificate, key: files.key, keyMode: mode)
        #expect(fault()?.reason == "\(files.key) has mode \(text): it must have mode 0600 (chmod 600 \(files.key))")
    }

    @Test func `refuses a file that is too long, or none`() throws {
        try TestCertificate("own").write(certificate: files.certificate, key: files.key)
        try TestCertificate.replace(files.key, String(repeating: "k", count: 256 * 1024 + 1), mode: 0o600)
        expectFault(.key, "is longer than 262144 bytes")
        let folder = TLSFiles(certificate: directory.file(""), key: files.key)
        do throws(TLSFault) {
            _ = try TLSListening(folder, now: TLSFixture.now)
            Issue.record("there was no fault")
        } catch { #expect(error.reason.hasSuffix("is not a file")) }
    }

    @Test func `refuses a key that belongs to another certificate`() throws {
        try TestCertificate("other").write(certificate: files.certificate, key: files.key)
        try TestCertificate.replace(files.certificate, TestCertificate("own").certificateText, mode: 0o644)
        expectFault(.key, "does not belong to the certificate")
    }

    @Test func `refuses a chain that is out of order`() throws {
        let root = try TestCertificate("root", isAuthority: true)
        let middle = try TestCertificate("middle", issuer: root, isAuthority: true)
        let own = try TestCertificate("own", issuer: middle)
        try own.write(certificate: files.certificate, key: files.key, issuers: [root, middle])
        expectFault(.certificate, "its certificate 2 did not issue certificate 1")
        let reversed = [root, middle, own].map(\.certificateText).joined()
        try TestCertificate.replace(files.certificate, reversed, mode: 0o644)
        expectFault(.certificate, "the server's own certificate must come first")
    }

    @Test func `refuses what is no certificate, and what is no key`() throws {
        let own = try TestCertificate("own")
        try own.write(certificate: files.certificate, key: files.key)
        try TestCertificate.replace(files.certificate, "", mode: 0o644)
        expectFault(.certificate, "holds no certificate in PEM")
        let damaged = own.certificateText.replacing("\nMII", with: "\nM!I")
        try TestCertificate.replace(files.certificate, damaged, mode: 0o644)
        expectFault(.certificate, "holds a damaged certificate")
        try TestCertificate.replace(files.certificate, own.certificateText, mode: 0o644)
        try TestCertificate.replace(files.key, own.certificateText, mode: 0o600)
        expectFault(.key, "holds no private key in PEM without a passphrase")
    }

    @Test func `refuses a certificate that has expired or is not valid yet`() throws {
        try TestCertificate("own", validUntil: -60).write(certificate: files.certificate, key: files.key)
        expectFault(.certificate, "expired on 20")
        try TestCertificate("own", validFrom: 3600).write(certificate: files.certificate, key: files.key)
        expectFault(.certificate, "is valid only from 20")
    }

    @Test func `refuses a weak key`() throws {
        try TestCertificate("own", key: .rsa1024).write(certificate: files.certificate, key: files.key)
        expectFault(.certificate, "weak key")
    }

    @Test func `refuses authorities of clients that are none`() throws {
        try TestCertificate("own").write(certificate: files.certificate, key: files.key)
        let path = directory.file("clients.pem")
        let withAuthorities = TLSFixture.files(in: directory, clientAuthorities: path)
        for text in [nil, "nonsense"] {
            if let text { try TestCertificate.replace(path, text, mode: 0o644) }
            do throws(TLSFault) {
                _ = try TLSListening(withAuthorities, now: TLSFixture.now)
                Issue.record("there was no fault")
            } catch { #expect(error.file == .clientAuthorities) }
        }
    }

    @Test(arguments: [
        ("a.example", true), ("b.c.example", true), ("c.example", false), ("own.example", false), ("127.0.0.1", true),
        ("127.0.0.2", false), ("::1", true),
    ])
    func `knows whom a certificate is for`(host: String, isFor: Bool) throws {
        let own = try TestCertificate(
            "own.example", alternatives: "DNS:a.example,DNS:*.c.example,IP:127.0.0.1,IP:::1")
        try own.write(certificate: files.certificate, key: files.key)
        let defect = try TLSIdentity(files).defect(for: host)
        #expect((defect == nil) == isFor)
        if let defect { #expect(defect.contains("is not for \(host) (it names own.example, a.example, *.c.example)")) }
    }

    @Test func `writes times as a calendar does`() {
        #expect(TLSIdentity.text(0) == "1970-01-01T00:00:00Z")
        #expect(TLSIdentity.text(1_709_210_096) == "2024-02-29T12:34:56Z")
    }
}
