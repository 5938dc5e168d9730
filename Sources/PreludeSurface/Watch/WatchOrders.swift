internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// Answers calls about fraud. The server knows only whether a number can get a message.
struct NumberRisk: Sendable {
    let engine: Engine
    let lists: NumberLists

    /// Whether a verification of the number would be blocked.
    func isSuspicious(_ number: PhoneNumber, for tenant: Tenant) async throws(PreludeError) -> Bool {
        let read: PhoneNumber
        do throws(NumberRefusal) { read = try engine.network.numbers.read(number.e164, for: tenant.id).number } catch {
            return true
        }
        return try await PreludeError.running { () async throws(EngineFault) in
            try await lists.block(read, of: tenant.id)
        }
    }

    /// A new id for an answer.
    func freshID() throws(PreludeError) -> CorrelationID {
        do throws(EntropyFault) {
            return CorrelationID(at: engine.now(), random: try engine.crypto.randomBytes(16))
        } catch {
            throw PreludeError(EngineFault(error))
        }
    }
}

/// An event or a feedback. This server ignores both.
struct Report: Sendable {
    enum Confidence: String, CaseIterable, Sendable { case maximum, high, neutral, low, minimum }
    enum Kind: String, CaseIterable, Sendable {
        case started = "verification.started"
        case completed = "verification.completed"
    }

    static let most = 100
    static let event = Shape(Report(), name: "WatchEvent") {
        Member.required(
            "target", .object(Target.shape), "The number or address that the event is about. Checked, and not kept."
        ) { _, _ in }
        Member.required(
            "label", .filledText(.freeText(128)),
            "The name of the event, such as account.banned. Checked, and not kept."
        ) { _, _ in }
        Member.required(
            "confidence", .choice(Confidence.allCases), "How sure you are of the event. Checked, and not kept."
        ) { _, _ in }
    }
    static let feedback = Shape(Report(), name: "WatchFeedback") {
        Member.required(
            "target", .object(Target.shape), "The number or address of the verification. Checked, and not kept."
        ) { _, _ in }
        Member.required(
            "type", .choice(Kind.allCases), "The step that the verification reached. Checked, and not kept."
        ) { _, _ in }
        Member.ignored(
            "dispatch_id", .text(.freeText(36)), "The id that the SDK on the phone has made. Checked, and not kept.")
        Member.ignored(
            "metadata", .object(Metadata.shape), "Your own reference for the verification. Checked, and not kept.")
        Member.ignored("signals", .object(Signals.shape), "Signals of the person's device. Checked, and not kept.")
    }
    /// The answer only says that the request was read.
    static let reply = Reply<AnswerWithRequestID<Nothing>> {
        ReplyMember.always("request_id", .text, "The id of this request, as in the header X-Request-Id.") {
            $0.requestID
        }
        ReplyMember.always("status", .choice(Status.allCases), "Always success: the request was read.") { _ in .success
        }
    }
    enum Status: String, CaseIterable, Sendable { case success }
}
