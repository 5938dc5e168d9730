internal import HTTPServer
@testable import OnboardingSurface
@testable import Engine
@testable import Possession
internal import StrictJSON
@testable import SurfaceKit
internal import Text
@testable import Tokens

extension FuzzTarget {
    /// Identifications of people. The first byte says whether the rest is an object of JSON, or names and values.
    static let identification = FuzzTarget("identification") { bytes in
        var choices = Choices(bytes)
        guard choices.number(below: 2) > 0 else { return Identifications.read(Array(choices.rest)) }
        Identifications.make(&choices)
    }

    /// Orders for activations. The first byte says whether it is a plain one, one whose phone is in an envelope, or the
    /// phone.
    static let activationOrder = FuzzTarget("activation-order") { bytes in
        var choices = Choices(bytes)
        switch choices.number(below: 3) {
        case 0: ActivationOrderBodies.readPlain(Array(choices.rest))
        case 1: ActivationOrderBodies.readEncrypted(Array(choices.rest))
        default: ActivationOrderBodies.readPhone(Array(choices.rest))
        }
    }
}

private func request(_ body: [UInt8], _ form: BodyForm) -> Request {
    Request(
        method: .post, path: "/", headers: Headers([("Content-Type", form.coding.mediaType)]), body: body, id: "r")
}

/// A refusal is the caller's mistake, and names a member of the call.
private func isCallersMistake(_ error: OnboardingError, _ names: [String]) {
    require((400..<500).contains(error.response.status), "the caller's mistake")
    guard case .field(let defect) = error else { return }
    require(
        names.contains { defect.field.isSame(as: $0) || defect.field.utf8.starts(with: ($0 + ".").utf8) },
        "a refusal names a member: \(defect.field)")
}

/// Rules for identifications.
private enum Identifications {
    private static let form = EndpointForm(StartProcess.self)
    private static let (client, other) = PhoneServer.made { (ClientID("shop")!, ClientID("bank")!) }
    private static let keyed = PhoneServer.made { try KeyedDigests(MasterKey([UInt8](repeating: 5, count: 32))!) }

    /// - Parameter said: an object, as it stands in a body.
    private static func identification(_ said: [UInt8]) throws(OnboardingError) -> Identification? {
        let body = Array(#"{"requestObject":{"identification":"#.utf8) + said + Array("}}".utf8)
        return try form.read(request(body, form.body))
    }

    static func read(_ said: [UInt8]) {
        do throws(OnboardingError) {
            guard let read = try identification(said) else { return }
            isSound(read)
            // The input may bring further members of the call. Then it is no object by itself.
            guard let object = try? JSONObject.parse(said) else { return }
            let members = object.members
            for members in [Array(members.reversed()), Array(members.dropFirst() + members.prefix(1))] {
                let turned = JSONObject(members.map { ($0.name, $0.value) }).serialized()
                // A text that is longer when it is written again may be too long.
                guard turned.count <= said.count else { continue }
                require((try? identification(turned)).flatMap { $0 } == read, "the same in whatever order")
            }
        } catch { isCallersMistake(error, form.shape.names) }
    }

    /// Bounded, in one order, and told apart from others.
    private static func isSound(_ said: Identification) {
        require((1...Identification.mostEntries).contains(said.entries.count), "1 to 32 entries")
        for entry in said.entries {
            require((1...Identification.longestName).contains(entry.name.utf8.count), "a short name")
            require(entry.value.utf8.count <= Identification.longestValue, "a short value")
        }
        require(
            zip(said.entries, said.entries.dropFirst()).allSatisfy {
                $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
            }, "each name once, in order")
        require(Identification(said.entries.reversed()) == said, "one form")
        require(said.says(allOf: said), "it says what it says")
        let digest = keyed.identification(said, client)
        require(digest.count == 16 && UnknownPerson(digest: digest) != nil, "a digest of its length")
        require(keyed.identification(said, other) != digest, "which is one client's")
        if let less = Identification(Array(said.entries.dropLast())) {
            require(said.says(allOf: less) && !less.says(allOf: said), "less says less")
            require(keyed.identification(less, client) != digest, "and is another")
        }
        // A byte that moves from a value to its name, or to the next value, makes another identification.
        guard let first = said.entries.first, let moved = first.value.unicodeScalars.first else { return }
        let name = first.name + String(moved)
        let value = String(String.UnicodeScalarView(first.value.unicodeScalars.dropFirst()))
        if let shifted = Identification([.init(name, value)] + said.entries.dropFirst()) {
            require(keyed.identification(shifted, client) != digest, "names and values stand apart")
        }
    }

    static func make(_ choices: inout Choices) {
        var entries: [Identification.Entry] = []
        while !choices.rest.isEmpty { entries.append(.init(choices.text(), choices.text())) }
        let isWithin =
            (1...32).contains(entries.count)
            && entries.allSatisfy { (1...64).contains($0.name.utf8.count) && $0.value.utf8.count <= 256 }
            && Set(entries.map { Array($0.name.utf8) }).count == entries.count
        let made = Identification(entries)
        require((made != nil) == isWithin, "within the bounds, each name once")
        guard let made else { return }
        require(Set(made.entries) == Set(entries), "nothing is added, nothing lost")
        isSound(made)
    }
}

/// Rules for orders for activations.
private enum ActivationOrderBodies {
    private static let plain = EndpointForm(CreateActivation.self)
    private static let encrypted = EndpointForm(CreateEncryptedActivation.self)

    static func readPlain(_ body: [UInt8]) {
        do throws(OnboardingError) {
            let order = try plain.read(request(body, plain.body))
            isSound(order.credentials)
            isSound(order.phone)
        } catch { isCallersMistake(error, plain.shape.names) }
    }

    static func readEncrypted(_ body: [UInt8]) {
        do throws(OnboardingError) {
            let order = try encrypted.read(request(body, encrypted.body))
            isSound(order.credentials)
            for version in DeviceProtocolVersion.allCases {
                let envelope = order.phone.serialized()
                guard case .refused = PhoneServer().end(of: envelope, version, .activationOrder) else {
                    fatalError("does not hold: what opens was sealed by a phone")
                }
            }
        } catch { isCallersMistake(error, encrypted.shape.names) }
    }

    /// As it stands in the envelope.
    static func readPhone(_ content: [UInt8]) {
        guard let object = try? JSONObject.parse(content) else { return }
        do throws(FieldDefect) { isSound(try OrderingPhone.shape.read(FieldReader(object))) } catch {
            isCallersMistake(.field(error), OrderingPhone.shape.names)
        }
    }

    private static func isSound(_ credentials: ActivationCredentials) {
        guard let code = credentials.code else { return }
        require((4...10).contains(code.text.utf8.count), "a code of some length")
        require(code.text.utf8.allSatisfy { (48...57).contains($0) }, "of digits")
    }

    /// A key that is taken is a point, and the same one when it is written again.
    private static func isSound(_ phone: OrderingPhone) {
        require(phone.publicKey.count == 33 || phone.publicKey.count == 65, "a key of its length")
        for text in [phone.name, phone.platform, phone.device] {
            guard let text else { continue }
            require(!text.utf8.isEmpty && text.utf8.count <= 4 * 255, "a short text")
        }
        guard let point = try? CurvePoint(encoded: phone.publicKey) else { return }
        let key = point.publicKey
        let written = phone.publicKey.count == 65 ? key.uncompressed : [0x02 | key.y[31] & 1] + key.x
        require(written == phone.publicKey, "one text for a point")
    }
}
