import Foundation

/// Mobile Auth: the operator's network vouches for the number, over redirects that the client follows itself.
extension Run {
    private static let mostRedirects = 10
    /// Longer than the server says is never waited.
    private static let longestSeconds = 60.0
    private static let longestError = 64

    private struct Offer: Decodable {
        let attemptId: String
        let authUrl: String
        let timeoutMs: Double?
    }

    private struct Arrival: Decodable {
        let vfp: String?
        let error: String?
    }

    func proveByMobileAuth() async throws(Interruption) {
        gaveUpMobileAuth = true
        let answer = try await calls.post("/session/mobile-auth")
        guard let offer = try? JSONDecoder().decode(Offer.self, from: answer) else {
            throw .end(.broken(calls.error(.network)))
        }
        let milliseconds = offer.timeoutMs ?? 0
        let seconds = milliseconds > 0 ? min(milliseconds / 1000, Self.longestSeconds) : Self.longestSeconds
        let result = try await result(of: offer.authUrl, seconds: seconds)
        var fields: JSONObject = ["attemptId": .string(offer.attemptId)]
        if let vfp = result.vfp {
            fields["vfp"] = .string(vfp)
        } else {
            fields["error"] = .string(String((result.error ?? "bad_answer").prefix(Self.longestError)))
        }
        do {
            try await calls.post("/session/mobile-auth/finish", fields)
        } catch .refusal(let error) where error.name == .vfpInvalid || error.name == .vfpExpired {
            // Without a fallback, the session ends only if the attempt is given back.
            if !calls.can("otp.start") && !calls.can("link.start") && calls.can("mobileAuth.finish") {
                try await calls.post(
                    "/session/mobile-auth/finish", ["attemptId": .string(offer.attemptId), "error": "refused"])
            }
        } catch {
            throw error
        }
    }

    /// Follows the redirects, all within `seconds`.
    private func result(of address: String, seconds: Double) async throws(Interruption) -> Arrival {
        let late = Signal()
        let timer = world.timer(seconds: seconds) { late.set() }
        defer { timer.cancel() }
        var next = URL(string: address)
        for _ in 0...Self.mostRedirects {
            guard let url = next else { return failure("bad_answer") }
            guard isSafe(url.absoluteString) else { return failure("insecure_redirect") }
            let arrived = Promise<HopAnswer>()
            let hop = world.hop(to: url) { arrived.resolve($0) }
            defer { hop.cancel() }
            try await calls.first([arrived, late])
            let response: HTTPResponse
            switch arrived.value {
            case nil: return failure("timeout")
            case .noCellular: return failure("no_cellular")
            case .lost: return failure("network")
            case .response(let given): response = given
            }
            guard (300..<400).contains(response.status), let location = response.header("Location") else {
                return arrival(response)
            }
            next = URL(string: location, relativeTo: url)?.absoluteURL
        }
        return failure("too_many_redirects")
    }

    private func arrival(_ response: HTTPResponse) -> Arrival {
        guard response.status == 200, let arrival = try? JSONDecoder().decode(Arrival.self, from: response.body),
            arrival.vfp?.isEmpty == false || arrival.error?.isEmpty == false
        else { return failure("bad_answer") }
        return arrival
    }

    private func failure(_ error: String) -> Arrival {
        Arrival(vfp: nil, error: error)
    }
}
