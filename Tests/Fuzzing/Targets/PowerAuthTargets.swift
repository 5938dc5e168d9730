internal import HTTPServer
@testable import OnboardingSurface
@testable import Engine
@testable import Possession
internal import StrictJSON
internal import Text
@testable import Tokens

extension FuzzTarget {
    /// Headers of PowerAuth. The first byte says whether the rest is a value, or names and values to write one of.
    static let powerAuthHeader = FuzzTarget("powerauth-header", maxBytes: 1200) { bytes in
        var choices = Choices(bytes)
        guard choices.number(below: 2) > 0 else { return PowerAuthHeaders.look(at: Array(choices.rest)) }
        PowerAuthHeaders.write(&choices)
    }

    /// Encrypted calls. The first bytes say the version, the use, and whether the rest is a body or is sealed by a phone.
    static let envelope = FuzzTarget("envelope", maxBytes: 2048) { bytes in
        var choices = Choices(bytes)
        let isSealed = choices.number(below: 2) > 0
        let version = DeviceProtocolVersion.allCases[choices.number(below: 2)]
        let purpose = EnvelopePurpose.allCases[choices.number(below: EnvelopePurpose.allCases.count)]
        let server = PhoneServer()
        guard isSealed else { return SealedCalls.refuse(Array(choices.rest), version, purpose, server) }
        SealedCalls.exchange(&choices, version, purpose, server)
    }

    /// Requests for temporary keys. The first byte says whether the rest is a text, header and claims to sign, or a
    /// challenge and damage to a request that has it.
    static let temporaryKey = FuzzTarget("temporary-key", maxBytes: 2048) { bytes in
        var choices = Choices(bytes)
        let server = PhoneServer()
        switch choices.number(below: 3) {
        case 0: KeyRequests.look(at: choices.text(), server)
        case 1:
            let key = KeyRequests.keys[choices.number(below: KeyRequests.keys.count)]
            KeyRequests.look(at: KeyRequests.sign(choices.part(), choices.part(), with: key), server)
        default: KeyRequests.damage(&choices, server)
        }
    }
}

/// Rules for the headers that name an application or an activation.
private enum PowerAuthHeaders {
    private static let names = [
        "version", "application_key", "activation_id", "pa_version", "pa_activation_id", "pa_application_key",
        "pa_nonce",
        "pa_signature_type", "pa_signature",
    ]

    static func look(at value: [UInt8]) {
        let header = try? PowerAuthHeader(value)
        if let header {
            require(value.count <= PowerAuthHeader.maxBytes, "a short header")
            require(value.starts(with: "PowerAuth ".utf8), "its scheme")
            for name in names {
                guard let text = header[name] else { continue }
                require(isValue(Array(text.utf8)), "visible characters")
                let pair = Array("\(name)=\"\(text)\"".utf8)
                require(value.indices.contains { value[$0...].starts(with: pair) }, "a value stands behind its name")
            }
        }
        // A header that reaches the server as text has the bytes of a text.
        let text = String(decoding: value, as: UTF8.self)
        guard text.utf8.elementsEqual(value) else { return }
        encryption(request(EncryptionHeader.name, [text]), header)
        signature(request(SignatureHeader.name, [text]), header)
        require((try? EncryptionHeader(request(EncryptionHeader.name, [text, text]))) == nil, "one header")
        require((try? SignatureHeader(request(SignatureHeader.name, [text, text]))) == nil, "one header")
    }

    private static func request(_ name: String, _ values: [String]) -> Request {
        Request(method: .post, path: "/", headers: Headers(values.map { (name, $0) }), id: "r")
    }

    private static func encryption(_ request: Request, _ header: PowerAuthHeader?) {
        do throws(OnboardingError) {
            guard let read = try EncryptionHeader(request), let header else {
                fatalError("does not hold: a header that is there is read, and before it its pairs")
            }
            require(header["application_key"]?.isSame(as: read.applicationKey) == true, "its application")
            require(header["version"]?.isSame(as: read.version.rawValue) == true, "its version")
            require(header["activation_id"] == nil, "an application's header names no activation")
        } catch { require(error == .encryption || error == .unservedVersion(isSigned: false), "one answer") }
    }

    private static func signature(_ request: Request, _ header: PowerAuthHeader?) {
        do throws(OnboardingError) {
            let read = try SignatureHeader(request)
            let call = read.call(request, resource: "/pa/signature/validate")
            require(header?["pa_application_key"]?.isSame(as: read.applicationKey) == true, "its application")
            require(header?["pa_activation_id"]?.isSame(as: read.activationID) == true, "its activation")
            require(header?["pa_version"]?.isSame(as: read.version.rawValue) == true, "its version")
            require(call.signature.count == 16 * call.factors.count, "16 bytes for each factor")
            let parts = call.data.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            require(parts.count == 4 && Base64.decode(parts[2])?.count == 16, "a nonce of its length")
        } catch { require(error == .signature || error == .unservedVersion(isSigned: true), "one answer") }
    }

    /// Pairs that are written in any order, with any blanks and commas between them, are the same header.
    static func write(_ choices: inout Choices) {
        let separators = [", ", " ", ",", " ,\t"]
        let separator = separators[choices.number(below: separators.count)]
        var pairs: [(name: [UInt8], value: [UInt8])] = []
        while !choices.rest.isEmpty, pairs.count <= PowerAuthHeader.mostPairs {
            pairs.append((choices.part(), choices.part()))
        }
        guard !pairs.isEmpty, pairs.allSatisfy({ isName($0.name) && isValue($0.value) }) else { return }
        func written(_ separator: String, _ pairs: [(name: [UInt8], value: [UInt8])]) -> [UInt8] {
            let texts = pairs.map { $0.name + Array("=\"".utf8) + $0.value + Array("\"".utf8) }
            return Array("PowerAuth ".utf8) + Array(texts.joined(separator: Array(separator.utf8)))
        }
        let text = written(separator, pairs)
        let header = try? PowerAuthHeader(text)
        let isSound =
            Set(pairs.map(\.name)).count == pairs.count && pairs.count <= PowerAuthHeader.mostPairs
            && text.count <= PowerAuthHeader.maxBytes
        require((header != nil) == isSound, "each name once, within the bounds")
        guard let header else { return }
        let reversed = try? PowerAuthHeader(written(separator, pairs.reversed()))
        for (name, value) in pairs {
            let name = String(decoding: name, as: UTF8.self)
            require(header[name]?.utf8.elementsEqual(value) == true, "a value comes back")
            require(reversed?[name]?.utf8.elementsEqual(value) == true, "in whatever order")
        }
        require(pairs.count == 1 || (try? PowerAuthHeader(written("", pairs))) == nil, "something separates pairs")
        look(at: text)
    }

    private static func isName(_ bytes: [UInt8]) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }
    }

    private static func isValue(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}

/// Rules for encrypted calls.
private enum SealedCalls {
    /// Nothing opens that no phone has sealed.
    static func refuse(
        _ body: [UInt8], _ version: DeviceProtocolVersion, _ purpose: EnvelopePurpose, _ server: PhoneServer
    ) {
        switch server.end(of: body, version, purpose) {
        case .opened: fatalError("does not hold: what opens was sealed by a phone")
        case .refused(let error):
            require(error == .encryption || version == .v33 && error == .temporaryKey, "one answer")
        }
    }

    /// A call that the phone has sealed opens once, for its use, within a minute. With anything changed it does not, and the
    /// call itself is good still.
    static func exchange(
        _ choices: inout Choices, _ version: DeviceProtocolVersion, _ purpose: EnvelopePurpose, _ server: PhoneServer
    ) {
        let (member, place) = (choices.number(below: 8), choices.byte())
        let (value, isCompressed) = (UInt8(choices.byte()), choices.number(below: 2) > 0)
        let ephemeral = PhoneServer.key(UInt8(choices.byte()))
        // From 66 s before to 65 s after.
        let age = (choices.byte() << 8 | choices.byte()) * 2 - 65_536
        let nonce = (0..<16).map { _ in UInt8(choices.byte()) }
        let plain = Array(choices.rest)
        let sent = server.seal(
            plain, purpose, version, ephemeral, isCompressed: isCompressed, nonce: nonce,
            timestamp: PhoneServer.now.milliseconds + Int64(age))

        let purposes = EnvelopePurpose.allCases
        let changed = sent.changed(member, place, value)
        if changed.serialized() != sent.body.serialized() {
            isRefused(server.end(of: changed.serialized(), version, purpose), mayBeOfKey: member == 5)
        }
        let other = purposes[(purposes.firstIndex(of: purpose)! + 1 + place % 3) % purposes.count]
        isRefused(server.end(of: sent.body.serialized(), version, other), mayBeOfKey: true)
        let otherVersion: DeviceProtocolVersion = version == .v32 ? .v33 : .v32
        isRefused(server.end(of: sent.body.serialized(), otherVersion, purpose), mayBeOfKey: false)

        let isFresh = (-60_000...60_000).contains(age)
        switch server.end(of: sent.body.serialized(), version, purpose) {
        case .refused(let error): require(!isFresh && error == .encryption, "a call in time opens")
        case .opened(let opened):
            require(isFresh, "a call is good for a minute")
            require(opened.plain == plain, "what was sealed comes back")
            let reply = try? opened.reply(plain, at: PhoneServer.now)
            require(reply.flatMap(sent.open) == plain, "its reply opens for the phone")
            isRefused(server.end(of: sent.body.serialized(), version, purpose), mayBeOfKey: false)
        }
    }

    /// - Parameter mayBeOfKey: the temporary key may be another one.
    private static func isRefused(_ end: PhoneServer.End, mayBeOfKey: Bool) {
        guard case .refused(let error) = end else { fatalError("does not hold: only the call itself opens, once") }
        require(error == .encryption || mayBeOfKey && error == .temporaryKey, "one answer for whatever is wrong")
    }
}

/// Rules for requests for temporary keys.
private enum KeyRequests {
    /// The application's, the activation's, and one that is nobody's.
    static let keys = [PhoneServer.secret, PhoneServer.keyOfActivation, [UInt8](repeating: 7, count: 16)]
    private static let header = Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)

    static func sign(_ header: [UInt8], _ claims: [UInt8], with key: [UInt8]) -> String {
        let signed = Base64URL.encode(header) + "." + Base64URL.encode(claims)
        return signed + "." + Base64URL.encode(MessageCode.hmac(.sha256, key: key, Array(signed.utf8)))
    }

    /// A request is of one caller at most, who has signed it, and is answered with a key that only they have, for a while.
    static func look(at text: String, _ server: PhoneServer) {
        let crypto = server.crypto
        let claims = crypto.claimedCaller(of: text)
        var taken = 0
        for (caller, key, signer) in PhoneServer.callers {
            let answer: String
            do throws(DeviceProtocolError) {
                let order = try crypto.temporaryKeyOrder(text, from: caller)
                answer = try crypto.issue(order, to: caller, at: PhoneServer.now)
            } catch {
                guard case .refused = error else { fatalError("does not hold: one answer") }
                continue
            }
            taken += 1
            require(claims?.applicationKey.isSame(as: caller.application.applicationKey) == true, "its application")
            require((claims?.activationID == nil) == (caller.activation == nil), "its activation")
            isSigned(text, key)
            isSound(answer, to: text, caller, signer, crypto)
        }
        require(taken <= 1, "a request is of one caller")
    }

    private static func isSigned(_ text: String, _ key: [UInt8]) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Array($0) }
        require(parts.count == 3, "three parts")
        for part in parts {
            let decoded = Base64URL.decode(String(decoding: part, as: UTF8.self))
            require(decoded.map { Base64URL.encode($0).utf8.elementsEqual(part) } == true, "one text")
        }
        let code = MessageCode.hmac(.sha256, key: key, parts[0] + [UInt8(ascii: ".")] + parts[1])
        require(Base64URL.encode(code).utf8.elementsEqual(parts[2]), "what is taken is signed")
    }

    private static func isSound(
        _ answer: String, to text: String, _ caller: DeviceCaller, _ signer: SigningKey, _ crypto: PowerAuthProtocol
    ) {
        guard let token = JWS(answer, type: "JWT"), let request = TemporaryKeyRequest(text),
            let id = token.claims["sub"]?.string.flatMap({ TemporaryKeyID($0) }),
            let end = token.claims["exp"]?.integer
        else { fatalError("does not hold: an answer names its key") }
        require(token.isSigned(by: signer.verifyingKey), "the server signs")
        require((1...128).contains(request.challenge.utf8.count), "a challenge of its length")
        require(token.claims.hasString("challenge", request.challenge), "the challenge comes back")
        let now = PhoneServer.now
        require(end > now.seconds && end <= now.seconds + 300, "for a while")
        let owner = TemporaryKeys.Owner(
            applicationKey: caller.application.applicationKey, activation: caller.activation?.id)
        func key(_ owner: TemporaryKeys.Owner, at time: Timestamp) -> KeyHandle? {
            (try? crypto.temporaryKeys.key(id, of: owner, at: time)).flatMap { $0 }
        }
        let point = (try? key(owner, at: now)?.publicKey()).flatMap { $0 }
        require(
            point.map { token.claims.hasString("publicKey", Base64.encode($0.uncompressed)) } == true, "it is the key")
        require(key(owner, at: Timestamp(seconds: end)) == nil, "it ends")
        let other = TemporaryKeys.Owner(applicationKey: "other", activation: owner.activation)
        require(key(other, at: now) == nil, "it is nobody else's")
    }

    /// A request is taken; with one other byte it is not.
    static func damage(_ choices: inout Choices, _ server: PhoneServer) {
        let (place, value) = (choices.byte() << 8 | choices.byte(), UInt8(choices.byte()))
        let isOfActivation = choices.number(below: 2) > 0
        let challenge = choices.text()
        var claims: JSONObject = [
            "applicationKey": .string(PhoneServer.keys.applicationKey), "challenge": .string(challenge),
        ]
        if isOfActivation { claims.set("activationId", PhoneServer.activation.text) }
        let (caller, key, _) = PhoneServer.callers[isOfActivation ? 1 : 0]
        let text = sign(header, claims.serialized(), with: key)
        func isTaken(_ text: String) -> Bool {
            (try? server.crypto.temporaryKeyOrder(text, from: caller)) != nil
        }
        let isSound = (1...128).contains(challenge.utf8.count) && text.utf8.count <= JWS.maxBytes
        require(isTaken(text) == isSound, "a request with a challenge is taken")
        look(at: text, server)
        guard value < 0x80 else { return }
        var changed = Array(text.utf8)
        changed[place % changed.count] = value
        let other = String(decoding: changed, as: UTF8.self)
        require(other.isSame(as: text) || !isTaken(other), "a changed one is not")
    }
}
