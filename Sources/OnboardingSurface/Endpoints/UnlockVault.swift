internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// `POST /pa/v3/vault/unlock`: the key of the vault in which the phone keeps its private key. With this key an app adds
/// biometry, signs with the phone's private key, and encrypts its own data. The body is an envelope for the activation.
///
///     {"ephemeralPublicKey":"...","encryptedData":"...","mac":"...","nonce":"...","timestamp":1767265200000}
///     ->  200 {"encryptedData":"...","mac":"...","nonce":"...","timestamp":1767265200000}
struct UnlockVault: SignedEndpoint {
    let activations: DeviceActivations
    let envelopes: Envelopes

    static let resource = "/pa/vault/unlock"
    static let factors = SignatureFactors.severalFactors
    static let call = Call(
        .post, OnboardingPath.protocol3 + "/vault/unlock", id: "UnlockVault", "The key of the phone's vault",
        """
        Signed by the activation with two or three factors, and encrypted for it. Inside is reason, which may be left out: 3 to 255 \
        letters, digits, _ - and dots, such as ADD_BIOMETRY. It is not kept. The answer has activationId and \
        encryptedVaultEncryptionKey inside.
        """,
        body: .envelope, answer: "The key, encrypted.")
    static let body = Shape.nothing
    static let reply = Reply.envelope

    private static let order = Shape(Nothing()) { Member.ignored("reason", .unlockReason, "Why it is unlocked.") }
    private static let inner = Reply<Unlocked>(name: "UnlockedVault") {
        ReplyMember.always("activationId", .identifier(), "Of the activation.") { $0.id }
        ReplyMember.always("encryptedVaultEncryptionKey", .base64, "32 bytes.") { $0.key }
    }

    private struct Unlocked {
        let id: ActivationID
        let key: [UInt8]
    }

    func respond(
        to body: Nothing, of request: Request, from signer: Signer
    ) async throws(OnboardingError) -> JSONObject {
        let opened = try await envelopes.open(request.body, signer.version, for: .vault, from: signer.caller)
        guard let content = try? JSONObject.parse(opened.plain) else { throw .encryption }
        let unlocked: Unlocked
        do throws(FieldDefect) { _ = try Self.order.read(FieldReader(content)) } catch { throw .field(error) }
        do throws(EngineFault) {
            unlocked = Unlocked(id: signer.activation.id, key: try activations.vaultKey(of: signer.activation))
        } catch { throw OnboardingError(error) }
        return try envelopes.seal(Self.inner.object(unlocked).serialized(), opened)
    }
}

extension Input where Value == String {
    /// The vendor's rule for a reason.
    fileprivate static var unlockReason: Input {
        anyText.map(orFail: "must be 3 to 255 letters, digits, _ - or dots") { text in
            let isReason =
                (3...255).contains(text.utf8.count)
                && text.utf8.allSatisfy { $0.isLetterOrDigit || "_-.".utf8.contains($0) }
            return isReason ? text : nil
        }
    }
}
