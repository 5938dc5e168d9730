internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /prelude/v2/watch/eval`: evaluates the rules of a flow for a number. This server has no flows, so only the
/// numbering plan and the list of blocked numbers decide.
///
///     {"flow_id":"flo_01k...","target":{"type":"phone_number","value":"+12001004014"}}
///     ->  200 {"id":"evl_01k...","action":"ALLOW","verdict":"PASS","recipes":[]}
struct EvaluateRules: PreludeEndpoint {
    struct Order: Sendable {
        var target = Target()
    }
    enum Action: String, CaseIterable, Sendable { case allow = "ALLOW", block = "BLOCK" }
    enum Verdict: String, CaseIterable, Sendable { case pass = "PASS", flag = "FLAG" }
    struct Evaluated: Sendable {
        let id: CorrelationID
        let isSuspicious: Bool
    }

    let look: NumberRisk

    static let call = Call(
        .post, "/prelude/v2/watch/eval", id: "preludeEvaluate", "Evaluate the rules of a flow",
        "This server has no flows: whatever flow is named has no rules, and blocks what a verification would block.",
        body: .json(#"{"flow_id":"flo_1","target":{"type":"phone_number","value":"+12001004014"}}"#),
        answer: "What to do.")
    static let body = Shape(Order()) {
        Member.required(
            "flow_id", .filledText(.freeText(64)), "The id of a flow. Any text is taken, and without effect."
        ) { _, _ in }
        Member.required("target", .object(Target.shape), "The number to evaluate.") { $0.target = $1 }
        Member.ignored("attributes", .texts, "At most 50 texts of 1,024 bytes, by name. Checked, and without effect.")
        Member.ignored(
            "dispatch_id", .text(.freeText(36)),
            "The id that the SDK on the phone has made. Checked, and without effect.")
        Member.ignored(
            "signals", .object(Signals.shape), "Signals of the person's device. Checked, and without effect.")
    }
    static let reply = Reply<Evaluated> {
        ReplyMember.always("id", .text, "evl_ and 26 characters, new for each answer. The server does not keep it.") {
            PreludeID.text($0.id, PreludeID.evaluation)
        }
        ReplyMember.always(
            "action", .choice(Action.allCases),
            "BLOCK: a verification of the number would be blocked. ALLOW: it would not."
        ) { $0.isSuspicious ? .block : .allow }
        ReplyMember.always("verdict", .choice(Verdict.allCases), "FLAG with the action BLOCK, PASS with ALLOW.") {
            $0.isSuspicious ? .flag : .pass
        }
        ReplyMember.always("recipes", .list(of: .text), "Always empty.") { _ in [] }
    }
    static let refusals: [PreludeError] =
        [.emailNotAllowed, .field(FieldDefect("target.value", "is not valid"))] + Signals.refusals

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(PreludeError) -> Evaluated {
        let isSuspicious = try await look.isSuspicious(try order.target.number(), for: tenant)
        return Evaluated(id: try look.freshID(), isSuspicious: isSuspicious)
    }
}
