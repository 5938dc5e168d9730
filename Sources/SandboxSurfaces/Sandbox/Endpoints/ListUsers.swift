internal import Sandbox
internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// `GET /sandbox/users`: the test users with their behaviour, and the keys that apps are built with.
///
///     ->  200 {"users":[{"phoneNumber":"2001004014","name":"Lorant Nerger","region":"NA","product":"unify", ...}],
///              "applications":[{"clientId":"sandbox","applicationKey":"...", ...}]}
struct ListUsers: SandboxEndpoint {
    struct Listing: Sendable {
        let users: [Played]
        let applications: [SandboxApplication]
    }

    /// A user, and the person behind it.
    struct Played: Sendable {
        let user: SandboxUser
        let person: Person?
    }

    let users: SandboxUsers
    let applications: [SandboxApplication]

    static let call = Call(
        .get, "/sandbox/users", id: "listUsers", "Test users, and what each does",
        "From the sandbox users file; applications from the configuration file.")
    static let reply = Reply<Listing> {
        ReplyMember.always("users", .list(of: .object(user)), "Every user of the users file.") { $0.users }
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

    private static let user = Reply<Played>(name: "SandboxUser") {
        ReplyMember.always("phoneNumber", .text, "Ten digits in North America, else + and all digits.") {
            $0.user.digits
        }
        ReplyMember.whenThere("emailAddress", .text, "Codes by e-mail go there.") { $0.user.emailAddress?.text }
        ReplyMember.always("name", .text, "The first name, or both.") { $0.user.name }
        ReplyMember.whenThere(
            "credentials", .object(.map(of: .text()).called("UserCredentials")),
            "What onboarding finds the user by: all of them have to be said."
        ) { $0.user.credentials.map { JSONObject($0.entries.map { ($0.name, .string($0.value)) }) } }
        ReplyMember.whenThere("codesTo", .text, "Where the codes go of a user who is found so.") {
            $0.user.credentials == nil ? nil : $0.user.isReachedByEmail ? "email" : "number"
        }
        ReplyMember.always(
            "region", .choice([.northAmerica, .international]), "The form of the number: NA is ten digits."
        ) { $0.user.region }
        ReplyMember.always(
            "product", .choice(SandboxProduct.allCases),
            "What the user is for: unify for /v3/unify, prefill and identity for /v3/start."
        ) { $0.user.product }
        ReplyMember.whenThere("person", .object(person), "What steps of Pre-Fill compare: who the user is.") {
            $0.person
        }
        ReplyMember.always("otp", .choice([.pass, .fail]), "Whether a code passes.") { $0.user.otp }
        ReplyMember.whenThere("codes", .list(of: .text), "The codes that pass, unless it is 1234.") {
            $0.user.codes.isEmpty ? nil : $0.user.codes.map(\.text)
        }
        ReplyMember.always("delivery", delivery, "One word for all messages, or one for each channel.") {
            $0.user.delivery
        }
        ReplyMember.always("deliveryDelaySeconds", .integer(0...Int.max), "How many seconds later messages arrive.") {
            $0.user.deliveryDelaySeconds
        }
        ReplyMember.always(
            "mobileAuth", .choice(SandboxUser.MobileAuthOutcome.allCases), "The answer of the simulated operator."
        ) { $0.user.mobileAuth }
        ReplyMember.always("reputation", .choice([.pass, .fail]), "The standing that checkReputation finds.") {
            $0.user.reputation
        }
        ReplyMember.whenThere(
            "reputationReasons", .object(.map(of: .text()).called("ReputationReasons")),
            "Code and text of each reason. There if reputation is fail."
        ) {
            $0.user.standing.reasonsByCode
        }
        ReplyMember.whenThere(
            "simSwap", simSwap, "The operator's answer about the user's SIM, unless it was never swapped."
        ) {
            $0.user.simSwap == .told(hoursAgo: nil, monitoredDays: nil) ? nil : $0.user.simSwap
        }
        ReplyMember.always(
            "link", .choice(SandboxUser.LinkBehaviour.allCases),
            "open: you decide. approve, deny: the user does. mismatch: an approval fails, as from another phone."
        ) { $0.user.link }
        ReplyMember.always("withoutClient", .flag, "Passes at once, without a client.") { $0.user.withoutClient }
        ReplyMember.whenThere("verify", .object(verification), "How verifications end.") { $0.user.verification }
        ReplyMember.whenThere("note", .text, "The purpose of the user, in words. Absent if the file has none.") {
            $0.user.note.isEmpty ? nil : $0.user.note
        }
    }

    private static let person = Reply<Person>(name: "SandboxPerson") {
        ReplyMember.always("firstName", .text, "First name on record.") { $0.firstName }
        ReplyMember.always("lastName", .text, "Last name on record.") { $0.lastName }
        ReplyMember.whenThere("dob", .text, "The birth date, YYYY-MM-DD.") { $0.dob }
        ReplyMember.whenThere("ssn", .text, "The last four digits, which a challenge takes.") { person in
            person.ssn.map { String(Substring($0.utf8.suffix(4))) }
        }
    }

    /// In the form of the users file.
    private static let delivery = Output<SandboxDelivery>(
        Schema.any(of: [
            outcome,
            Schema.record(
                OutgoingMessage.Channel.allCases.map {
                    may($0.rawValue, outcome, "How messages by this channel end. Absent: ok.")
                }
            ).called("UserDelivery"),
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

    /// In the form of the users file.
    private static let simSwap = Output<SandboxSIM>(
        Schema.any(of: [
            Schema.choice(SandboxSIM.Outcome.self).called("SIMSwapOutcome"),
            Schema.record([
                may("hoursAgo", .integer(0...SandboxSIM.mostHours), "Of the last swap, when the file was read."),
                may("monitoredDays", .integer(1...SandboxSIM.mostDays), "A swap that is longer ago is not named."),
            ]).called("UserSIMSwap"),
        ])
    ) { sim in
        switch sim {
        case .outcome(let outcome): return .string(outcome.rawValue)
        case .told(let hoursAgo, let monitoredDays):
            var object = JSONObject()
            object.set("hoursAgo", hoursAgo)
            object.set("monitoredDays", monitoredDays)
            return .object(object)
        }
    }

    private static let verification = Reply<ScriptedVerification>(name: "ScriptedVerification") {
        ReplyMember.always("success", .flag, "Whether verifications of the user pass.") { $0.passes }
        ReplyMember.always(
            "assuranceLevel", .text(.choice(Assurance.Level.texts)), "The level that they answer."
        ) { $0.assurance.level.text }
        ReplyMember.always("reasons", .list(of: .text), "The reasons that they answer, such as AL1a.") {
            $0.assurance.reasons.map(\.text)
        }
    }

    func respond(
        to nothing: Nothing, of request: Request, from caller: Nothing
    ) async throws(SandboxError) -> Listing {
        Listing(
            users: users.all.map { Played(user: $0, person: users.person(of: $0)) }, applications: applications)
    }
}

extension Reputation {
    /// The reasons in the form of the users file: code and text; `nil` if there are none.
    fileprivate var reasonsByCode: JSONObject? {
        guard !passes else { return nil }
        var object = JSONObject()
        for reason in failureReasons { object.set(reason.code, reason.text) }
        return object
    }
}
