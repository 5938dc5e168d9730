import Foundation
import Holdfast

private let oneCallAStep = ["POST /session", "POST /session/otp", "POST /session/otp/verify"]

let otpScenes = [
    Scene("otp: the right code, one call a step") { stage in
        try await stage.expect(
            acts: [.number(nil), .code("12 34")], asked: ["otpStart(false)", "otpFinish", "finish"],
            calls: oneCallAStep, result: "true")
    },
    Scene("otp: three wrong codes end the session") { stage in
        try await stage.expect(
            "2001004015", ["allowOTPRetry": .bool(true)],
            acts: [.number(nil), .code("1111"), .code("1112"), .code("1113")],
            asked: ["otpStart(false)", "otpFinish", "otpFinish otp_mismatch", "otpFinish otp_mismatch", "finish"],
            calls: oneCallAStep + ["POST /session/otp/verify", "POST /session/otp/verify"], result: "false")
    },
    Scene("otp: one wrong code, then the right one") { stage in
        try await stage.expect(
            "2001004014", ["allowOTPRetry": .bool(true)], acts: [.number(nil), .code("1111"), .code("1234")],
            asked: ["otpStart(false)", "otpFinish", "otpFinish otp_mismatch", "finish"],
            calls: oneCallAStep + ["POST /session/otp/verify"], result: "true")
    },
    Scene("otp: what is no code is not sent") { stage in
        try await stage.expect(
            acts: [.number(nil), .code("12"), .code("1234")],
            asked: ["otpStart(false)", "otpFinish", "otpFinish otp_mismatch", "finish"], calls: oneCallAStep,
            result: "true")
    },
    Scene("otp: a second message, and no fourth") { stage in
        let session = try await stage.backend.unify("2001004014")
        let person = Person([.number(nil), .resend, .resend, .resend, .code("1234")])
        try await stage.expectEnd(of: session, stage.client(person))
        try await same(
            person.asked,
            ["otpStart(false)", "otpFinish", "otpFinish", "otpFinish", "otpFinish sends_exhausted", "finish"],
            "what the person was asked")
        try await same(stage.backend.messages(of: session).count, 3, "number of messages")
        try await same(stage.backend.result(of: session), "true", "the result")
    },
    Scene("otp: the number is asked for, until it is one") { stage in
        try await stage.expect(
            nil, acts: [.number(""), .number("12"), .number("2001004014"), .code("1234")],
            asked: [
                "otpStart(true)", "otpStart(true) phone_number_required", "otpStart(true) phone_number_invalid",
                "otpFinish", "finish",
            ], result: "true")
    },
    Scene("otp: another number") { stage in
        try await stage.expect(
            nil, acts: [.number("2001004015"), .otherNumber, .number("2001004014"), .code("1234")],
            asked: ["otpStart(true)", "otpFinish", "otpStart(true)", "otpFinish", "finish"],
            calls: ["POST /session", "POST /session/otp", "POST /session/otp/phone", "POST /session/otp/verify"],
            result: "true")
    },
    Scene("otp: the person gives up") { stage in
        try await stage.expect(
            acts: [.number(nil), .giveUp], asked: ["otpStart(false)", "otpFinish", "finish"],
            calls: ["POST /session", "POST /session/otp", "POST /session/cancel"], fails: .cancelled, result: "false")
    },
    Scene("otp: the app's task is cancelled") { stage in
        let session = try await stage.backend.unify("2001004014")
        let person = Person([.number(nil), .wait])
        let going = Task { try await stage.expectEnd(of: session, stage.client(person), fails: .cancelled) }
        while await person.asked.count < 2 { await Task.yield() }
        going.cancel()
        try await going.value
        try await same(person.asked, ["otpStart(false)", "otpFinish", "finish"], "what the person was asked")
        try await same(stage.backend.result(of: session), "false", "the result")
    },
    Scene("otp: an app without steps ends without a proof") { stage in
        let session = try await stage.backend.unify("2001004014")
        var options = PossessionClient.Options()
        options.keyDirectory = stage.directory
        let client = PossessionClient(steps: PossessionSteps(), options: options)
        try await stage.expectEnd(of: session, client)
        try await same(stage.backend.result(of: session), "false", "the result")
    },
    Scene("token: another device comes too late") { stage in
        let session = try await stage.backend.unify("2001004014")
        let person = Person([.number(nil), .wait])
        let going = Task { try await stage.client(person).authenticate(session.authToken) }
        while await person.asked.count < 2 { await Task.yield() }
        let other = stage.client(Person([])) { $0.keyDirectory = stage.directory.appendingPathComponent("other") }
        try await stage.expectEnd(of: session, other, fails: .tokenAlreadyUsed)
        going.cancel()
        _ = await going.result
        try await same(stage.backend.result(of: session), "false", "the result")
    },
    Scene("token: one of a strange server is not used") { stage in
        let session = try await stage.backend.unify("2001004014")
        let network = Network()
        let client = stage.client(Person([]), over: network) { $0.servers = ["https://auth.example"] }
        try await stage.expectEnd(of: session, client, fails: .serverNotExpected)
        try same(network.all, [], "what went out")
    },
    Scene("token: two calls with one token are one run") { stage in
        let session = try await stage.backend.unify("2001004014")
        let person = Person([.number(nil), .code("1234")])
        let client = stage.client(person)
        async let first: Void = client.authenticate(session.authToken)
        async let second: Void = client.authenticate(session.authToken)
        _ = try await (first, second)
        try await same(person.asked, ["otpStart(false)", "otpFinish", "finish"], "what the person was asked")
        try await same(stage.backend.result(of: session), "true", "the result")
    },
]
