internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /client/v1/session/device`: the device key answers its challenge (client protocol 4.10).
///
///     {"proof":"eyJ..."}  ->  200, the state
struct ProveDevice: ClientEndpoint {
    let calls: ClientCalls
    let systemNow: Now

    static let call = Call(
        .post, ClientDescription.path + "/device", id: "proveDevice", "Answer the device challenge",
        "The device key signs state.device.challenge.", body: .json(upTo: .short),
        answer: "The state after the call.")
    static let refusals: [ClientError] = [.refused(.deviceProofInvalid), .refused(.deviceNumberMismatch)]
    static let body = Shape("") {
        Member.required(
            "proof", Input.anyText.described(as: .text(least: 1, most: 2048)), "A JWT of the device key."
        ) { $0 = $1 }
        // No tenant requires an attestation, so it is ignored.
        Member.ignored("attestation", .object(.map(of: .anything)), "Not looked at so far.")
        Member.ignored(
            "deviceName", Input.text(.freeText(64)).described(as: .text(most: 64)),
            "A name of the device. Has no effect.")
    }

    func respond(
        to text: String, of request: Request, from call: RepeatableCall
    ) async throws(ClientError) -> OperationReply {
        var fault: ProofFault?
        var proof: DeviceProof?
        do throws(ProofFault) {
            proof = try calls.engine.crypto.proofs.verifyDeviceProof(text, systemNow: systemNow())
        } catch {
            fault = error
        }
        let reply = try await calls.perform(call) { [proof] (commands) throws(EngineFault) in
            try commands.proveDevice(proof)
        }
        guard reply.refusal == .deviceProofInvalid else { return reply }
        throw .deviceProof(fault ?? proof.map { Self.mismatch(of: $0, call.caller) } ?? .form, reply.session)
    }

    /// The claim that does not fit this session or time, in a proof with a valid signature. A challenge is valid once.
    private static func mismatch(of proof: DeviceProof, _ caller: ClientCaller) -> ProofFault {
        if proof.authID != caller.authID { return .claim(.sub) }
        let key: Thumbprint? = if case .proof(let own) = caller.credential { own.thumbprint } else { nil }
        return .claim(proof.sessionKey == key ? .nonce : .cnf)
    }
}
