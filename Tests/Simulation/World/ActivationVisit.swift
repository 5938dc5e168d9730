internal import Possession
internal import StrictJSON
internal import Text

/// A phone that signs calls: one after another and at the same time, with signatures that come again, that were skipped and
/// that are not good; and an operator who blocks it and gives it back.
struct ActivationVisit {
    let world: World
    let history: ActivationHistory

    func run() {
        for _ in 0..<Sim.draw(3...10) {
            guard !world.isEnding else { return }
            let call = nextCall()
            if Sim.onceIn(4) { Sim.spawn("same call") { once(call) } }
            for _ in 0..<3 {
                if once(call) != .nothing, !Sim.onceIn(6) { break }
                Sim.sleep(milliseconds: Sim.draw(1_500))
            }
            Sim.sleep(milliseconds: Sim.onceIn(8) ? Sim.draw(6_000) : Sim.draw(300))
        }
    }

    private func nextCall() -> ActivationHistory.Call {
        let withKnowledge = !Sim.onceIn(3)
        switch Sim.draw(14) {
        case 0: return .block
        case 1: return .unblock
        case 2, 3: return .read
        case 4 where Sim.onceIn(3): return .remove(number: nextNumber())
        case 5, 6: return .sign(number: nextNumber(), withKnowledge: withKnowledge, isRight: false)
        // A signature that came before.
        case 7 where history.signed > 0, 8 where history.signed > 0:
            return .sign(number: Sim.draw(history.signed), withKnowledge: withKnowledge, isRight: true)
        case 9:
            history.signed += Sim.draw(24)
            return .sign(number: nextNumber(), withKnowledge: withKnowledge, isRight: true)
        default: return .sign(number: nextNumber(), withKnowledge: withKnowledge, isRight: true)
        }
    }

    private func nextNumber() -> Int {
        history.signed += 1
        return history.signed - 1
    }

    @discardableResult
    func once(_ call: ActivationHistory.Call) -> ActivationHistory.Told {
        let index = history.begin(call)
        let told = ask(call)
        history.end(index, told)
        if told == .done, case .sign = call { world.figures.signatures += 1 }
        return told
    }

    private func ask(_ call: ActivationHistory.Call) -> ActivationHistory.Told {
        switch call {
        case .sign(let number, let withKnowledge, let isRight):
            return signed("/signature/validate", number, withKnowledge, isRight)
        case .remove(let number): return signed("/activation/remove", number, true, true)
        case .read: return read()
        case .block: return changed { $0.block(for: .operator, at: $1) }
        case .unblock: return changed { $0.unblock(at: $1) }
        }
    }

    private func signed(
        _ path: String, _ number: Int, _ withKnowledge: Bool, _ isRight: Bool
    ) -> ActivationHistory.Told {
        let body = Array(#"{"requestObject":{"reason":"\#(world.nextRequest())"}}"#.utf8)
        let caller = HTTPCaller(address: UInt8(Sim.draw(250)))
        let signature = history.phone.signature(
            number, withKnowledge: withKnowledge, of: body, to: "/pa" + path, nonce: Self.random(), isRight: isRight)
        caller.fields = [("X-PowerAuth-Authorization", signature)]
        let answer = world.observe("POST /pa/v3\(path)", patience: World.patience) {
            caller.call("POST", "/pa/v3" + path, body, type: "application/json", nil, World.patience)
        }
        switch answer.status {
        case 200: return .done
        case 401: return .refused
        default: return .nothing
        }
    }

    private func read() -> ActivationHistory.Told {
        let challenge = Self.random()
        let question: JSONObject = [
            "activationId": .string(history.phone.activationID), "challenge": .string(Base64.encode(challenge)),
        ]
        let caller = HTTPCaller(address: UInt8(Sim.draw(250)))
        let reply = world.observe("POST /pa/v3/activation/status", patience: World.patience) {
            caller.call(
                "POST", "/pa/v3/activation/status", ["requestObject": .object(question)], patience: World.patience)
        }.reply
        guard let reply, reply.status == 200 else { return .nothing }
        func bytes(_ name: String) -> [UInt8] { Base64.decode((reply.answered[name]?.string ?? "").utf8) ?? [] }
        guard
            let standing = history.phone.standing(
                bytes("encryptedStatusBlob"), nonce: bytes("nonce"), challenge: challenge)
        else {
            world.promises.broken("an activation that was acknowledged has a standing (\(history.phone.activationID))")
            return .nothing
        }
        return .stands(standing)
    }

    private func changed(_ rule: @escaping World.ActivationRule) -> ActivationHistory.Told {
        world.change(history.phone.activationID, rule).map { $0 ? .done : .refused } ?? .nothing
    }

    private static func random() -> [UInt8] { (0..<16).map { _ in UInt8(Sim.draw(256)) } }
}
