internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /camara/sim-swap/v2/check`: whether a number got another SIM recently (SIM Swap 2.1).
///
///     {"phoneNumber":"+12001004096","maxAge":24}  ->  200 {"swapped":true}
struct CheckSIMSwap: CamaraEndpoint {
    struct Order: Sendable {
        var number: String?
        var hours: Int64 = 240
    }

    let swaps: SIMSwaps

    static let hours: ClosedRange<Int> = 1...2400
    static let scope = CamaraScope.checkSIMSwap
    static let call = Call(
        .post, CamaraPath.simSwap + "/check", aliases: [CamaraPath.passthrough("/sim-swap/sim-swap/v0/check")],
        id: "checkSimSwap", "Check for a SIM swap",
        "phoneNumber is there with a token of client credentials, and is not there with a token about a person.",
        body: .json(#"{"phoneNumber":"+12001004096","maxAge":24}"#), demand: .reads,
        answer: "Whether there was one in so many last hours.")
    static let body = Shape(Order()) {
        Member.optional("phoneNumber", .camaraNumber, "With + and country code.") { $0.number = $1 }
        Member.optional("maxAge", .integer(hours), "Hours; 240 without it.") { $0.hours = $1 }
    }
    static let reply = Reply<Bool>(example: #"{"swapped":true}"#) {
        ReplyMember.always("swapped", .flag, "The SIM of the number was changed in the last maxAge hours.") { $0 }
    }
    static let refusals =
        [CamaraError.outOfRange(FieldDefect("maxAge", "must be from 1 to 2400"))] + SIMSwaps.refusals

    func respond(to order: Order, of request: Request, from caller: CamaraCaller) async throws(CamaraError) -> Bool {
        guard let hours = Int(exactly: order.hours), Self.hours.contains(hours) else {
            throw .outOfRange(FieldDefect("maxAge", "must be from 1 to 2400"))
        }
        let number = try await swaps.number(order.number, from: caller)
        do throws(SIMSwapService.Refusal) {
            return try await swaps.service.isSwapped(
                number, withinHours: hours, for: caller.tenant, from: swaps.origin(of: request))
        } catch { throw CamaraError(error) }
    }
}
