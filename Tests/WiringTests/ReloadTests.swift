import Foundation
import Locks
import Logging
import Engine
import Possession
import Testing
import Text

@testable import Sandbox
@testable import Observation
@testable import Wiring

/// Settings and files that a server takes over while it runs (contract section 9).
@Suite struct ReloadTests {
    let directory = ServerFixture.freshDirectory()

    private func cleanUp() { try? FileManager.default.removeItem(atPath: directory) }

    private func write(users: [String]) throws {
        let entries = users.map { #"{"number":"\#($0)","name":"A","region":"NA","product":"unify"}"# }
        try Data(#"{"users":[\#(entries.joined(separator: ","))]}"#.utf8).write(to: URL(filePath: file))
    }

    private var file: String { directory + "/users.json" }

    private func configuration(_ more: [String: String] = [:]) throws -> Configuration {
        try ServerFixture.configuration(
            directory + "/data", more.merging(["HOLDFAST_SANDBOX_USERS_FILE": file]) { own, _ in own })
    }

    private func unify(_ port: UInt16, _ token: String, _ number: String) throws -> Int {
        try ServerFixture.call(
            port, "POST", "/v3/unify", ["Content-Type: application/json", "Authorization: Bearer \(token)"],
            body: #"{"phoneNumber":"\#(number)","possessionType":"mobile"}"#
        ).status
    }

    @Test func `takes over users and level, and keeps both when a file is wrong`() async throws {
        defer { cleanUp() }
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        try write(users: ["2015550101", "2015550102"])
        let running = try configuration()
        try await ServerFixture.withServer(running) { server, port in
            let token = try ServerFixture.token(port)
            #expect(try unify(port, token, "2015550102") == 200)
            #expect(try unify(port, token, "2015550103") == 400)

            try write(users: ["2015550101", "2015550103"])
            let wanted = try configuration(["HOLDFAST_LOG_LEVEL": "debug"])
            server.reload { wanted }
            #expect(try unify(port, token, "2015550101") == 200)
            #expect(try unify(port, token, "2015550102") == 400)
            #expect(try unify(port, token, "2015550103") == 200)
            #expect(server.sink.level.withLock { $0 } == .debug)

            try Data("{".utf8).write(to: URL(filePath: file))
            server.reload { running }
            #expect(try unify(port, token, "2015550103") == 200)
            #expect(server.sink.level.withLock { $0 } == .debug, "nothing changes when one part is wrong")
            server.reload { () throws(ConfigurationFault) in throw ConfigurationFault("wrong") }
            #expect(try unify(port, token, "2015550103") == 200)
        }
    }

    private func write(text: String) throws {
        let catalog = """
            {"defaultLocale":"en","texts":[{"purpose":"code","channel":"sms","locale":"en","text":"\(text)"},
             {"purpose":"link","channel":"sms","locale":"en","text":"{link}"}]}
            """
        try Data(catalog.utf8).write(to: URL(filePath: directory + "/texts.json"))
    }

    @Test func `takes over texts of messages and brand, and keeps both when the file is wrong`() async throws {
        defer { cleanUp() }
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        try write(users: ["2015550101"])
        try write(text: "one {code}")
        let settings = ["HOLDFAST_MESSAGING_TEXTS_FILE": directory + "/texts.json"]
        let running = try configuration(settings)
        let log = try await ServerFixture.withServerAndLog(running) { server, _ in
            let text = {
                let texts = server.texts.withLock { $0 }
                let found = texts.catalog.text(.code, over: .sms, to: nil, for: [])
                return found?.entry.text.filled(with: .init(secret: "1", brand: texts.brand, minutes: 1)) ?? ""
            }
            #expect(text() == "one 1")
            try write(text: "two {code} {brand}")
            server.reload { running }
            #expect(text() == "one 1", "nobody is named")
            let wanted = try configuration(settings.merging(["HOLDFAST_MESSAGING_BRAND": "Shop"]) { own, _ in own })
            server.reload { wanted }
            #expect(text() == "two 1 Shop")
            #expect(Assembly.settingsThatWait(running, wanted) == [])
            try write(text: "three")
            server.reload { wanted }
            #expect(text() == "two 1 Shop")
            try write(text: "it\u{2019}s {code}")
            server.reload { wanted }
            #expect(text() == "it\u{2019}s 1")
        }.log
        let messages = log.compactMap { $0["message"] as? String }
        #expect(messages.filter { $0 == "not reloaded: everything stays as it was" }.count == 2)
        #expect(messages.filter { $0 == "reloaded" }.count == 2)
        #expect(messages.filter { $0.hasPrefix("messaging.textsFile: texts[0].text: the character") }.count == 1)
    }

    @Test func `names the settings that wait for a restart, and no others`() throws {
        let running = try configuration()
        let wanted = try configuration([
            "HOLDFAST_LOG_LEVEL": "error", "HOLDFAST_SERVER_LOOPS": "2", "HOLDFAST_OTP_CODE_LENGTH": "6",
            "HOLDFAST_SANDBOX_USERS_FILE": "/other",
        ])
        #expect(Assembly.settingsThatWait(running, running) == [])
        #expect(Assembly.settingsThatWait(running, wanted) == ["server.loops"])
    }

    @Test func `limits of another mode wait with it`() throws {
        let running = try ServerFixture.configuration(directory + "/data", [:])
        var wanted = running
        wanted.mode = .live
        wanted.limits.overSessions.sendsPerDay = 7
        let waiting = Assembly.settingsThatWait(running, wanted)
        #expect(waiting.contains("mode") && waiting.contains("limits.sendsPerNumberPerDay"))
    }

    @Test func `takes over limits and budgets`() async throws {
        defer { cleanUp() }
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        try write(users: ["2015550101"])
        let settings = ["HOLDFAST_LIMITS_ENFORCE_IN_SANDBOX": "true"]
        let running = try configuration(settings)
        let log = try await ServerFixture.withServerAndLog(running) { server, _ in
            let wanted = try configuration([
                "HOLDFAST_LIMITS_ENFORCE_IN_SANDBOX": "false", "HOLDFAST_LIMITS_SENDS_PER_NUMBER_PER_DAY": "7",
                "HOLDFAST_LIMITS_KNOWN_NETWORKS": "192.0.2.0/24", "HOLDFAST_GUARD_BUDGET_PER_DAY": "50",
                "HOLDFAST_OTP_CODE_LENGTH": "6", "HOLDFAST_LIMITS_RETENTION_SECONDS": "7200",
                "HOLDFAST_LIMITS_UNANSWERED_PER_COUNTRY": "800", "HOLDFAST_LIMITS_LINE_TYPES": "mobile,voip",
            ])
            server.reload { wanted }
            for limits in [server.engine.limits, server.store.limits.limits] {
                #expect(limits.overSessions?.sendsPerDay == 7, "still enforced: that waits")
                #expect(limits.overSessions?.spend.perDay == 50 * SpendGuard.unit)
                #expect(limits.overSessions?.sizes.country.start == 800)
                #expect(limits.overSessions?.knownNetworks.contains(IPAddress("192.0.2.9")) == true)
                #expect(limits.otpCodeLength == 6)
                #expect(limits.lineTypes == [.mobile, .voiceOverIP])
                #expect(limits.retention == .seconds(86_400), "this waits")
            }
            server.reload { running }
            #expect(server.engine.limits.overSessions?.sendsPerDay == 10)
            #expect(server.engine.limits.lineTypes == nil)
        }.log
        let contexts = log.compactMap { $0["context"] as? [String: Any] }
        let changes = contexts.compactMap { $0["changes"] as? [String] }
        #expect(
            changes.first?.filter { !$0.hasPrefix("sandbox") } == [
                "guard.budgetPerDay: 0 to 50", #"limits.knownNetworks: none to "192.0.2.0/24""#,
                #"limits.lineTypes: none to ["mobile","voip"]"#,
                "limits.sendsPerNumberPerDay: 10 to 7", "limits.unansweredPerCountry: 400 to 800",
                "otp.codeLength: 4 to 6",
            ])
        #expect(changes.count == 2)
        let waiting = contexts.compactMap { $0["settings"] as? [String] }.first
        #expect(waiting == ["limits.enforceInSandbox", "limits.retentionSeconds"])
    }

    @Test func `counts users that are new and gone`() throws {
        let entries = { (numbers: [String]) in
            let users = numbers.map { #"{"number":"\#($0)","name":"A","region":"NA","product":"unify"}"# }
            return try SandboxUsersFile(Array(#"{"users":[\#(users.joined(separator: ","))]}"#.utf8)).entries
        }
        let list = SandboxUserList(try entries(["2015550101", "2015550102"]))
        let users = list.users
        let change = list.replace(with: try entries(["2015550102", "2015550103", "2015550104"]))
        #expect(change == SandboxUserList.Change(count: 3, added: 2, removed: 1))
        #expect(users.user(sentAs: "2015550101") == nil)
        #expect(users.user(sentAs: "+12015550104") != nil)
        #expect(users.all.count == 3)
    }
}
