import Glibc
@testable import Possession
import Testing

/// Runs random calls against a session and against a model of it that is small enough to be read in one go (OTP-13).
@Suite struct SessionModelTests {
    /// `HOLDFAST_MODEL_SEED=n` plays a printed run again.
    private static var seed: UInt64 {
        getenv("HOLDFAST_MODEL_SEED").flatMap { UInt64(String(cString: $0)) } ?? .random(in: 0...UInt64.max)
    }

    @Test func `agrees with its model over 100,000 random calls`() {
        let seed = Self.seed
        var generator = SeededGenerator(seed: seed)
        var steps = 0
        var ends: [Session.Outcome: Int] = [:]
        var methods: [Session.Proof.Method: Int] = [:]
        var exchanged = 0
        while steps < 100_000 {
            var player = ModelPlayer(ModelSetup(using: &generator))
            var history: [ModelCall] = []
            var stepsAfterEnd = 0
            while history.count < 60, stepsAfterEnd < 6 {
                let call = ModelCall.random(for: player.model, using: &generator)
                history.append(call)
                if let difference = player.play(call) {
                    Issue.record(
                        "seed \(seed), step \(steps + history.count): \(difference)\n\(player.model)\n\(history)")
                    return
                }
                if player.session.isDone { stepsAfterEnd += 1 }
            }
            steps += history.count
            if let outcome = player.session.outcome { ends[outcome, default: 0] += 1 }
            if let method = player.session.proof?.method { methods[method, default: 0] += 1 }
            if player.session.proof?.method == .instantLink, player.model.setup.exchange != nil { exchanged += 1 }
        }
        print("session model: \(steps) steps, seed \(seed)")
        // A run that never got that far would agree with anything.
        for outcome in Session.Outcome.allCases { #expect(ends[outcome, default: 0] >= 10, "\(outcome), seed \(seed)") }
        #expect(exchanged >= 10, "codes of links, seed \(seed)")
        for method in [Session.Proof.Method.deviceKey, .mobileAuth, .otp, .instantLink, .customer, .assumed] {
            #expect(methods[method, default: 0] >= 10, "\(method), seed \(seed)")
        }
    }
}
