import Foundation
import Holdfast

/// The process is killed at each step, and another one goes on with the same token and the same keys.
let killScenes = [
    kill(at: "POST /session", then: ["otpStart(false)", "otpFinish", "finish"]),
    kill(at: "otpStart", then: ["otpStart(false)", "otpFinish", "finish"]),
    kill(at: "POST /session/otp", then: ["otpFinish", "finish"]),
    kill(at: "otpFinish", then: ["otpFinish", "finish"]),
    kill(at: "POST /session/otp/verify", then: ["finish"]),
    kill(at: "finish", then: ["finish"]),
    kill(at: "POST /session/device", usesDeviceKey: true, then: ["otpStart(false)", "otpFinish", "finish"]),
]

private func kill(at place: String, usesDeviceKey: Bool = false, then asked: [String]) -> Scene {
    Scene("killed at \(place), and started again") { stage in
        let session = try await stage.backend.unify("2001004014")
        try await runAndKill(session.authToken, stage.directory, at: place, usesDeviceKey: usesDeviceKey)
        let acts: [Person.Act] = asked.compactMap {
            switch $0 {
            case "otpStart(false)": .number(nil)
            case "otpFinish": .code("1234")
            default: nil
            }
        }
        let person = Person(acts)
        try await stage.expectEnd(of: session, stage.client(person) { $0.usesDeviceKey = usesDeviceKey })
        try await same(person.asked, asked, "what the person was asked")
        try await same(stage.backend.messages(of: session).count, 1, "number of messages")
        try await same(stage.backend.result(of: session), "true", "the result")
    }
}

/// Runs this program as another process until it says that it is at the place, and kills it there.
private func runAndKill(_ token: String, _ directory: URL, at place: String, usesDeviceKey: Bool) async throws {
    let child = Process()
    let output = Pipe()
    child.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    child.arguments = ["child", directory.path, place, usesDeviceKey ? "device" : "none"]
    child.standardOutput = output
    // A token is no argument: every user of the machine can read those.
    let input = Pipe()
    child.standardInput = input
    try child.run()
    try input.fileHandleForWriting.write(contentsOf: Data(token.utf8))
    try input.fileHandleForWriting.close()
    let said: String = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(returning: String(decoding: output.fileHandleForReading.availableData, as: UTF8.self))
        }
    }
    Foundation.kill(child.processIdentifier, SIGKILL)
    child.waitUntilExit()
    try same(said, "here\n", "what the child said")
}

/// The other process: runs a session, and stops at a call whose answer never comes, or at a step.
func runChild(_ directory: URL, stopAt place: String, usesDeviceKey: Bool) async {
    let token = String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
    var options = PossessionClient.Options()
    options.transport = Network { call, _ in call == place ? .stopped : .well }
    options.keyDirectory = directory
    options.usesDeviceKey = usesDeviceKey
    let otp = PossessionSteps.OTP(
        start: { _ in
            if place == "otpStart" { await stop() }
            return nil
        },
        finish: { _ in
            if place == "otpFinish" { await stop() }
            return .code("1234")
        })
    let steps = PossessionSteps(finish: { _ in if place == "finish" { await stop() } }, otp: otp)
    try? await PossessionClient(steps: steps, options: options).authenticate(token)
}

/// Says so, and stays. Ends by itself in case that nobody kills it.
func stop() async {
    say("here")
    try? await Task.sleep(nanoseconds: 30_000_000_000)
}
