import Foundation
import Observation
import Possession
import Testing
import Tokens

@testable import PhoneNumbers
@testable import Wiring

/// The numbering plan of a server: its file, its age, and what becomes of numbers that it does not know.
@Suite struct NumberingPlanWiringTests {
    let directory = ServerFixture.freshDirectory()
    private var file: String { directory + "/plan" }

    private func make() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    }

    private func cleanUp() { try? FileManager.default.removeItem(atPath: directory) }

    /// The tables of the program's plan under another head.
    private func write(version: String, released: String) throws {
        let head = Array("holdfast-numbering-plan 1\nversion \(version)\nreleased \(released)\n\n".utf8)
        let content = head + PlanFile.builtIn.tables
        try Data(content + SHA256.digest(content)).write(to: URL(filePath: file))
    }

    private func configuration(_ more: [String: String] = [:]) throws -> Configuration {
        try ServerFixture.configuration(directory + "/data", more)
    }

    private static func seconds(_ date: String) -> Timestamp {
        Timestamp(seconds: Int64(try! Date.ISO8601FormatStyle().parse(date + "T00:00:00Z").timeIntervalSince1970))
    }

    @Test func `the settings are read and printed`() throws {
        #expect(try configuration().numbers == .init(planFile: nil, unknownRanges: .allow))
        let set = try configuration(["HOLDFAST_NUMBERS_PLAN_FILE": "/p", "HOLDFAST_NUMBERS_UNKNOWN_RANGES": "refuse"])
        #expect(set.numbers == .init(planFile: "/p", unknownRanges: .refuse))
        #expect(set.report.contains(#""planFile": "/p""#) && set.report.contains(#""unknownRanges": "refuse""#))
    }

    @Test func `a start looks at the file, and a broken one is a mistake`() throws {
        defer { cleanUp() }
        try make()
        #expect(StartChecks(try configuration()).plan == .builtIn)
        let settings = ["HOLDFAST_NUMBERS_PLAN_FILE": file]
        let missing = StartChecks(try configuration(settings)).mistakes
        #expect(missing == ["numbers.planFile: \(file) cannot be read: No such file or directory"])
        try write(version: "99.1", released: "2026-11-20")
        let checks = StartChecks(try configuration(settings))
        #expect(checks.mistakes.isEmpty)
        #expect(checks.plan?.line == "numbering plan 99.1 of 2026-11-20")
        try Data("{}".utf8).write(to: URL(filePath: file))
        let wrong = StartChecks(try configuration(settings)).mistakes
        #expect(wrong == ["numbers.planFile: \(file) is no numbering plan: scripts/numbering-plan writes one"])
    }

    @Test func `a plan is old after a year, and one that is older than the program's is told at once`() throws {
        defer { cleanUp() }
        try make()
        try write(version: "99.1", released: "2030-01-01")
        let plan = try configuration(["HOLDFAST_NUMBERS_PLAN_FILE": file]).plan()
        #expect(plan.warning(at: Self.seconds("2031-01-01")) == nil)
        #expect(plan.warning(at: Self.seconds("2031-01-02"))?.contains("99.1 of 2030-01-01 is over a year old") == true)
        #expect(plan.ageSeconds(at: Self.seconds("2030-01-03")) == 2 * 86_400)
        #expect(plan.ageSeconds(at: Self.seconds("2029-01-03")) == 0)
        try write(version: "8.12.57", released: "2022-10-14")
        let old = try configuration(["HOLDFAST_NUMBERS_PLAN_FILE": file]).plan()
        #expect(old.warning(at: Self.seconds("2022-10-15"))?.contains("is older than the one in the program") == true)
    }

    @Test func `the age is a figure, and the version is told`() {
        var text = MetricsText()
        PlanFigures.collect(.builtIn, at: Timestamp(seconds: PlanFile.builtIn.releasedSeconds + 60), &text)
        let version = PlanFile.builtIn.version
        #expect(
            String(decoding: text.bytes, as: UTF8.self)
                .contains(#"holdfast_numbering_plan_age_seconds{version="\#(version)"} 60"#))
        #expect(BuildInfo.lines.hasSuffix("\nnumbering plan \(version) of \(PlanFile.builtIn.released)"))
    }

    private func unify(_ port: UInt16, _ token: String, _ number: String) throws -> ServerFixture.Answer {
        try ServerFixture.call(
            port, "POST", "/v3/unify", ["Content-Type: application/json", "Authorization: Bearer \(token)"],
            body: #"{"phoneNumber":"\#(number)","possessionType":"mobile"}"#)
    }

    @Test func `SIGHUP takes a newer plan, and keeps it when the file is broken`() async throws {
        defer { cleanUp() }
        try make()
        let settings = ["HOLDFAST_NUMBERS_PLAN_FILE": file]
        let (running, wanted) = (try configuration(), try configuration(settings))
        #expect(Assembly.settingsThatWait(running, wanted).isEmpty)
        let log = try await ServerFixture.withServerAndLog(running) { server, _ in
            try write(version: "99.1", released: "2026-11-20")
            server.reload { wanted }
            #expect(server.numberingPlan.file.version == "99.1")
            try Data("{}".utf8).write(to: URL(filePath: file))
            server.reload { wanted }
            #expect(server.numberingPlan.file.version == "99.1")
            server.reload { running }
            #expect(server.numberingPlan.file == .builtIn)
        }.log
        let built = PlanFile.builtIn
        let contexts = log.map { $0["context"] as? [String: Any] ?? [:] }
        let changes = contexts.compactMap { $0["changes"] as? [String] }
        #expect(changes.first?.last == "numbering plan \(built.version) of \(built.released) to 99.1 of 2026-11-20")
        #expect(contexts.compactMap { $0["reason"] as? String }.contains { $0.contains("is no numbering plan") })
        let versions = contexts.filter { $0["released"] != nil }.compactMap { $0["version"] as? String }
        #expect(versions == [built.version, "99.1", built.version])
    }

    /// K1 of bug findings: such a number did not exist, for the whole life of a distribution.
    @Test(arguments: [("allow", 200), ("refuse", 400)])
    func `a number in no known range is taken or refused with the reason`(policy: String, status: Int) async throws {
        defer { cleanUp() }
        try make()
        let settings = ["HOLDFAST_SANDBOX_UNKNOWN_NUMBERS": "simulate", "HOLDFAST_NUMBERS_UNKNOWN_RANGES": policy]
        try await ServerFixture.withServer(try configuration(settings)) { _, port in
            let token = try ServerFixture.token(port)
            let unknown = try unify(port, token, "+12001009999")
            #expect(unknown.status == status)
            let reason = "is in no range that the numbering plan \(PlanFile.builtIn.version) knows"
            #expect(unknown.text.contains(reason) == (status == 400))
            #expect(try unify(port, token, "+2290197000000").status == 200)
            #expect(try unify(port, token, "+22997000000").status == 200)
            #expect(try unify(port, token, "+22917000").text.contains("is not a possible phone number"))
        }
    }
}
