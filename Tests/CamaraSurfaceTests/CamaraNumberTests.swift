import HTTPServer
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing
import Text
@testable import CamaraSurface
@testable import SurfaceKit
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Number Verification 2.1, by tokens that phones get of their operators.
@Suite(.timeLimit(.minutes(60))) struct CamaraNumberTests {
    private static let inge = "+12001004016"

    /// A world whose operator knows the phone, and a token about it.
    private static func known() async throws -> (camara: CamaraWorld, token: String) {
        let camara = try await CamaraWorld()
        camara.world.carrier.answer(.success(.number(try #require(PhoneNumber(e164: inge)))))
        let token = await camara.ask(about: "operatortoken:abc", "1").json["access_token"]?.string
        return (camara, try #require(token))
    }

    @Test func `says whether a number is the phone's, in clear or hashed`() async throws {
        let (camara, token) = try await Self.known()
        #expect(camara.world.carrier.redeemed == ["token abc"])
        let hash = Hex.text(World.digest(Array(Self.inge.utf8)))
        for (body, isRight) in [
            (#"{"phoneNumber":"+12001004016"}"#, true), (#"{"phoneNumber":"+12001004014"}"#, false),
            (#"{"hashedPhoneNumber":"\#(hash)"}"#, true), (#"{"hashedPhoneNumber":"\#(hash.uppercased())"}"#, true),
            (#"{"hashedPhoneNumber":"\#(String(repeating: "0", count: 64))"}"#, false),
        ] {
            let answer = await camara.verifyNumber(body, token)
            #expect(answer.status == 200 && answer.json == ["devicePhoneNumberVerified": .bool(isRight)])
        }
        #expect(await camara.readNumber(token).json == ["devicePhoneNumber": .string(Self.inge)])
        #expect(camara.world.carrier.redeemed.count == 1)
    }

    @Test(arguments: [
        "{}", #"{"phoneNumber":"+12001004016","hashedPhoneNumber":"\#(String(repeating: "0", count: 64))"}"#,
        #"{"additional_property":"foo_value"}"#, #"{"phoneNumber":"2001004016"}"#, #"{"hashedPhoneNumber":"00"}"#,
        #"{"hashedPhoneNumber":"\#(String(repeating: "g", count: 64))"}"#,
    ]) func `refuses a question that is not as it must be`(body: String) async throws {
        let (camara, token) = try await Self.known()
        let refused = await camara.verifyNumber(body, token)
        #expect(refused.status == 400 && refused.camaraCode == "INVALID_ARGUMENT")
    }

    @Test func `only a network tells whose phone it is`() async throws {
        let camara = try await CamaraWorld()
        let scope = CamaraWorld.numberScope
        let byNumber = await camara.ask(about: "tel:+12001004016", "1")
        let byNobody = await camara.ask(camara.assertion("2"), scope: scope)
        for issued in [byNumber, byNobody] {
            let token = try #require(issued.json["access_token"]?.string)
            let verified = await camara.verifyNumber(#"{"phoneNumber":"+12001004016"}"#, token)
            #expect(verified.status == 403 && verified.camaraCode == "USER_NOT_AUTHENTICATED_BY_MOBILE_NETWORK")
            #expect(await camara.readNumber(token).camaraCode == "USER_NOT_AUTHENTICATED_BY_MOBILE_NETWORK")
        }
    }

    @Test func `each call needs its scope`() async throws {
        let camara = try await CamaraWorld()
        let token = await camara.token()
        #expect(await camara.verifyNumber(#"{"phoneNumber":"+12001004016"}"#, token).camaraCode == "PERMISSION_DENIED")
        #expect(await camara.readNumber(token).camaraCode == "PERMISSION_DENIED")
    }

    @Test func `a token that the operator does not know gets none`() async throws {
        let camara = try await CamaraWorld()
        for fault in [OperatorFault.notOnNetwork, .timeout, .failed(reason: "no")] {
            camara.world.carrier.answer(.failure(fault))
            let refused = await camara.ask(about: "operatortoken:abc", "\(fault)")
            #expect(refused.status == 400 && refused.json["error"] == "invalid_grant")
        }
        camara.world.carrier.serve(false)
        #expect(await camara.ask(about: "operatortoken:abc", "none").json["error"] == "invalid_grant")
        for subject in ["operatortoken:", "operatortoken:a b", "tel:2001004016", "ipport:192.0.2.1", "sandbox"] {
            #expect(await camara.ask(about: subject, subject).json["error"] == "invalid_grant", "\(subject)")
        }
    }

    @Test func `a grant is taken once, and names its scope itself`() async throws {
        let (camara, _) = try await Self.known()
        #expect(await camara.ask(about: "operatortoken:abc", "1").json["error"] == "invalid_client")
        #expect(await camara.ask(about: "operatortoken:abc", "2", scope: "dpv:A").json["error"] == "invalid_scope")
    }

    @Test func `what stands behind a token ends before it`() async throws {
        let (camara, token) = try await Self.known()
        _ = camara.world.clock.advance(seconds: 900)
        #expect(await camara.readNumber(token).camaraCode == "UNAUTHENTICATED")
    }
}
