import Foundation

/// Mobile Auth: the operator's network vouches for the number, over redirects that the client follows itself, or by a token
/// that the app got from the operator.
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
        let late = Signal()
        let timer = world.timer(seconds: seconds) { late.set() }
        defer { timer.cancel() }
        if let token = try await operatorToken(before: late),
            try await handIn(token, of: offer.attemptId)
        {
            return
        }
        let result = try await result(of: offer.authUrl, before: late)
        timer.cancel()
        var fields: JSONObject = ["attemptId": .string(offer.attemptId)]
        if let vfp = result.vfp {
            fields["vfp"] = .string(vfp)
        } else {
            fields["error"] = .string(String((result.error ?? "bad_answer").prefix(Self.longestError)))
        }
        do {
            try await calls.post("/session/mobile-auth/finish", fields)
        } catch .refusal(let error) where error.name == .vfpInvalid || error.name == .vfpExpired {
            try await giveBack(offer.attemptId)
        } catch {
            throw error
        }
    }

    /// Without a fallback, the session ends only if the attempt is given back.
    private func giveBack(_ attempt: String) async throws(Interruption) {
        guard !calls.can("otp.start") && !calls.can("link.start") && calls.can("mobileAuth.finish") else { return }
        try await calls.post("/session/mobile-auth/finish", ["attemptId": .string(attempt), "error": "refused"])
    }

    /// Token that the app gets from the operator. `nil`: none, or not in time.
    private func operatorToken(before late: Signal) async throws(Interruption) -> OperatorToken? {
        guard let step = settings.steps.operatorToken else { return nil }
        let answer = try begin(step)
        try await calls.first([answer, late])
        return try? answer.value?.get()
    }

    /// - Returns: whether the attempt has ended. If not, its URL is still good: nobody at the server takes tokens of this
    ///   network.
    private func handIn(_ token: OperatorToken, of attempt: String) async throws(Interruption) -> Bool {
        do {
            try await calls.post(
                "/session/mobile-auth/token",
                ["attemptId": .string(attempt), "operatorToken": .string(token.text), "plmn": .string(token.plmn)])
        } catch .end(.broken(let error)) where error.name == .invalidRequest {
            return false
        } catch .refusal(let error) where error.name == .vfpInvalid || error.name == .vfpExpired {
            try await giveBack(attempt)
            return true
        } catch {
            throw error
        }
        // A repeat after a lost answer may find the attempt as it was.
        if calls.can("mobileAuth.finish") {
            try await calls.post("/session/mobile-auth/finish", ["attemptId": .string(attempt), "error": "network"])
        }
        return true
    }

    /// Follows the redirects, all of them before it is too late.
    private func result(of address: String, before late: Signal) async throws(Interruption) -> Arrival {
        if late.isSet { return failure("timeout") }
        guard canHop else { return failure("no_cellular") }
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
