import HTTPServer
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing
import Text
@testable import OnboardingSurface
@testable import Tokens
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// A phone that was activated by a plain call. Its private key is 1: its public key is the generator of P-256
/// (`OnboardingWorld.points`), and what it shares with the server is the x of the server's key.
struct SigningPhone {
    let id: ActivationID
    private let masterSecret: BriefSecret
    private let secret: String
    private var counter: [UInt8]

    init(_ onboarding: OnboardingWorld) async throws {
        let process = await onboarding.start().processID
        // Where the API client has a rate, it fills up again.
        _ = onboarding.world.clock.advance(seconds: 10)
        let made = await onboarding.activate(process, "12345678").answered
        id = try #require(made["activationId"]?.string.flatMap { ActivationID($0) })
        let point = try #require(made["serverPublicKey"]?.string.flatMap { Base64.decode($0.utf8) })
        counter = try #require(made["ctrData"]?.string.flatMap { Base64.decode($0.utf8) })
        masterSecret = BriefSecret(KeyDerivation.fold(Array(point[1..<33])))
        secret = try onboarding.devices.credentials(of: onboarding.keys).applicationSecret.text
    }

    /// The signature of a call that the backend describes by these data, in Base64. The counter goes on.
    mutating func sign(_ data: String, _ factors: SignatureFactors = .possessionKnowledge) throws -> String {
        let numbers: [UInt64] =
            switch factors {
            case .possession: [1]
            case .knowledge: [2]
            case .biometry: [3]
            case .possessionKnowledge: [1, 2]
            case .possessionBiometry: [1, 3]
            case .possessionKnowledgeBiometry: [1, 2, 3]
            }
        var keys: [BriefSecret] = []
        for number in numbers { keys.append(try KeyDerivation.key(from: masterSecret, number: number)) }
        let signature = SignatureCode.signature(of: Array("\(data)&\(secret)".utf8), counter: counter, keys: keys)
        counter = KeyDerivation.fold(SHA256.digest(counter))
        return Base64.encode(signature)
    }
}
