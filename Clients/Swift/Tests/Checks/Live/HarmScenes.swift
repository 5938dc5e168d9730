import Foundation
import Holdfast

private let steps = ["POST /session", "POST /session/otp", "POST /session/otp/verify"]

/// Networks and servers that do harm. Whatever they do, no attempt and no message is spent twice.
let harmScenes =
    steps.flatMap { step in
        [
            harm("lost", to: step, .lost), harm("answered into the void", to: step, .answerLost),
            harm("answered by half", to: step, .answerCut), harm("delivered twice", to: step, .doubled, repeats: 0),
            harm("delivered twice, with the second answer", to: step, .answeredAgain),
            harm("slow", to: step, .slow(seconds: 1), repeats: 0), harm("answered by 500", to: step, failing(500)),
            harm("answered by 429 with Retry-After", to: step, failing(429, retryAfter: "1")),
            harm("answered by 503 with Retry-After", to: step, failing(503, retryAfter: "1")),
            harm("answered by a captive portal", to: step, portal),
        ]
    } + [
        Scene("harm: the answer to a wrong code is lost, and costs one attempt") { stage in
            let network = Network { $0 == "POST /session/otp/verify" && $1 == 0 ? .answerLost : .well }
            try await stage.expect(
                "2001004014", ["allowOTPRetry": .bool(true)],
                acts: [.number(nil), .code("1111"), .code("1112"), .code("1234")],
                over: network,
                asked: ["otpStart(false)", "otpFinish", "otpFinish otp_mismatch", "otpFinish otp_mismatch", "finish"],
                result: "true")
        },
        Scene("harm: nothing but 500 breaks the run, and the next one goes on") { stage in
            let session = try await stage.backend.unify("2001004014")
            let broken = Network { call, _ in call == "POST /session/otp/verify" ? failing(500) : .well }
            let person = Person([.number(nil), .code("1234")])
            try await stage.expectEnd(of: session, stage.client(person, over: broken), fails: .internal)
            try same(broken.calls.count, 7, "number of calls")
            try await same(person.asked, ["otpStart(false)", "otpFinish"], "what the person was asked")
            let later = Person([.code("1234")])
            try await stage.expectEnd(of: session, stage.client(later))
            try await same(later.asked, ["otpFinish", "finish"], "what the person was asked later")
            try await same(stage.backend.result(of: session), "true", "the result")
        },
        Scene("harm: a limit of a quarter of an hour is not waited for") { stage in
            let session = try await stage.backend.unify("2001004014")
            let network = Network { call, _ in call == "POST /session/otp" ? failing(429, retryAfter: "900") : .well }
            let person = Person([.number(nil)])
            try await stage.expectEnd(of: session, stage.client(person, over: network), fails: .rateLimited)
            try same(network.calls, ["POST /session", "POST /session/otp"], "what went out")
        },
        Scene("harm: a cancel that is lost is repeated once") { stage in
            let network = Network { call, before in call == "POST /session/cancel" && before == 0 ? .lost : .well }
            try await stage.expect(
                acts: [.giveUp], over: network, asked: ["otpStart(false)", "finish"],
                calls: ["POST /session", "POST /session/cancel", "POST /session/cancel"], fails: .cancelled,
                result: "false")
        },
    ]

/// One call of the OTP flow suffers once; the flow is as without it, but for the repeat.
private func harm(_ what: String, to step: String, _ fate: Network.Fate, repeats: Int = 1) -> Scene {
    Scene("harm: \(step) is \(what)") { stage in
        let session = try await stage.backend.unify("2001004014")
        let network = Network { call, before in call == step && before == 0 ? fate : .well }
        let person = Person([.number(nil), .code("1234")])
        try await stage.expectEnd(of: session, stage.client(person, over: network))
        try await same(person.asked, ["otpStart(false)", "otpFinish", "finish"], "what the person was asked")
        let calls = steps.flatMap { Array(repeating: $0, count: $0 == step ? 1 + repeats : 1) }
        try same(network.calls, calls, "what went out")
        try await same(stage.backend.messages(of: session).count, 1, "number of messages")
        try await same(stage.backend.result(of: session), "true", "the result")
    }
}

private func failing(_ status: Int, retryAfter: String? = nil) -> Network.Fate {
    let body = #"{"error":"\#(status == 429 ? "rate_limited" : "internal")","code":1,"message":"no"}"#
    return .answered(
        HTTPResponse(status: status, headers: retryAfter.map { ["Retry-After": $0] } ?? [:], body: Data(body.utf8)))
}

private let portal = Network.Fate.answered(HTTPResponse(status: 200, body: Data("<html>Welcome!</html>".utf8)))
