internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// `POST /api/onboarding/start`: starts a process for a person who identifies themselves.
///
///     {"requestObject":{"identification":{"clientNumber":"12345"}}}
///     ->  200 {"status":"OK","responseObject":{"processId":"019b...","onboardingStatus":"ACTIVATION_IN_PROGRESS",...}}
struct StartProcess: OnboardingEndpoint {
    let processes: Processes

    static let call = Call(
        .post, OnboardingPath.process + "/start", id: "StartOnboarding", "Start a process",
        """
        Sends a code to whom the identification names. For an unknown person the answer is the same, and the process never \
        succeeds. The same identification goes on with its process while that is not over.
        """, body: .json(#"{"requestObject":{"identification":{"clientNumber":"12345"}}}"#, upTo: .app),
        demand: .begins,
        answer: "The process.")
    static let body = Shape<Identification?>.wrapping(
        Shape(nil) {
            Member.required("identification", .identification, "What the person says of themselves.") { $0 = $1 }
            Member.ignored("fdsData", .object(.anything), "Is not looked at.")
            Member.ignored("processType", .text(.freeText(64)), "There is one type.")
        }, nil)
    static let reply = ProcessReply.reply
    static let refusals: [OnboardingError] = [.tooManyProcesses(retryAfterSeconds: 3_600), .messageRefused]

    func respond(
        to said: Identification?, of request: Request, from caller: OnboardingCaller
    ) async throws(OnboardingError) -> Session {
        guard let said else { throw .field(.missing("requestObject.identification")) }
        let session = try await processes.start(said, for: caller)
        request.note(session.correlationID)
        return session
    }
}

extension Input where Value == Identification {
    /// An object of texts, whole numbers and flags. `null` counts as absent.
    static var identification: Input {
        let (most, name, value) = (
            Identification.mostEntries, Identification.longestName, Identification.longestValue
        )
        return Input<JSONObject>.object(
            Schema.map(of: .anything)
        ).map(
            orFail: """
                must be an object of 1 to \(most) texts, whole numbers or flags, with names of at most \(name) bytes and values of \
                at most \(value)
                """
        ) { object in
            guard object.count <= most * 2 else { return nil }
            var entries: [Identification.Entry] = []
            for member in object.members where member.value != .null {
                switch member.value {
                case .string(let text): entries.append(.init(member.name, text))
                case .integer(let number): entries.append(.init(member.name, String(number)))
                case .bool(let flag): entries.append(.init(member.name, flag ? "true" : "false"))
                case .null, .number, .array, .object: return nil
                }
            }
            return Identification(entries)
        }
    }
}
