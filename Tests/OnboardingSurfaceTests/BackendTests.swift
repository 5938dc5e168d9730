import HTTPServer
import Engine
import Possession
import ProveSurfaces
import StrictJSON
import TestSupport
import Testing
import Text
import Tokens
@testable import OnboardingSurface
@testable import SurfaceKit
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Backends that check what their apps have signed. Tests/EndToEnd/activations.py does it with a phone that encrypts.
@Suite(.timeLimit(.minutes(60))) struct BackendTests {
    private static let data = "POST&L2xvZ2lu&C48N0ekaenicTtsb6LEf1g==&e30="

    private static func verify(
        _ onboarding: OnboardingWorld, _ phone: SigningPhone, _ signature: String, data: String = data,
        type: String = "POSSESSION_KNOWLEDGE", version: String = "3.3", key: String? = nil, id: String? = nil,
        as client: String = "sandbox"
    ) async -> Response {
        let question: JSONObject = [
            "activationId": .string(id ?? phone.id.text),
            "applicationKey": .string(key ?? onboarding.keys.applicationKey), "data": .string(data),
            "signature": .string(signature), "signatureType": .string(type), "signatureVersion": .string(version),
        ]
        return await ask(onboarding, "/signature/verify", question, TwilioWorld.basic(of: client))
    }

    private static func ask(
        _ onboarding: OnboardingWorld, _ path: String, _ question: JSONObject,
        _ headers: (name: String, value: String)...
    ) async -> Response {
        let body = String(decoding: (["requestObject": .object(question)] as JSONObject).serialized(), as: UTF8.self)
        return await onboarding.client.send(
            World.request(.post, "/powerauth/rest/v3" + path, body, headers))
    }

    private static func failures(_ onboarding: OnboardingWorld, _ phone: SigningPhone) async throws -> Int {
        try #require(try await onboarding.world.store.activation(phone.id)).failedAttempts
    }

    @Test(arguments: [
        (SignatureFactors.possession, "POSSESSION"), (.possessionKnowledge, "possession_knowledge"),
        (.possessionKnowledgeBiometry, "POSSESSION_KNOWLEDGE_BIOMETRY"), (.knowledge, "KNOWLEDGE"),
    ])
    func `a signature of an app's call to its own backend is good once`(
        factors: SignatureFactors, type: String
    ) async throws {
        let onboarding = try await OnboardingWorld()
        var phone = try await SigningPhone(onboarding)
        let signature = try phone.sign(Self.data, factors)
        let good = await Self.verify(onboarding, phone, signature, type: type)
        #expect(good.status == 200 && good.json["status"] == "OK")
        #expect(
            good.answered == [
                "signatureValid": true, "activationStatus": "ACTIVE", "activationId": .string(phone.id.text),
                "userId": "+12001004014", "applicationId": "sandbox", "signatureType": .string(factors.capitals),
                "remainingAttempts": 5, "applicationRoles": [], "activationFlags": [],
            ])
        let again = await Self.verify(onboarding, phone, signature, type: type).answered
        #expect(again["signatureValid"] == false && again["activationStatus"] == "ACTIVE")
        #expect(again["remainingAttempts"] == .integer(factors == .possession ? 5 : 4))
        let next = await Self.verify(onboarding, phone, try phone.sign(Self.data), type: "POSSESSION_KNOWLEDGE")
            .answered
        #expect(next["signatureValid"] == true && next["remainingAttempts"] == 5)
    }

    @Test func `five that are not good block the activation, and the answer says so`() async throws {
        let onboarding = try await OnboardingWorld()
        var phone = try await SigningPhone(onboarding)
        let other = try phone.sign("PUT" + Self.data.dropFirst(4))
        for left in [4, 3, 2, 1, 0] {
            let told = await Self.verify(onboarding, phone, other).answered
            #expect(told["signatureValid"] == false && told["remainingAttempts"] == .integer(Int64(left)))
            #expect(told["activationStatus"]?.string == (left > 0 ? "ACTIVE" : "BLOCKED"))
            #expect(told["blockedReason"]?.string == (left > 0 ? nil : "MAX_FAILED_ATTEMPTS"))
        }
        let blocked = await Self.verify(onboarding, phone, try phone.sign(Self.data)).answered
        #expect(blocked["signatureValid"] == false && blocked["activationStatus"] == "BLOCKED")
        _ = try await onboarding.world.store.update(phone.id, telling: nil) { activation in
            activation.remove(for: .operator, at: OnboardingWorld.machineTime)
        }
        let removed = await Self.verify(onboarding, phone, try phone.sign(Self.data)).answered
        #expect(removed["signatureValid"] == false && removed["activationStatus"] == "REMOVED")
        #expect(removed["blockedReason"] == nil && removed["activationId"]?.string == phone.id.text)
    }

    @Test func `an activation of another API client is as one that is not there`() async throws {
        let onboarding = try await OnboardingWorld()
        var phone = try await SigningPhone(onboarding)
        let absent: JSONObject = [
            "signatureValid": false, "activationStatus": "REMOVED", "remainingAttempts": 0, "applicationRoles": [],
            "activationFlags": [],
        ]
        let signature = try phone.sign(Self.data)
        #expect(await Self.verify(onboarding, phone, signature, as: "sandbox-2").answered == absent)
        for id in ["019b7907-8d58-7500-8000-000000000001", "x", String(repeating: "x", count: 4000)] {
            #expect(await Self.verify(onboarding, phone, signature, id: id).answered == absent)
        }
        #expect(try await Self.failures(onboarding, phone) == 0)
        #expect(
            await Self.verify(onboarding, phone, signature).answered["signatureValid"] == true, "nothing was used up")
    }

    @Test func `what cannot be a signature of the app is not good, and is not counted`() async throws {
        let onboarding = try await OnboardingWorld()
        var phone = try await SigningPhone(onboarding)
        let signature = try phone.sign(Self.data)
        let others = try onboarding.devices.makeApplicationKeys()
        for key in ["x", others.applicationKey] {
            let told = await Self.verify(onboarding, phone, signature, key: key).answered
            #expect(told["signatureValid"] == false && told["activationStatus"] == "ACTIVE")
        }
        for wrong in ["x", "AAAA", String(signature.dropLast(4)), signature + signature] {
            #expect(await Self.verify(onboarding, phone, wrong).answered["signatureValid"] == false)
        }
        #expect(await Self.verify(onboarding, phone, signature, type: "POSSESSION").answered["signatureValid"] == false)
        for (type, version, member) in [
            ("POSSESSION_SMELL", "3.3", "signatureType"), ("", "3.3", "signatureType"),
            ("POSSESSION_KNOWLEDGE", "4.0", "signatureVersion"), ("POSSESSION_KNOWLEDGE", "", "signatureVersion"),
        ] {
            let refused = await Self.verify(onboarding, phone, signature, type: type, version: version)
            #expect(refused.status == 400 && refused.failure == "INVALID_REQUEST")
            #expect(refused.answered["message"]?.string?.contains("'requestObject.\(member)'") == true)
        }
        #expect(try await Self.failures(onboarding, phone) == 0)
        #expect(await Self.verify(onboarding, phone, signature).answered["signatureValid"] == true)
    }

    @Test func `a call as long as the bound is judged, and a longer one refused`() async throws {
        let onboarding = try await OnboardingWorld()
        var phone = try await SigningPhone(onboarding)
        let long = Self.data + String(repeating: "A", count: 60_000)
        #expect(
            await Self.verify(onboarding, phone, try phone.sign(long), data: long).answered["signatureValid"] == true)
        let tooLong = Self.data + String(repeating: "A", count: 65_536)
        #expect(await Self.verify(onboarding, phone, try phone.sign(tooLong), data: tooLong).status == 413)
    }

    @Test(arguments: ["/signature/verify", "/token/validate"])
    func `a caller without the credentials of an API client is refused`(path: String) async throws {
        let onboarding = try await OnboardingWorld()
        let headers: [(name: String, value: String)] = [
            ("Authorization", "Basic x"), ("Authorization", "Bearer sandbox"), TwilioWorld.basic("sandbox", "wrong"),
            TwilioWorld.basic("nobody", "sandbox-secret"), TwilioWorld.basic("sandbox", ""),
        ]
        for header in headers {
            let refused = await Self.ask(onboarding, path, [:], header)
            #expect(refused.status == 401 && refused.failure == "ERR_AUTHENTICATION")
            #expect(refused.header("www-authenticate") == "Basic realm=\"holdfast\"")
        }
        #expect(await Self.ask(onboarding, path, [:]).status == 401)
        let known = await Self.ask(onboarding, path, [:], TwilioWorld.basic(of: "sandbox"))
        #expect(known.status == 400 && known.failure == "INVALID_REQUEST")
    }

    @Test func `a call that the rate of the API client refuses counts nothing`() async throws {
        var options = World.Options()
        options.platform.requestsPerSecond = 2
        let onboarding = try await OnboardingWorld(options)
        let phone = try await SigningPhone(onboarding)
        _ = onboarding.world.clock.advance(seconds: 10)
        let wrong = Base64.encode([UInt8](repeating: 7, count: 32))
        var statuses: [Int] = []
        for _ in 0..<4 { statuses.append(await Self.verify(onboarding, phone, wrong).status) }
        #expect(Set(statuses) == [200, 429])
        #expect(try await Self.failures(onboarding, phone) == statuses.count { $0 == 200 })
    }

    // MARK: Tokens

    private struct Token {
        let id: String
        let secret: [UInt8]

        init(_ onboarding: OnboardingWorld, _ phone: SigningPhone) async throws {
            let made = try onboarding.devices.makeToken(of: phone.id)
            let token = DeviceToken(
                id: DeviceTokenID(random: [UInt8](repeating: 9, count: 16)), activationID: phone.id,
                sealedSecret: made.sealed, factors: .possession, createdAt: OnboardingWorld.machineTime)
            try #require(try await onboarding.world.store.add(token))
            (id, secret) = (token.id.text, made.secret)
        }

        func proof(_ timestamp: Int64 = OnboardingWorld.machineTime.milliseconds, version: String = "3.3") -> JSONObject
        {
            let nonce = [UInt8](repeating: 1, count: 16)
            let digest = MessageCode.hmac(.sha256, key: secret, nonce + Array("&\(timestamp)&\(version)".utf8))
            return [
                "tokenId": .string(id), "tokenDigest": .string(Base64.encode(digest)),
                "nonce": .string(Base64.encode(nonce)), "timestamp": .integer(timestamp),
                "protocolVersion": .string(version),
            ]
        }
    }

    private static func validate(
        _ onboarding: OnboardingWorld, _ proof: JSONObject, as client: String = "sandbox"
    ) async -> JSONObject {
        await ask(onboarding, "/token/validate", proof, TwilioWorld.basic(of: client)).answered
    }

    @Test func `a token of an app's call to its own backend is judged`() async throws {
        let onboarding = try await OnboardingWorld()
        let phone = try await SigningPhone(onboarding)
        let token = try await Token(onboarding, phone)
        for proof in [token.proof(), token.proof(), token.proof(version: "3.2")] {
            #expect(
                await Self.validate(onboarding, proof) == [
                    "tokenValid": true, "activationStatus": "ACTIVE", "activationId": .string(phone.id.text),
                    "userId": "+12001004014", "applicationId": "sandbox", "signatureType": "POSSESSION",
                    "applicationRoles": [], "activationFlags": [],
                ])
        }
        var proof = token.proof()
        for (name, value) in [
            ("tokenDigest", "x"), ("tokenDigest", Base64.encode([UInt8](repeating: 0, count: 32))), ("nonce", "AAAA"),
        ] {
            proof[name] = .string(value)
            let told = await Self.validate(onboarding, proof)
            #expect(told["tokenValid"] == false && told["activationStatus"] == "ACTIVE")
            proof = token.proof()
        }
        let now = OnboardingWorld.machineTime.milliseconds
        for (time, isGood) in [(now - 7_200_000, true), (now - 7_200_001, false), (now + 1_800_001, false), (0, false)]
        {
            #expect(await Self.validate(onboarding, token.proof(time))["tokenValid"] == .bool(isGood))
        }
        let absent: JSONObject = [
            "tokenValid": false, "activationStatus": "REMOVED", "applicationRoles": [], "activationFlags": [],
        ]
        #expect(await Self.validate(onboarding, token.proof(), as: "sandbox-2") == absent)
        for id in ["7d1b7907-8d58-4500-8000-000000000003", "x"] {
            proof["tokenId"] = .string(id)
            #expect(await Self.validate(onboarding, proof) == absent)
        }
        _ = try await onboarding.world.store.update(phone.id, telling: nil) { activation in
            activation.block(for: .operator, at: OnboardingWorld.machineTime)
        }
        let blocked = await Self.validate(onboarding, token.proof())
        #expect(blocked["tokenValid"] == false && blocked["blockedReason"] == "OPERATOR")
    }
}
