import Locks
import Foundation
import TestSupport
import Testing

@testable import Administration
@testable import HTTPServer
@testable import Observation
@testable import Wiring

/// A whole server on a free port, with its data in a directory of its own.
struct ServerFixture {
    static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    private static let made = Locked<[String]>([])
    /// Some tests restart a server on the same data, so directories stay until the process ends.
    private static let removesAtExit: Void = {
        atexit { for path in ServerFixture.made.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) } }
    }()

    /// A short path: a local socket's name has room for 107 bytes.
    static func freshDirectory() -> String {
        _ = removesAtExit
        let path = "/tmp/holdfast-\(UInt64.random(in: 0...UInt64.max))"
        made.withLock { $0.append(path) }
        return path
    }

    static func configuration(_ directory: String, _ environment: [String: String] = [:]) throws -> Configuration {
        let text = """
            {"mode":"sandbox","server":{"host":"127.0.0.1","port":0,"loops":1},"data":{"directory":"\(directory)",
             "migrations":"\(repository)/migrations"},"sandbox":{"usersFile":"\(repository)/config/sandbox-users.json",
             "clients":{"sandbox":{"secret":"sandbox-secret"}}}}
            """
        return try Configuration(
            ConfigurationSources(environment: environment, file: (path: "/test.json", text: Array(text.utf8))))
    }

    /// Runs `body`, which may block, beside a started server, and ends the server in good order.
    static func withServer<Result>(
        _ configuration: Configuration, _ body: (_ server: Assembly, _ port: UInt16) async throws -> Result
    ) async throws -> Result {
        try await withServerAndLog(configuration, body).result
    }

    /// The same, with what the server logged.
    static func withServerAndLog<Result>(
        _ configuration: Configuration, _ body: (_ server: Assembly, _ port: UInt16) async throws -> Result
    ) async throws -> (result: Result, log: [[String: Any]]) {
        let pipe = LogTests.Pipe()
        let sink = LogSink(descriptor: pipe.write)
        let server = try await Assembly(configuration, sink: sink) { Issue.record("storage failed: \($0)") }
        let addresses = try server.start()
        let port = try #require(addresses.first?.port)
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await OwnThread.run { try await body(server, UInt16(port)) })
        } catch {
            result = .failure(error)
        }
        await server.shutDown(notice: .zero)
        sink.flush(within: .seconds(60))
        let log = String(decoding: pipe.contents(), as: UTF8.self)
        for secret in ["sandbox-secret", "2001004014", "eyJ"] { #expect(!log.contains(secret)) }
        let lines = log.split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        return (try result.get(), lines)
    }

    struct Answer {
        let status: Int
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }

        func member(_ name: String) -> String {
            let object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
            return object?[name] as? String ?? ""
        }
    }

    /// One request over a connection of its own.
    static func call(
        _ port: UInt16, _ method: String, _ path: String, _ headers: [String] = [], host: String = "localhost",
        body: String = ""
    ) throws -> Answer {
        let answer = try ControlClient(loopbackPort: port).exchange(
            method, path, Array(body.utf8), headers, host: host)
        return Answer(status: answer.status, body: answer.body)
    }

    static func token(_ port: UInt16) throws -> String {
        try call(
            port, "POST", "/token", ["Content-Type: application/x-www-form-urlencoded"],
            body: "client_id=sandbox&client_secret=sandbox-secret&grant_type=client_credentials"
        ).member("access_token")
    }

    static func unify(_ port: UInt16, _ token: String) throws -> Answer {
        try call(
            port, "POST", "/v3/unify", ["Content-Type: application/json", "Authorization: Bearer \(token)"],
            body: #"{"phoneNumber":"2001004014","possessionType":"mobile","clientRequestId":"r"}"#)
    }

    static func status(_ port: UInt16, _ token: String, _ correlationID: String) throws -> Answer {
        try call(
            port, "POST", "/v3/unify-status", ["Content-Type: application/json", "Authorization: Bearer \(token)"],
            body: #"{"correlationId":"\#(correlationID)"}"#)
    }
}
