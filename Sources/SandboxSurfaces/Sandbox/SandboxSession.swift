internal import Possession
internal import SurfaceKit
internal import Text

/// The form in which the sandbox shows sessions to a developer.
enum SandboxSession {
    fileprivate enum Status: String, CaseIterable { case created, active, done }

    /// The surface whose calls began a session.
    fileprivate enum Surface: String, CaseIterable {
        case platform, prelude, otpless, onboarding, twilio, camara, hooks

        private static let products: [(product: ProductName, surface: Surface)] = [
            (ProductName(known: "prelude"), .prelude), (ProductName(known: "otpless"), .otpless),
            (ProductName(known: "onboarding"), .onboarding), (ProductName(known: "twilio-verify"), .twilio),
            (ProductName(known: "camara"), .camara), (ProductName(known: "camara-number"), .camara),
            (ProductName(known: "sms-hook"), .hooks),
        ]

        /// The platform surface has several products.
        init(_ product: ProductName) {
            self = Self.products.first { $0.product == product }?.surface ?? .platform
        }
    }

    static let reply = Reply<Session>(name: "SandboxSession") { members }

    @ReplyBuilder<Session> static var members: [ReplyMember<Session>] {
        ReplyMember.always("correlationId", .identifier(), "The session, as its backend knows it.") { $0.correlationID }
        ReplyMember.always("authId", .identifier(), "The session, as its client knows it.") { $0.authID }
        ReplyMember.always("clientId", .text, "The API client that the session belongs to.") { $0.clientID.text }
        ReplyMember.always("surface", .choice(Surface.allCases), "Its calls began the session.") {
            Surface($0.request.policy.product)
        }
        ReplyMember.always("flow", .choice(SessionRequest.Flow.allCases), "The flow that it was started for.") {
            $0.request.flow
        }
        ReplyMember.whenThere(
            "phoneNumber", .text,
            "As the backend sent it, else E.164 as the person entered it. Absent until it is known."
        ) { $0.request.subject.number?.asSent ?? $0.enteredNumber?.e164 }
        ReplyMember.whenThere("emailAddress", .text, "The address that codes go to. Absent in a session of a number.") {
            $0.request.subject.mailbox?.text
        }
        ReplyMember.always(
            "status", .choice(Status.allCases),
            "created: the token is not redeemed. active: a check is due. done: the session is over."
        ) { $0.status }
        ReplyMember.whenThere("step", .choice(Session.Step.allCases), "The check that is due, in an active session.") {
            $0.step
        }
        ReplyMember.whenThere("outcome", .choice(Session.Outcome.allCases), "The outcome of a session that is done.") {
            $0.ending?.outcome
        }
        ReplyMember.whenThere("endedAt", .moment, "When it ended, UTC. Absent until it is done.") { $0.ending?.at }
        ReplyMember.whenThere("method", .text(.text(pattern: "^[a-zA-Z]+$")), "The check that passed.") {
            $0.proof.map { word($0.method.rawValue) }
        }
        ReplyMember.always("createdAt", .moment, "When the backend started it, UTC.") { $0.createdAt }
        ReplyMember.always("expiresAt", .moment, "When it ends by itself, UTC.") { $0.expiresAt }
    }

    /// A method of proof, or the detail of an event, as shown: a session that ended without a check was ended by the
    /// sandbox.
    static func word(_ engineWord: String) -> String {
        engineWord.isSame(as: Session.Proof.Method.assumed.rawValue) ? "sandbox" : engineWord
    }
}

extension Session {
    fileprivate var status: SandboxSession.Status {
        switch phase {
        case .created: .created
        case .active: .active
        case .done: .done
        }
    }

    fileprivate var step: Step? {
        if case .active(let step) = phase { step } else { nil }
    }

    fileprivate var ending: (outcome: Outcome, at: Timestamp)? {
        if case .done(let outcome, let at) = phase { (outcome, at) } else { nil }
    }
}
