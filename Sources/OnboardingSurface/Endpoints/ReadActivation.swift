internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /pa/v3/activation/status`: the status of an activation. Only its phone can decrypt it.
///
///     {"requestObject":{"activationId":"019b...","challenge":"C48N0ekaenicTtsb6LEf1g..."}}
///     ->  200 {"status":"OK","responseObject":{"activationId":"019b...","encryptedStatusBlob":"...","nonce":"...",
///              "customObject":{"activationFlags":[]}}}
struct ReadActivation: OpenEndpoint {
    let activations: DeviceActivations

    struct Question: Sendable {
        var activation = ""
        var challenge: [UInt8] = []
    }

    struct State: Sendable {
        /// As the caller wrote it.
        let activation: String
        let blob: StatusBlob
        let flags: [String]
    }

    static let call = Call(
        .post, OnboardingPath.protocol3 + "/activation/status", id: "ReadActivation", "How an activation stands",
        """
        The answer is encrypted for the phone. An id that names no activation gets an answer that looks like that of another \
        phone.
        """,
        body: .json(
            """
            {"requestObject":{"activationId":"019b7907-8d58-7500-8000-000000000002","challenge":"C48N0ekaenicTtsb6LEf1g==\
            "}}
            """, upTo: .short),
        demand: .reads, answer: "How it stands.")
    static let body = Shape.wrapping(
        Shape(Question()) {
            Member.required("activationId", .filledText(.any), "Of the activation.") { $0.activation = $1 }
            Member.required("challenge", .base64(16), "16 random bytes.") { $0.challenge = $1 }
        }, Question())
    static let reply = Reply<State>.wrapping(
        example: """
            {"status":"OK","responseObject":{"activationId":"019b7907-8d58-7500-8000-000000000002","encryptedStatusBlob":\
            "XwZDvKlTA4EkyrS9mHC6mSOUrHLJNDgWIObCG0Zk2Vk=","nonce":"vVKBCcc4aR3YDk/+3mRTwQ==\
            ","customObject":{"activationFlags":[]}}}
            """
    ) {
        ReplyMember.always("activationId", .text, "As the call has it.") { $0.activation }
        ReplyMember.always("encryptedStatusBlob", .base64, "32 bytes.") { $0.blob.encrypted }
        ReplyMember.always("nonce", .base64, "16 bytes.") { $0.blob.nonce }
        ReplyMember.always("customObject", .object(custom), "Beside the protocol.") { $0.flags }
    }

    private static let custom = Reply<[String]>(name: "ActivationCustom") {
        ReplyMember.always("activationFlags", .list(of: .text), "Empty: nothing is due after an activation.") { $0 }
    }

    func respond(
        to question: Question, of request: Request, from caller: Nothing
    ) async throws(OnboardingError) -> State {
        do throws(EngineFault) {
            let told = try await activations.status(of: question.activation, challenge: question.challenge)
            return State(activation: question.activation, blob: told.blob, flags: told.flags)
        } catch { throw OnboardingError(error) }
    }
}
