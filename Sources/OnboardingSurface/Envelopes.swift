internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// Opens encrypted requests and seals their replies. Every defect of an envelope gets the same answer.
struct Envelopes: Sendable {
    let devices: any DeviceProtocol
    /// The machine's clock.
    let systemNow: Now

    /// - Parameter body: an envelope as JSON.
    func open(
        _ body: [UInt8], _ version: DeviceProtocolVersion, for purpose: EnvelopePurpose, from caller: DeviceCaller
    ) async throws(OnboardingError) -> OpenedEnvelope {
        guard let object = try? JSONObject.parse(body) else { throw .encryption }
        return try await open(object, version, for: purpose, from: caller)
    }

    func open(
        _ object: JSONObject, _ version: DeviceProtocolVersion, for purpose: EnvelopePurpose, from caller: DeviceCaller
    ) async throws(OnboardingError) -> OpenedEnvelope {
        guard let envelope = Envelope(object, version: version) else { throw .encryption }
        do throws(DeviceProtocolError) {
            return try await devices.open(envelope, for: purpose, from: caller, at: systemNow())
        } catch { throw OnboardingError(error) }
    }

    /// The reply to a request that was opened.
    func seal(_ plain: [UInt8], _ opened: OpenedEnvelope) throws(OnboardingError) -> JSONObject {
        do throws(TokenFault) { return try opened.reply(plain, at: systemNow()).object } catch {
            throw OnboardingError(EngineFault(error))
        }
    }
}

extension OnboardingError {
    init(_ error: DeviceProtocolError) {
        switch error {
        case .refused: self = .encryption
        case .unknownTemporaryKey: self = .temporaryKey
        case .fault(let fault): self.init(fault)
        }
    }
}
