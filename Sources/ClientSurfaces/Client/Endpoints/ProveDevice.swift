internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /client/v1/session/device`: the device key answers its challenge (client protocol 4.10).
///
///     {"proof":"eyJ..."}  ->  200, the state
struct ProveDevice: Sendable {
    let calls: ClientCalls
    let systemNow: Now

    /// - Throws: `.invalidRequest`, `.unsupportedMediaType`, `.invalidToken`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from caller: ClientCaller) async throws(ClientError) -> Response {
        let (fields, retry) = try calls.fields(of: request, known: ["proof", "attestation", "deviceName"])
        let text: String
        do throws(FieldDefect) {
            text = try fields.requiredText("proof", .any)
            // No tenant demands an attestation, so none is looked at.
            _ = try fields.object("attestation")
            _ = try fields.text("deviceName", .freeText(64))
        } catch {
            throw ClientError(error)
        }
        let proof = calls.engine.proofs.verifyDeviceProof(text, systemNow: systemNow())
        return try await calls.perform(caller, retry) { (operations) throws(EngineFault) in
            try operations.proveDevice(proof)
        }
    }
}
