import Foundation
import Testing

@testable import Administration
@testable import HTTPServer
@testable import Possession
@testable import Observation
@testable import Wiring

@Suite struct AssemblyTests {
    let directory = ServerFixture.freshDirectory()

    private func withServer<Result>(_ body: (Assembly, UInt16) async throws -> Result) async throws -> Result {
        try await ServerFixture.withServer(try ServerFixture.configuration(directory), body)
    }

    private func cleanUp() { try? FileManager.default.removeItem(atPath: directory) }

    @Test func `serves health, readiness, keys, a token and a session`() async throws {
        defer { cleanUp() }
        try await withServer { _, port in
            #expect(try ServerFixture.call(port, "GET", "/healthz").status == 200)
            #expect(try ServerFixture.call(port, "GET", "/readyz").status == 200)
            #expect(try ServerFixture.call(port, "GET", "/.well-known/jwks.json").text.contains("\"crv\":\"P-256\""))
            let answer = try ServerFixture.unify(port, try ServerFixture.token(port))
            #expect(answer.status == 200)
            #expect(answer.member("success") == "pending")
        }
    }

    @Test func `proves a number from unify to success, by a code from the inbox`() async throws {
        defer { cleanUp() }
        try await withServer { _, port in
            let token = try ServerFixture.token(port)
            let session = try ServerFixture.unify(port, token)
            let caller = ["Content-Type: application/json", "Authorization: Bearer \(session.member("authToken"))"]
            let path = "/client/v1/session"
            let fallback = #"{"platform":"web","sdk":"test/1","fallback":"otp"}"#
            _ = try ServerFixture.call(port, "POST", path, caller, body: fallback)
            _ = try ServerFixture.call(port, "POST", path + "/otp", caller, body: "{}")
            let inbox = try ServerFixture.call(port, "GET", "/sandbox/messages")
            #expect(inbox.text.contains("1234"))
            let verified = try ServerFixture.call(port, "POST", path + "/otp/verify", caller, body: #"{"code":"1234"}"#)
            #expect(verified.status == 200, "\(verified.text)")
            let status = try ServerFixture.status(port, token, session.member("correlationId"))
            #expect(status.member("success") == "true", "\(status.text)")
        }
    }

    @Test func `keeps sessions and keys over a restart`() async throws {
        defer { cleanUp() }
        let (token, correlationID, keys) = try await withServer { _, port in
            let token = try ServerFixture.token(port)
            let session = try ServerFixture.unify(port, token)
            return (
                token, session.member("correlationId"),
                try ServerFixture.call(port, "GET", "/.well-known/jwks.json").text
            )
        }
        try await withServer { _, port in
            #expect(try ServerFixture.call(port, "GET", "/.well-known/jwks.json").text == keys)
            // Another port is another issuer: only the session's own state has to be there.
            let fresh = try ServerFixture.token(port)
            #expect(fresh != token)
            #expect(try ServerFixture.status(port, fresh, correlationID).member("success") == "pending")
        }
    }

    @Test func `refuses a second server on the same data`() async throws {
        defer { cleanUp() }
        try await withServer { _, _ in
            let second = try ServerFixture.configuration(directory)
            await #expect(throws: StartFault.self) {
                _ = try await Assembly(second, sink: LogSink(descriptor: 2)) { _ in }
            }
        }
    }

    @Test(arguments: ["HOLDFAST_SERVER_PORT", "HOLDFAST_SERVER_OPERATIONS_PORT"])
    func `names the setting of a port that is taken`(setting: String) async throws {
        defer { cleanUp() }
        try await withServer { _, port in
            let other = ServerFixture.freshDirectory()
            defer { try? FileManager.default.removeItem(atPath: other) }
            let second = try ServerFixture.configuration(other, [setting: String(port)])
            let server = try await Assembly(second, sink: LogSink(descriptor: 2)) { _ in }
            let fault = #expect(throws: StartFault.self) { try server.start() }
            #expect(fault?.description.hasPrefix("configuration: ") == true && fault?.reason.contains("in use") == true)
            let name = setting.hasSuffix("OPERATIONS_PORT") ? "server.operationsPort" : "server.port"
            #expect(fault?.reason.hasPrefix(name) == true, "\(fault?.reason ?? "")")
        }
    }

    @Test func `refuses live mode on data of a sandbox`() async throws {
        defer { cleanUp() }
        try await withServer { _, _ in }
        let live = try ConfigurationTests.read(
            """
            {"mode":"live","server":{"publicUrl":"https://a.example"},"data":{"directory":"\(directory)",
             "migrations":"\(ServerFixture.repository)/migrations"}}
            """)
        do {
            _ = try await Assembly(live, sink: LogSink(descriptor: 2)) { _ in }
            Issue.record("it started")
        } catch {
            #expect(error.description.contains("belongs to the other mode"))
        }
    }

    @Test(arguments: [0o644, 0o640, 0o400])
    func `refuses a master key that is open to others, or not 0600`(mode: Int) async throws {
        defer { cleanUp() }
        try await withServer { _, _ in }
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: directory + "/master.key")
        let configuration = try ServerFixture.configuration(directory)
        await #expect(throws: StartFault.self) {
            _ = try await Assembly(configuration, sink: LogSink(descriptor: 2)) { _ in }
        }
    }

    @Test func `makes no new master key for old data`() async throws {
        defer { cleanUp() }
        try await withServer { _, _ in }
        try FileManager.default.removeItem(atPath: directory + "/master.key")
        let configuration = try ServerFixture.configuration(directory)
        await #expect(throws: StartFault.self) {
            _ = try await Assembly(configuration, sink: LogSink(descriptor: 2)) { _ in }
        }
        #expect(!FileManager.default.fileExists(atPath: directory + "/master.key"))
    }

    @Test func `keeps its files to its own user`() async throws {
        defer { cleanUp() }
        try await withServer { _, port in
            _ = try ServerFixture.unify(port, try ServerFixture.token(port))
            let manager = FileManager.default
            for name in try manager.contentsOfDirectory(atPath: directory) {
                let mode = try manager.attributesOfItem(atPath: directory + "/" + name)[.posixPermissions] as? Int
                #expect((mode ?? 0o777) & 0o077 == 0, "\(name)")
            }
        }
    }

    @Test func `shows requests, the writer and the process in its metrics`() async throws {
        defer { cleanUp() }
        try await withServer { _, port in
            _ = try ServerFixture.unify(port, try ServerFixture.token(port))
            let metrics = try ServerFixture.call(port, "GET", "/metrics").text
            for line in [
                #"holdfast_http_requests_total{method="POST",route="/v3/unify",status="200"} 1"#, "holdfast_loops 1",
                #"holdfast_writer_batch_size_bucket{le="1"}"#, "holdfast_writer_queue ", "holdfast_wal_bytes ",
                "holdfast_http_connections_open ", "process_resident_memory_bytes ", "process_open_fds ",
                "holdfast_http_connections_accepted_total 3",
            ] { #expect(metrics.contains(line), "\(line)") }
        }
    }

    @Test func `says it is not ready while it drains`() async throws {
        defer { cleanUp() }
        let configuration = try ServerFixture.configuration(directory)
        let server = try await Assembly(configuration, sink: LogSink(descriptor: -1)) { _ in }
        let port = UInt16(try #require(try server.start().first?.port))
        #expect(try ServerFixture.call(port, "GET", "/readyz").status == 200)
        // The notice is longer than the test: it ends with its task.
        let shutDown = Task { await server.shutDown(notice: .seconds(600)) }
        while try ServerFixture.call(port, "GET", "/readyz").status == 200 { await Task.yield() }
        #expect(try ServerFixture.call(port, "GET", "/healthz").status == 200)
        shutDown.cancel()
        await shutDown.value
        #expect(throws: ControlClient.Failure.nobody) { try ServerFixture.call(port, "GET", "/healthz") }
    }
}
