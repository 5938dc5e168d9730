internal import Sandbox
internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// `GET /sandbox/users`: the test users and what each does, and the keys that apps are built with.
///
///     ->  200 {"users":[{"phoneNumber":"2001004014","name":"Lorant Nerger","region":"NA","otp":"pass", ...}],
///              "applications":[{"clientId":"sandbox","applicationKey":"...", ...}]}
struct ListUsers: SandboxEndpoint {
    struct Listing: Sendable {
        let users: [SandboxUser]
        let applications: [SandboxApplication]
    }

    let users: SandboxUsers
    let applications: [SandboxApplication]

    static let call = Call(
        .get, "/sandbox/users", id: "listUsers", "Test users, and what each does",
        "From the sandbox users file; applications from the configuration file.")
    static let reply = Reply<Listing> {
        ReplyMember.always("users", .list(of: .object(user))) { $0.users }
        ReplyMember.whenThere(
            "applications", .list(of: .object(application)), "The values that apps of onboarding are built with."
        ) { $0.applications.isEmpty ? nil : $0.applications }
    }

    private static let application = Reply<SandboxApplication>(name: "SandboxApplication") {
        ReplyMember.always("clientId", .text, "The API client whose apps they are.") { $0.client.text }
        ReplyMember.always("applicationKey", .text, "Base64 of 16 bytes.") { $0.credentials.applicationKey }
        ReplyMember.always("applicationSecret", .text, "Base64 of 16 bytes.") { $0.credentials.applicationSecret.text }
        ReplyMember.always("masterPublicKey", .text, "Base64 of an uncompressed point on P-256.") {
            $0.credentials.masterPublicKey
        }
        ReplyMember.always("sdkConfiguration", .text, "All three, as SDKs from 1.8 on take them.") {
            $0.credentials.configuration.text
        }
    }

    private static let user = Reply<SandboxUser>(name: "SandboxUser") {
        ReplyMember.always("phoneNumber", .text) { $0.digits }
        ReplyMember.whenThere("emailAddress", .text, "Codes by e-mail go there.") { $0.emailAddress?.text }
        ReplyMember.always("name", .text) { $0.name }
        ReplyMember.whenThere(
            "credentials", .object(.map(of: .text()).called("UserCredentials")),
            "What onboarding finds the user by: all of them have to be said."
        ) { $0.credentials.map { JSONObject($0.entries.map { ($0.name, .string($0.value)) }) } }
        ReplyMember.whenThere("codesTo", .text, "Where the codes go of a user who is found so.") {
            $0.credentials == nil ? nil : $0.isReachedByEmail ? "email" : "number"
        }
        ReplyMember.always("region", .choice([.northAmerica, .international])) { $0.region }
        ReplyMember.always("otp", .choice([.pass, .fail]), "Whether a code passes.") { $0.otp }
        ReplyMember.whenThere("codes", .list(of: .text), "The codes that pass, unless it is 1234.") {
            $0.codes.isEmpty ? nil : $0.codes.map(\.text)
        }
        ReplyMember.always("delivery", delivery, "One word for all messages, or one for each channel.") { $0.delivery }
        ReplyMember.always("deliveryDelaySeconds", .integer(0...Int.max)) { $0.deliveryDelaySeconds }
        ReplyMember.always("mobileAuth", .choice(SandboxUser.MobileAuthOutcome.allCases)) { $0.mobileAuth }
        ReplyMember.always("reputation", .choice([.pass, .fail])) { $0.reputation }
        ReplyMember.whenThere("reputationReasons", .object(.map(of: .text()).called("ReputationReasons"))) {
            $0.standing.reasonsByCode
        }
        ReplyMember.always("link", .choice(SandboxUser.LinkBehaviour.allCases)) { $0.link }
        ReplyMember.always("withoutClient", .flag, "Passes at once, without a client.") { $0.withoutClient }
        ReplyMember.whenThere("verify", .object(verification), "How verifications end.") { $0.verification }
        ReplyMember.whenThere("note", .text) { $0.note.isEmpty ? nil : $0.note }
    }

    /// As the users file has it.
    private static let delivery = Output<SandboxDelivery>(
        Schema.any(of: [
            outcome,
            Schema.record(OutgoingMessage.Channel.allCases.map { may($0.rawValue, outcome) }).called("UserDelivery"),
        ])
    ) { delivery in
        if let outcome = delivery.everywhere { return .string(outcome.rawValue) }
        var object = JSONObject()
        for channel in OutgoingMessage.Channel.allCases {
            object.set(channel.rawValue, delivery.named(channel)?.rawValue)
        }
        return .object(object)
    }
    private static let outcome = Schema.choice(SandboxDelivery.Outcome.self).called("DeliveryOutcome")

    private static let verification = Reply<ScriptedVerification>(name: "ScriptedVerification") {
        ReplyMember.always("success", .flag) { $0.passes }
        ReplyMember.always("assuranceLevel", .text(.choice(Assurance.Level.texts))) { $0.assurance.level.text }
        ReplyMember.always("reasons", .list(of: .text)) { $0.assurance.reasons.map(\.text) }
    }

    func respond(
        to nothing: Nothing, of request: Request, from caller: Nothing
    ) async throws(SandboxError) -> Listing {
        Listing(users: users.all, applications: applications)
    }
}

extension Reputation {
    /// The reasons as the users file has them: code and text; `nil` without any.
    fileprivate var reasonsByCode: JSONObject? {
        guard !passes else { return nil }
        var object = JSONObject()
        for reason in failureReasons { object.set(reason.code, reason.text) }
        return object
    }
}
