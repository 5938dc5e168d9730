internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /client/v1/session/otp/phone` and `.../link/phone`: sends a code or link to another number.
///
///     {"phoneNumber":"+12065550100","requestId":"r-3"}  ->  200, the state
struct SendToOtherNumber<Message: SentMessage>: ClientEndpoint {
    struct Order: Sendable {
        var phoneNumber: String?
    }

    let calls: ClientCalls

    static var call: Call {
        Call(
            .post, "\(ClientDescription.path)/\(Message.path)/phone", id: "send\(Message.idPart)ToOtherNumber",
            "Name another number", "The \(Message.word) goes to it. Where the API client allows it.",
            body: .json(#"{"phoneNumber":"+12065550100","requestId":"r-3"}"#, upTo: .short),
            demand: .begins, answer: "The state after the call.")
    }
    static var refusals: [ClientError] {
        ClientError.ofSending + [.refused(.phoneChangeNotAllowed), .refused(.phoneEntriesExhausted)]
    }
    static var readsLanguages: Bool { true }
    static var body: Shape<Order> {
        Shape(Order()) {
            let number = Input<String>.clientNumber(least: 1)
            Member.described(
                must("phoneNumber", number.schema, "The other number, as the person types it."), "phoneNumber", number
            ) { $0.phoneNumber = $1 }
        }
    }

    func respond(
        to order: Order, of request: Request, from call: RepeatableCall
    ) async throws(ClientError) -> OperationReply {
        guard let text = order.phoneNumber else { throw .refused(.phoneNumberRequired) }
        let number = try await calls.number(text, call.caller)
        return try await calls.send(Message.kind, .toNumber(number), request, call)
    }
}
