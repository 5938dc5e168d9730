internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /client/v1/session/otp` and `.../link`: sends the first code or link.
///
///     {"phoneNumber":"+12065550100","requestId":"r-1"}  ->  200, the state
///
/// `phoneNumber` is allowed only if the state says `phone.needed`.
struct SendFirst<Message: SentMessage>: ClientEndpoint {
    struct Order: Sendable {
        var phoneNumber: String?
    }

    let calls: ClientCalls

    static var call: Call {
        Call(
            .post, "\(ClientDescription.path)/\(Message.path)", id: "send\(Message.idPart)",
            "Send the \(Message.word)", "The first \(Message.longName) goes out.",
            body: .optionalJSON(#"{"requestId":"r-1"}"#, upTo: .short), demand: .begins,
            answer: "The state after the call.")
    }
    static var refusals: [ClientError] { ClientError.ofSending }
    static var readsLanguages: Bool { true }
    /// A wrong number has its own error, which the engine returns.
    static var body: Shape<Order> {
        Shape(Order()) {
            Member.optional("phoneNumber", .clientNumber(), "Send it only if the state says phone.needed.") {
                $0.phoneNumber = $1
            }
        }
    }

    func respond(
        to order: Order, of request: Request, from call: RepeatableCall
    ) async throws(ClientError) -> OperationReply {
        var number: MessageRequest.NamedNumber?
        if let text = order.phoneNumber { number = try await calls.number(text, call.caller) }
        return try await calls.send(Message.kind, .first(number), request, call)
    }
}

extension Input where Value == String {
    /// A number from a client; the engine checks it.
    static func clientNumber(least: Int? = nil) -> Input {
        typed(.any).described(as: .text(least: least, most: TextRule.phoneNumber.maxCharacters))
    }
}
