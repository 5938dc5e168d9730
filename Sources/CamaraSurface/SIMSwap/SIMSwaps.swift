internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// Work that the calls about SIM swaps share.
struct SIMSwaps: Sendable {
    let numbers: NumberProofs
    let service: SIMSwapService
    let logins: ClientLogin

    /// The number of a call. If the token is about a person, the token names the number, else the call does (SIM Swap
    /// 2.1, "Identifying the phone number from the access token").
    func number(_ sent: String?, from caller: CamaraCaller) async throws(CamaraError) -> PhoneNumber {
        switch (try await numbers.named(by: caller), sent) {
        case (let number?, nil): return number
        case (.some, .some): throw .numberUnnecessary
        case (nil, nil): throw .numberMissing
        case (nil, let sent?):
            do throws(SIMSwapService.Refusal) { return try service.number(sent, for: caller.tenant) } catch {
                throw CamaraError(error)
            }
        }
    }

    func origin(of request: Request) -> SIMSwapService.Origin {
        SIMSwapService.Origin(address: logins.address(of: request), requestID: request.id)
    }

    /// Refusals of both calls.
    static let refusals: [CamaraError] = [
        .unknownNumber, .notApplicable, .numberMissing, .numberUnnecessary, .operatorUnavailable,
    ]
}

extension CamaraError {
    init(_ refusal: SIMSwapService.Refusal) {
        switch refusal {
        case .unknownNumber: self = .unknownNumber
        case .notApplicable: self = .notApplicable
        case .beyondMonitoring(let days):
            let most = days.map { ", which are \($0) days" } ?? ""
            self = .outOfRange(FieldDefect("maxAge", "is longer than the operator may look back\(most)"))
        case .sourceUnavailable: self = .operatorUnavailable
        case .rateLimited(let hit): self = .rateLimited(hit)
        case .fault(let fault): self.init(fault)
        }
    }
}
