import Engine
import Possession
import Testing
import Tokens

/// Standard Webhooks 1.0.0, against values of its official library and of libsodium.
@Suite struct WebhookSigningTests {
    private let signing: WebhookSigning
    private let key = Array(UInt8(0)...31)
    private let now = Timestamp(seconds: 1_767_225_600)
    private let body = Array(
        #"{"type":"session.succeeded","timestamp":"2026-01-01T00:00:00Z","data":{"id":"s1"}}"#.utf8)
    private let v1 = "v1,34EyetjO2EPhA+u/OYACOY6XwGLi6lU+1jVJRTVJtj4="
    private let v1a =
        "v1a,M7QFdfWxOranJ4E6QNGVcb19xNJU80Ioh5/UKzjbaelLcgmKca11Fl5MR9R1ltWvXQcRnhNem062FIxmDvSEBQ=="

    init() throws {
        signing = try WebhookSigning(try #require(MasterKey([UInt8](repeating: 1, count: 32))))
    }

    @Test func `signs with the secret`() throws {
        let keys = WebhookEndpoint.Keys(secret: key, seed: nil)
        #expect(try signing.header("evt_1", at: now, body, keys: [keys]) == v1)
        #expect(WebhookSigning.text(ofSecret: key) == "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
    }

    @Test func `signs with the key pair as well, behind the secret and one blank`() throws {
        let keys = WebhookEndpoint.Keys(secret: key, seed: key)
        #expect(try signing.header("evt_1", at: now, body, keys: [keys]) == "\(v1) \(v1a)")
        #expect(
            try signing.text(ofPublicKeyOf: key) == "whpk_A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=")
    }

    @Test func `signs with the keys before as well, all secrets first`() throws {
        let fresh = WebhookEndpoint.Keys(secret: [UInt8](repeating: 7, count: 32), seed: key)
        let old = WebhookEndpoint.Keys(secret: key, seed: key)
        let parts = try signing.header("evt_1", at: now, body, keys: [fresh, old]).split(
            separator: " ", omittingEmptySubsequences: false)
        #expect(parts.count == 4)
        #expect(parts[0].hasPrefix("v1,") && parts[0] != v1 && parts[1] == v1 && parts[2] == v1a && parts[3] == v1a)
    }

    @Test func `refuses a seed of another length`() {
        #expect(throws: TokenFault.self) { try Ed25519.sign([1], seed: [UInt8](repeating: 0, count: 31)) }
    }

    @Test func `has one subject for one number of one tenant`() throws {
        let number = try #require(PhoneNumber(e164: "+12015550123"))
        let (one, two) = (try #require(ClientID("a")), try #require(ClientID("b")))
        #expect(signing.subject(one, .number(number)) == signing.subject(one, .number(number)))
        #expect(signing.subject(one, .number(number)) != signing.subject(two, .number(number)))
        #expect(
            signing.subject(one, .number(number)).hasPrefix("s_")
                && signing.subject(one, .number(number)).utf8.count == 24)
    }
}
