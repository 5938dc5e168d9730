/// The device key's part of a run.
extension Run {
    private static let mostProofs = 3

    /// Answers the challenges of the device step until the server is content.
    ///
    /// - Returns: `false` if the run has to do without its device key.
    func proveDevice() async throws(Interruption) -> Bool {
        let server = calls.token.aud
        var key = world.keys.device(server)
        var isNew = false
        var isRefused = false
        while proofsSent < Self.mostProofs {
            let state = try calls.state()
            guard state.step == "device", calls.can("device"), let challenge = state.device.challenge else {
                return true
            }
            if key == nil || state.device.rotate == true {
                key = try? world.keys.makeDevice(server, inPlaceOf: key, now: world.now())
                isNew = true
            }
            guard let key,
                let proof = try? deviceProof(
                    by: key.key, aud: server, authID: calls.token.authID, challenge: challenge,
                    iat: calls.proofSeconds(), op: isNew ? "register" : "authenticate",
                    thumbprint: calls.key.thumbprint)
            else { return false }
            proofsSent += 1
            do {
                try await calls.post("/session/device", ["proof": .string(proof)])
            } catch .refusal(let error) where error.name == .deviceProofInvalid {
                if isRefused { return false }
                isRefused = true
            } catch {
                throw error
            }
        }
        return false
    }
}
