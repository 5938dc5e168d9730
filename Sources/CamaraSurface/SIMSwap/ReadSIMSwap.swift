internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /camara/sim-swap/v2/retrieve-date`: the time when a number got its SIM (SIM Swap 2.1).
///
///     {"phoneNumber":"+12001004096"}  ->  200 {"latestSimChange":"2026-01-01T10:00:00Z"}
struct ReadSIMSwap: CamaraEndpoint {
    struct Order: Sendable {
        var number: String?
    }

    struct Found: Sendable {
        let time: Timestamp?
        let monitoredDays: Int?
    }

    let swaps: SIMSwaps

    static let scope = CamaraScope.readSIMSwap
    static let call = Call(
        .post, CamaraPath.simSwap + "/retrieve-date",
        aliases: [CamaraPath.passthrough("/sim-swap/sim-swap/v0/retrieve-date")],
        id: "retrieveSimSwapDate", "Read the date of the last SIM swap",
        """
        Of a SIM that was never swapped it is the date of the activation. phoneNumber is there with a token of client \
        credentials, and is not there with a token about a person.
        """,
        body: .json(#"{"phoneNumber":"+12001004096"}"#), demand: .reads,
        answer: "The date, as far as the operator may name it.")
    static let body = Shape(Order()) {
        Member.optional("phoneNumber", .camaraNumber, "With + and country code.") { $0.number = $1 }
    }
    static let reply = Reply<Found>(example: #"{"latestSimChange":"2026-01-01T10:00:00Z"}"#) {
        ReplyMember.always("latestSimChange", Output<Timestamp>.moment.orNull, "null: the operator does not name it.") {
            $0.time
        }
        ReplyMember.whenThere(
            "monitoredPeriod", .integer(1...Int.max),
            "Days in which there was no swap, where the operator does not name the date."
        ) { $0.monitoredDays }
    }
    static let refusals = SIMSwaps.refusals

    func respond(to order: Order, of request: Request, from caller: CamaraCaller) async throws(CamaraError) -> Found {
        let number = try await swaps.number(order.number, from: caller)
        do throws(SIMSwapService.Refusal) {
            let found = try await swaps.service.lastSwap(
                of: number, for: caller.tenant, from: swaps.origin(of: request))
            return Found(time: found.time, monitoredDays: found.monitoredDays)
        } catch { throw CamaraError(error) }
    }
}
