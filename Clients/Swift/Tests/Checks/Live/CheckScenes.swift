import Foundation
import Holdfast

/// Instant link, device key, Mobile Auth.
let checkScenes = [
    Scene("link: approved on the phone") { stage in
        try await playLink(stage, decision: "approve", result: "true")
    },
    Scene("link: denied on the phone") { stage in
        try await playLink(stage, decision: "deny", result: "false")
    },
    Scene("link: sent again") { stage in
        let (session, person) = try await beginLink(stage, acts: [.number(nil), .resend, .wait])
        let going = Task { try await stage.expectEnd(of: session, linkClient(stage, person)) }
        while await person.asked.count < 3 { await Task.yield() }
        try await same(stage.backend.messages(of: session).count, 2, "number of messages")
        _ = try await stage.backend.openLink(of: session, decision: "approve")
        try await going.value
        try await same(
            person.asked, ["linkStart(false)", "linkRetry", "linkRetry", "finish"], "what the person was asked")
        try await same(stage.backend.result(of: session), "true", "the result")
    },
    Scene("link: the target opens the app, a strange one does not count") { stage in
        let (session, person) = try await beginLink(stage, acts: [.number(nil), .wait])
        // The poll never returns: only the opening tells.
        let network = Network { call, _ in call == "GET /session" ? .slow(seconds: 0.01) : .well }
        let client = linkClient(stage, person, over: network)
        let going = Task { try await stage.expectEnd(of: session, client) }
        while await person.asked.count < 2 { await Task.yield() }
        try await same(client.open("https://app.example/done?asc=true"), false, "taken without authId")
        let target = try await stage.backend.openLink(of: session, decision: "approve")
        // The poll may have brought the news first.
        _ = await client.open(target)
        try await going.value
        try await same(stage.backend.result(of: session), "true", "the result")
    },
    Scene("device key: the second visit needs no code") { stage in
        let network = Network()
        try await stage.expect(
            "+2001004025", acts: [.number(nil), .code("1234")], over: network, { $0.usesDeviceKey = true },
            asked: ["otpStart(false)", "otpFinish", "finish"],
            calls: ["POST /session", "POST /session/device", "POST /session/otp", "POST /session/otp/verify"],
            result: "true")
        try await stage.expect(
            "+2001004025", acts: [], { $0.usesDeviceKey = true }, asked: ["finish"],
            calls: ["POST /session", "POST /session/device"], result: "true")
        try checkFiles(in: stage.directory)
    },
    Scene("device key: another number does not pass with it") { stage in
        try await stage.expect(
            "+2001004026", acts: [.number(nil), .code("1234")], { $0.usesDeviceKey = true },
            asked: ["otpStart(false)", "otpFinish", "finish"], result: "true")
        try await stage.expect(
            "2001004041", acts: [], { $0.usesDeviceKey = true }, asked: ["finish"], result: "false")
    },
    Scene("mobile auth: the network names the number") { stage in
        try await stage.expect(
            nil, acts: [], { $0.mobileNetwork = Network() }, asked: ["finish"],
            calls: ["POST /session", "POST /session/mobile-auth", "POST /session/mobile-auth/finish"], result: "true")
    },
    Scene("mobile auth: test mode needs no mobile network") { stage in
        try await stage.expect("2001004016", acts: [], { $0.testMode = true }, asked: ["finish"], result: "true")
    },
    Scene("mobile auth: another number on the line leads to the code") { stage in
        try await stage.expect(
            "2001004041", acts: [.number(nil), .code("1234")], { $0.mobileNetwork = Network() },
            asked: ["otpStart(false)", "otpFinish", "finish"], result: "true")
    },
    Scene("mobile auth: a token of the operator names the number over Wi-Fi") { stage in
        try await playToken(
            stage, asked: ["finish"],
            calls: ["POST /session", "POST /session/mobile-auth", "POST /session/mobile-auth/token"])
    },
    Scene("mobile auth: a network whose tokens are not taken leads to the code") { stage in
        try await playToken(
            stage, plmn: "99999", acts: [.number(nil), .code("1234")],
            asked: ["otpStart(false)", "otpFinish", "finish"],
            calls: [
                "POST /session", "POST /session/mobile-auth", "POST /session/mobile-auth/token",
                "POST /session/mobile-auth/finish", "POST /session/otp", "POST /session/otp/verify",
            ])
    },
    Scene("mobile auth: a mobile network without way out leads to the code") { stage in
        let dead = Network { _, _ in .lost }
        try await stage.expect(
            "2001004016", acts: [.number(nil), .code("1234")], { $0.mobileNetwork = dead },
            asked: ["otpStart(false)", "otpFinish", "finish"], result: "true")
        try same(dead.all, ["GET /ma"], "hops")
    },
]

/// On a phone without a mobile network, whose operator gives it a token.
private func playToken(
    _ stage: Stage, plmn: String? = nil, acts: [Person.Act] = [], asked: [String], calls: [String]
) async throws {
    let session = try await stage.backend.unify("2001004016")
    let (person, network) = (Person(acts), Network())
    var options = PossessionClient.Options()
    options.transport = network
    options.keyDirectory = stage.directory
    options.usesDeviceKey = false
    let steps = PossessionSteps(
        finish: { await person.finish($0) }, otp: person.otp,
        operatorToken: {
            let token = try await stage.backend.operatorToken(of: "2001004016")
            return OperatorToken(token.text, plmn: plmn ?? token.plmn)
        })
    try await stage.expectEnd(of: session, PossessionClient(steps: steps, options: options))
    try await same(person.asked, asked, "what the person was asked")
    try same(network.calls, calls, "what went out")
    try await same(stage.backend.result(of: session), "true", "the result")
}

private func beginLink(
    _ stage: Stage, acts: [Person.Act]
) async throws -> (Backend.Session, Person) {
    let target: [String: JSON] = ["finalTargetUrl": "https://app.example/done"]
    return (try await stage.backend.unify("2001004014", type: "desktop", target), Person(acts))
}

private func linkClient(_ stage: Stage, _ person: Person, over network: Network = Network()) -> PossessionClient {
    stage.client(person, over: network, isLink: true) { $0.isSecondary = true }
}

private func playLink(_ stage: Stage, decision: String, result: String) async throws {
    let (session, person) = try await beginLink(stage, acts: [.number(nil), .wait])
    let network = Network()
    let going = Task { try await stage.expectEnd(of: session, linkClient(stage, person, over: network)) }
    while await person.asked.count < 2 { await Task.yield() }
    _ = try await stage.backend.openLink(of: session, decision: decision)
    try await going.value
    try await same(person.asked, ["linkStart(false)", "linkRetry", "finish"], "what the person was asked")
    try same(network.calls, ["POST /session", "POST /session/link"], "what went out")
    try await same(stage.backend.result(of: session), result, "the result")
}

/// The device key is there, for its owner only; the keys of sessions that are over are not.
private func checkFiles(in directory: URL) throws {
    let files = FileManager.default
    let names = try files.contentsOfDirectory(atPath: directory.path)
    try same(names.count { $0.hasPrefix("device.") }, 1, "number of device keys")
    try same(names.count { $0.hasPrefix("session.") || $0.hasPrefix("new.") }, 0, "number of other keys")
    for name in names {
        let mode = try files.attributesOfItem(atPath: directory.appendingPathComponent(name).path)[.posixPermissions]
        try same((mode as? NSNumber)?.intValue ?? 0, 0o600, "mode of \(name)")
    }
}
