import Foundation
import Holdfast

let allScenes = otpScenes

let otpScenes = [
    Scene("otp: the right code, one call a step") { stage in
        try await stage.expect(
            acts: [.number(nil), .code("1234")], asked: ["otpStart(false)", "otpFinish", "finish"],
            calls: ["POST /session", "POST /session/otp", "POST /session/otp/verify"], result: "true")
    }
]
