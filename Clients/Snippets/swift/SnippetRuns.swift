import Foundation
import Holdfast

/// Plays the scenes of a file, and those that are Swift's alone, with the guide's classes: SCENES SCRATCH-DIRECTORY.
@main
struct SnippetRuns {
    private static let inge = "2001004016"
    private static let lorant = "2001004014"

    let backend: Backend
    let scratch: URL

    static func main() async throws {
        setvbuf(stdout, nil, _IOLBF, 0)
        let words = CommandLine.arguments
        let backend = try await Backend.connected(to: ProcessInfo.processInfo.environment["SANDBOX_URL"] ?? "")
        let runs = SnippetRuns(backend: backend, scratch: URL(fileURLWithPath: words[2], isDirectory: true))
        var failed = false
        for scene in try JSON(try Data(contentsOf: URL(fileURLWithPath: words[1]))).array ?? [] {
            if let platforms = scene["platforms"]?.array, !platforms.contains("swift") { continue }
            let name = scene["name"]?.string ?? ""
            let snippets = ["start", "finish", "retry"].compactMap { scene[$0]?.string }
            let isLinkOpened = scene["person"]?.array?.contains("approves") == true
            failed = await !runs.scene(name, snippets + (isLinkOpened ? ["finish-instant-link"] : [])) {
                try await runs.play(scene)
            } || failed
        }
        let whole = [
            "initialize", "authenticator", "authenticate", "otp-start-no-prompt", "otp-finish-no-prompt", "verify",
            "send-info",
        ]
        failed = await !runs.scene("the whole sign-up", whole) { try await runs.signUp() } || failed
        failed = await !runs.scene("test mode", ["test-mode"]) { try await runs.testMode() } || failed
        failed = await !runs.scene("a failure is shown", ["authenticate"]) { try await runs.failure() } || failed
        exit(failed ? 1 : 0)
    }

    private func scene(_ name: String, _ snippets: [String], _ body: () async throws -> Void) async -> Bool {
        let names = snippets.map { "swift/\($0)" }.joined(separator: " ")
        do {
            try await body()
            print("ok Linux | \(name) | \(names)")
            return true
        } catch {
            print("FAILED Linux | \(name) | \(names)\n\(error)")
            return false
        }
    }

    private func play(_ scene: JSON) async throws {
        let app = try await App(scene)
        let isLink = scene["start"]?.string?.hasPrefix("link") == true
        var fields: [String: JSON] = ["allowOTPRetry": scene["allowOTPRetry"] ?? .bool(false)]
        if isLink { fields["finalTargetUrl"] = "https://app.example/done" }
        let session = try await backend.unify(scene["phoneNumber"]?.string, fields)
        let proveAuth = app.proveAuth(scratch)
        let sentTo = scene["sentTo"]?.array?.compactMap(\.string) ?? []
        let phone = Task {
            while !Task.isCancelled {
                if let decision = await app.decision, try await self.sentTo(session) == sentTo {
                    return proveAuth.resume(redirectUrl: try await backend.openLink(of: session, decision: decision))
                }
                try await Task.sleep(nanoseconds: 20_000_000)
            }
        }
        var end = "done"
        do {
            try await proveAuth.authenticate(session.authToken)
        } catch {
            end = error.reason?.name.rawValue ?? "\(error)"
        }
        phone.cancel()
        try same(app.steps, scene["steps"]?.array?.compactMap(\.string) ?? [], "what was run")
        try same(end, scene["ends"]?.string ?? "done", "the end")
        try same(app.wrong, [], "what went wrong at the sheets")
        try await same(self.sentTo(session), sentTo, "the numbers of the messages")
        try await same(backend.result(of: session), scene["success"]?.string ?? "", "the result")
    }

    private func sentTo(_ session: Backend.Session) async throws -> [String] {
        try await backend.messages(of: session).compactMap { $0["to"]?.string.map { String($0.suffix(10)) } }
    }

    private func signUp() async throws {
        let token = try await withCheckedThrowingContinuation { continuation in
            initialize(phoneNumber: "2001001693", ssn: "6227", flowType: "mobile") { continuation.resume(with: $0) }
        }
        let page = SignUp(authenticator())
        page.authenticate(token)
        if let error = await FinishAuthStep.finished.error() { throw error }
        let answer: [String: Any] = try await withCheckedThrowingContinuation { continuation in
            sendInfo(firstName: "Marcia", lastName: "Longo") { continuation.resume(with: $0) }
        }
        guard answer["success"] as? Bool == true else { throw Failure("the form's answer is \(answer)") }
    }

    private func testMode() async throws {
        // The sign-up has bound the key of this device to another number.
        let session = try await backend.unify(Self.inge, ["rebind": .bool(true)])
        try await testModeAuthenticator().authenticate(session.authToken)
        // The backend has begun another session, so that `verify` hears a refusal, and tells its completion.
        guard await FinishAuthStep.finished.error() != nil else { throw Failure("verify has no error") }
        try await same(backend.result(of: session), "true", "the result")
    }

    private func failure() async throws {
        let page = SignUp(authenticator())
        page.authenticate("no token")
        while await MainActor.run(body: { page.messages.finalResultMessage.isEmpty }) { await Task.yield() }
        let message = await MainActor.run { page.messages.finalResultMessage }
        try same(
            message, "ProveAuth.authenticate returned error: Something went wrong. Please try again later.", "what is shown")
    }
}
