import Administration
import Foundation
import HTTPServer
import SurfaceKit
import TestSupport
import Testing

@testable import Wiring

/// A whole server that speaks TLS itself (HTTP-38).
@Suite struct PublicTLSTests {
    private let directory: TestDirectory
    private let data = ServerFixture.freshDirectory()

    init() throws { directory = try TestDirectory() }

    private var certificateFile: String { directory.file("chain.pem") }
    private var keyFile: String { directory.file("key.pem") }

    private func write(_ certificate: TestCertificate, keyMode: Int = 0o600) throws {
        try certificate.write(certificate: certificateFile, key: keyFile, keyMode: keyMode)
    }

    private func configuration(_ more: [String: String] = [:]) throws -> Configuration {
        let tls = [
            "HOLDFAST_SERVER_TLS_CERTIFICATE_FILE": certificateFile, "HOLDFAST_SERVER_TLS_KEY_FILE": keyFile,
            "HOLDFAST_SERVER_OPERATIONS_PORT": "0",
        ]
        return try ServerFixture.configuration(data, tls.merging(more) { _, own in own })
    }

    private static let tokenForm = "client_id=sandbox&client_secret=sandbox-secret&grant_type=client_credentials"
    private static let form = "Content-Type: application/x-www-form-urlencoded"

    private func token(_ client: TestTLSClient) throws -> (status: Int, token: String) {
        let answer = try client.exchange("POST", "/token", [Self.form], body: Self.tokenForm)
        let object = try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any]
        return (answer.status, object?["access_token"] as? String ?? "")
    }

    private func unify(_ client: TestTLSClient, _ token: String) throws -> Int {
        try client.exchange(
            "POST", "/v3/unify", ["Content-Type: application/json", "Authorization: Bearer \(token)"],
            body: #"{"phoneNumber":"2001004014","possessionType":"mobile","clientRequestId":"r"}"#
        ).status
    }

    // MARK: Serving

    @Test func `serves callers over TLS only, and operators as before`() async throws {
        try write(TestCertificate("own"))
        let (_, log) = try await ServerFixture.withServerAndLog(
            try configuration(["HOLDFAST_SERVER_HSTS_SECONDS": "300"])
        ) { server, port in
            let client = TestTLSClient(port)
            #expect(try unify(client, try token(client).token) == 200)
            let probe = try client.exchange("GET", "/healthz")
            #expect(probe.status == 200)
            #expect(probe.head.contains("strict-transport-security: max-age=300"))
            #expect(try ServerFixture.call(port, "GET", "/healthz").status == 400)

            let operators = UInt16(try #require(server.boundOperationsAddress?.port))
            let metrics = try ServerFixture.call(operators, "GET", "/metrics").text
            #expect(metrics.contains("holdfast_tls_certificate_expires_seconds 25"))
            #expect(metrics.contains(#"holdfast_tls_connections_total{outcome="no_tls"} 1"#))
            #expect(metrics.contains(#"holdfast_tls_connections_total{outcome="full"} 3"#))
        }
        #expect(log.contains { $0["route"] as? String == "/v3/unify" && $0["tls"] as? String == "TLSv1.3" })
    }

    @Test func `does not tell browsers of the sandbox to stay with https`() async throws {
        try write(TestCertificate("own"))
        try await ServerFixture.withServer(try configuration()) { _, port in
            let answer = try TestTLSClient(port).exchange("GET", "/healthz")
            #expect(!answer.head.contains("strict-transport-security"))
        }
    }

    @Test func `leads browsers to https, and refuses calls of programs without it`() async throws {
        try write(TestCertificate("a.example", alternatives: "DNS:a.example"))
        let configuration = try configuration([
            "HOLDFAST_SERVER_PUBLIC_URL": "https://a.example", "HOLDFAST_SERVER_REDIRECT_PORT": "0",
        ])
        try await ServerFixture.withServer(configuration) { server, _ in
            let port = UInt16(try #require(server.boundRedirectAddress?.port))
            func location(_ method: String, _ target: String, _ fields: [String] = []) throws -> (Int, String) {
                let answer = try PlainExchange.send(port, method, target, fields)
                return (answer.status, answer.location)
            }
            #expect(try location("GET", "/l/abc?x=%20y&z") == (308, "https://a.example/l/abc?x=%20y&z"))
            #expect(try location("HEAD", "/") == (308, "https://a.example/"))
            #expect(try location("GET", "/a%20b/%C3%A9") == (308, "https://a.example/a%20b/%C3%A9"))
            for (method, target) in [
                ("POST", "/l/abc"), ("DELETE", "/x"), ("OPTIONS", "/v3/unify"), ("GET", "/v3/identity/x"),
                ("GET", "/token"),
                ("POST", "/v3/unify"),
            ] {
                let (status, location) = try location(method, target)
                #expect(status == 403 && location.isEmpty, "\(method) \(target)")
            }
            #expect(try location("GET", "/l/abc", ["Authorization: Bearer x"]).0 == 403)
        }
    }

    /// A carrier that was given `http://` must not find out by its receipts' going on as if nothing were.
    @Test func `refuses receipts and calls of webhooks without encryption too`() async throws {
        try write(TestCertificate("a.example", alternatives: "DNS:a.example"))
        let routes = directory.file("routes.json")
        try #"{"gateways":{"main":{"specification":{"request":{"url":"https://b.example"}}}},"#
            .appending(#""routes":[{"gateways":["main"]}]}"#).write(toFile: routes, atomically: true, encoding: .utf8)
        let text = """
            {"mode":"live","server":{"host":"127.0.0.1","port":0,"loops":1,"publicUrl":"https://a.example",
             "tlsCertificateFile":"\(certificateFile)","tlsKeyFile":"\(keyFile)","redirectPort":0,"operationsPort":0},
             "messaging":{"routesFile":"\(routes)"},
             "data":{"directory":"\(data)","migrations":"\(ServerFixture.repository)/migrations"}}
            """
        try await ServerFixture.withServer(try ConfigurationTests.read(text)) { server, _ in
            let port = UInt16(try #require(server.boundRedirectAddress?.port))
            for path in ["/receipts/main/abc", "/receipts/main/abc?status=delivered", "/v1/webhooks"] {
                for method in ["GET", "POST"] {
                    let answer = try PlainExchange.send(port, method, path, [])
                    #expect(answer.status == 403 && answer.location.isEmpty, "\(method) \(path)")
                }
            }
        }
    }

    // MARK: Another certificate

    @Test func `takes another certificate at a reload, and keeps the old one when it is wrong`() async throws {
        try write(TestCertificate("first"))
        let configuration = try configuration()
        let (_, log) = try await ServerFixture.withServerAndLog(configuration) { server, port in
            func name() throws -> String { try TestTLSClient(port).exchange("GET", "/healthz").serverName }
            #expect(try name() == "first")
            try write(TestCertificate("second"))
            server.reload { configuration }
            #expect(try name() == "second")
            for (index, wrong) in [
                try TestCertificate("late", validUntil: -10), try TestCertificate("early", validFrom: 3600),
            ].enumerated() {
                try write(wrong)
                if index == 0 { server.reload { configuration } } else { server.tls?.everyMinute() }
                #expect(try name() == "second")
            }
            try write(TestCertificate("third"))
            try TestCertificate.replace(keyFile, TestCertificate("other").keyText, mode: 0o600)
            server.reload { configuration }
            #expect(try name() == "second")
            try write(TestCertificate("third"))
            server.tls?.everyMinute()
            #expect(try name() == "third")
        }
        let reasons = log.compactMap { ($0["context"] as? [String: Any])?["reason"] as? String }
        let words = ["expired on 20", "is valid only from 20", "does not belong to the certificate"]
        #expect(reasons.count == 3 && zip(reasons, words).allSatisfy { $0.contains($1) }, "\(reasons)")
        #expect(log.contains { $0["message"] as? String == "another certificate is in use" })
    }

    @Test func `warns once of a certificate that is about to expire`() async throws {
        try write(TestCertificate("own", validUntil: 14 * 86_400 - 60))
        let (_, log) = try await ServerFixture.withServerAndLog(try configuration()) { server, _ in
            server.tls?.everyMinute()
        }
        let warnings = log.filter { ($0["message"] as? String)?.contains("the certificate expires on") == true }
        #expect(warnings.count == 1)
        #expect(StartChecks(try configuration()).warnings.count == 1)
        try write(TestCertificate("own", validUntil: 14 * 86_400 + 60))
        #expect(StartChecks(try configuration()).warnings.isEmpty)
    }

    // MARK: Certificates of API clients

    private func withClientAuthority(
        _ rule: String, by name: String? = nil, _ body: (UInt16, TestCertificate) async throws -> Void
    ) async throws {
        try write(TestCertificate("own"))
        let authority = try TestCertificate("clients", alternatives: nil, isAuthority: true)
        try TestCertificate.replace(directory.file("clients.pem"), authority.certificateText, mode: 0o644)
        var settings = [
            "HOLDFAST_SERVER_TLS_CLIENT_CA_FILE": directory.file("clients.pem"),
            "HOLDFAST_SERVER_TLS_CLIENT_CERTIFICATES": rule,
        ]
        settings["HOLDFAST_SERVER_TLS_CLIENT_NAME_FROM"] = name
        try await ServerFixture.withServer(try configuration(settings)) { _, port in try await body(port, authority) }
    }

    @Test func `asks API clients for a certificate that names them`() async throws {
        try await withClientAuthority("required") { port, authority in
            let nobody = TestTLSClient(port)
            let own = TestTLSClient(port, certificate: try TestCertificate("sandbox", issuer: authority))
            let other = TestTLSClient(port, certificate: try TestCertificate("other", issuer: authority))
            #expect(try token(nobody).status == 401)
            #expect(try token(other).status == 401)
            let (status, token) = try token(own)
            #expect(status == 200)
            #expect(try [own, other, nobody].map { try unify($0, token) } == [200, 401, 401])
            #expect(try nobody.exchange("GET", "/healthz").status == 200)
        }
    }

    /// An authority that lets those who ask choose a name of one kind gives away nothing of another kind.
    @Test(arguments: [nil, "commonName", "dnsName", "uri"])
    func `one kind of name is the API client's, and a certificate has one of it`(kind: String?) async throws {
        let certificates: [(name: String, more: [String], alternatives: String?, opensBy: [String])] = [
            ("sandbox", [], "DNS:x.example,URI:urn:x", ["commonName"]),
            ("x", [], "DNS:sandbox,URI:urn:x", ["dnsName"]),
            ("x", [], "DNS:x.example,URI:sandbox", ["uri"]),
            ("sandbox", [], "DNS:sandbox", ["commonName", "dnsName"]),
            ("sandbox", ["other"], nil, []),
            ("other", ["sandbox"], nil, []),
            ("sandbox", ["sandbox"], nil, []),
            ("x", [], "DNS:sandbox,DNS:other", []),
            ("x", [], "DNS:other,DNS:sandbox", []),
            ("x", [], "URI:sandbox,URI:other", []),
            ("x", [], "email:sandbox@a.example", []),
            ("other", [], "DNS:other,URI:other", []),
        ]
        try await withClientAuthority("required", by: kind) { port, authority in
            for (name, more, alternatives, opensBy) in certificates {
                let certificate = try TestCertificate(
                    name, moreNames: more, alternatives: alternatives, issuer: authority)
                let status = try token(TestTLSClient(port, certificate: certificate)).status
                let opens = opensBy.contains(kind ?? "commonName")
                #expect(status == (opens ? 200 : 401), "\(name) \(more) \(alternatives ?? "")")
            }
        }
    }

    @Test func `lets API clients go without a certificate where it is optional`() async throws {
        try await withClientAuthority("optional") { port, authority in
            let nobody = TestTLSClient(port)
            let other = TestTLSClient(port, certificate: try TestCertificate("other", issuer: authority))
            let (status, token) = try token(nobody)
            #expect(status == 200)
            #expect(try unify(nobody, token) == 200)
            #expect(try unify(other, token) == 401)
        }
    }

    // MARK: What is said before the start

    private func mistakes(_ more: [String: String] = [:]) throws -> [String] {
        StartChecks(try configuration(more)).mistakes
    }

    @Test func `says when certificate and public URL disagree`() throws {
        let url = ["HOLDFAST_SERVER_PUBLIC_URL": "https://a.example:8443"]
        try write(TestCertificate("own", alternatives: "DNS:a.example,DNS:b.example"))
        #expect(try mistakes(url).isEmpty)
        try write(TestCertificate("own", alternatives: "DNS:b.example"))
        let mistakes = try mistakes(url)
        #expect(mistakes.count == 1)
        #expect(mistakes.first?.hasPrefix("server.tlsCertificateFile: the certificate in ") == true)
        #expect(mistakes.first?.contains("is not for a.example (it names own, b.example)") == true)
        // Clients see the proxy's certificate.
        #expect(try self.mistakes(url.merging(["HOLDFAST_SERVER_TRUSTED_PROXIES": "10.0.0.1"]) { $1 }).isEmpty)
    }

    @Test func `names the setting of a file that is wrong`() throws {
        #expect(
            try mistakes().first?.hasPrefix("server.tlsCertificateFile: \(certificateFile) cannot be opened") == true)
        try write(TestCertificate("own"), keyMode: 0o644)
        #expect(try mistakes().first?.hasPrefix("server.tlsKeyFile: \(keyFile) can be read by others") == true)
        try write(TestCertificate("own"))
        #expect(
            try mistakes(["HOLDFAST_SERVER_TLS_CLIENT_CA_FILE": "/none"]).first?.hasPrefix(
                "server.tlsClientCaFile: /none")
                == true)
    }

    @Test(arguments: [
        (#""tlsKeyFile":"k""#, "server.tlsKeyFile: is of no use without server.tlsCertificateFile"),
        (#""hstsSeconds":1"#, "server.hstsSeconds: is of no use without server.tlsCertificateFile"),
        (#""tlsCertificateFile":"c""#, "server.tlsKeyFile: missing; server.tlsCertificateFile needs it"),
        (#""redirectPort":80"#, "server.redirectPort: there is no https to redirect to: set server.tlsCertificateFile"),
        (
            #""tlsCertificateFile":"c","tlsKeyFile":"k","redirectPort":8080"#,
            "server.redirectPort: must differ from server.port and server.operationsPort"
        ),
        (
            #""tlsCertificateFile":"c","tlsKeyFile":"k","publicUrl":"http://127.0.0.1""#,
            "server.publicUrl: must begin with https://, as server.tlsCertificateFile is set"
        ),
        (
            #""tlsCertificateFile":"c","tlsKeyFile":"k","tlsClientCertificates":"required""#,
            "server.tlsClientCaFile: missing; server.tlsClientCertificates needs it"
        ),
        (
            #""tlsCertificateFile":"c","tlsKeyFile":"k","tlsClientNameFrom":"dnsName""#,
            "server.tlsClientCaFile: missing; server.tlsClientNameFrom needs it"
        ),
        (
            #""tlsCertificateFile":"c","tlsKeyFile":"k","tlsClientCaFile":"a","tlsClientNameFrom":"email""#,
            "server.tlsClientNameFrom: must be one of: commonName, dnsName, uri"
        ),
        (#""tlsClientNameFrom":"uri""#, "server.tlsClientNameFrom: is of no use without server.tlsCertificateFile"),
    ])
    func `refuses settings that do not fit together`(server: String, mistake: String) {
        let text = #"{"mode":"sandbox","data":{"directory":"d"},"server":{\#(server)}}"#
        #expect(ConfigurationTests.mistakes(text) == [mistake])
    }

    @Test func `prints what holds`() throws {
        let text = """
            {"mode":"live","data":{"directory":"/d"},"guard":{"budgetPerDay":100},
             "server":{"publicUrl":"https://a.example","host":"0.0.0.0",
             "tlsCertificateFile":"c.pem","tlsKeyFile":"k.pem","tlsClientCaFile":"a.pem","redirectPort":80}}
            """
        let configuration = try ConfigurationTests.read(text)
        #expect(configuration.server.tls?.certificateFile == "/etc/holdfast/c.pem")
        #expect(configuration.server.tls?.strictTransportSeconds == 31_536_000)
        #expect(configuration.warnings.isEmpty)
        #expect(configuration.server.tls?.clientNameFrom == .commonName)
        for line in [
            #""tlsKeyFile": "/etc/holdfast/k.pem""#, #""tlsClientNameFrom": "commonName""#, #""hstsSeconds": 31536000"#,
            #""redirectPort": 80"#,
        ] {
            #expect(configuration.report.contains(line))
        }
    }
}

/// One request without TLS, of which the place it leads to matters.
private enum PlainExchange {
    static func send(
        _ port: UInt16, _ method: String, _ target: String, _ fields: [String]
    ) throws -> (status: Int, location: String) {
        let head = ["\(method) \(target) HTTP/1.1", "Host: a.example", "Connection: close"] + fields
        let text = try TestPlainClient.exchange(port, (head + ["Content-Length: 0", "", ""]).joined(separator: "\r\n"))
        let lines = text.components(separatedBy: "\r\n")
        let location = lines.first { $0.hasPrefix("Location: ") }.map { String($0.dropFirst("Location: ".count)) }
        return (try #require(Int(lines[0].split(separator: " ")[1])), location ?? "")
    }
}
