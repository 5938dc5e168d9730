internal import HTTPServer
@testable import ProveSurfaces
internal import StrictJSON
@testable import SurfaceKit
internal import Text

extension FuzzTarget {
    /// Bodies of type `application/x-www-form-urlencoded`.
    static let form = FuzzTarget("form") { bytes in
        if let decoded = PercentCoding.decodeForm(bytes[...]) {
            require(decoded.utf8.count <= bytes.count, "decoded is no longer")
            require(
                PercentCoding.decodeForm(encoded(decoded)[...])?.utf8.elementsEqual(decoded.utf8) == true, "comes back")
        }
        guard let object = try? FormBody.object(bytes, known: ["grant_type", "client_id"]) else { return }
        let pairs = object.members.map { encoded($0.name) + [UInt8(ascii: "=")] + encoded($0.value.string ?? "") }
        // A field without name and value would be nothing between two `&`.
        let body = Array(pairs.joined(separator: [UInt8(ascii: "&")]))
        require((try? FormBody.object(body, known: [])) == object, "the same after writing")
        require(object.count <= 32, "so many fields")
        for name in object.names {
            require(object.names.count { $0.utf8.elementsEqual(name.utf8) } == 1, "a name once")
        }
    }

    /// The query of a target: a name, the byte 0xFF, and the query as it was received.
    static let query = FuzzTarget("query") { bytes in
        var choices = Choices(bytes)
        let name = choices.text()
        let query = choices.text()
        let request = Request(method: .get, path: "/", rawQuery: query, id: "r")
        let value = request.query(name)
        require((value?.utf8.count ?? 0) <= query.utf8.count, "decoded is no longer")
        let written = percentEncoded(name) + "=" + percentEncoded(query)
        let again = Request(method: .get, path: "/", rawQuery: "\(written)&\(query)", id: "r")
        require(again.query(name)?.utf8.elementsEqual(query.utf8) == true, "what was written comes back first")
        if let value {
            let plain = Request(
                method: .get, path: "/", rawQuery: "\(percentEncoded(name))=\(percentEncoded(value))", id: "r")
            require(plain.query(name)?.utf8.elementsEqual(value.utf8) == true, "the same after writing")
        }
    }

    /// The value of `Cookie` fields, with the byte 0xFF between them.
    static let cookies = FuzzTarget("cookies") { bytes in
        var choices = Choices(bytes)
        var fields: [(name: String, value: String)] = []
        while !choices.rest.isEmpty, fields.count < 8 { fields.append(("Cookie", choices.text())) }
        let found = FlowCookie.token(in: cookieRequest(fields))
        if let found {
            require(!found.utf8.contains(UInt8(ascii: ";")), "a token ends before a semicolon")
            let written = [("Cookie", "a=b; \(FlowCookie.name)=\(found)")] + fields
            require(FlowCookie.token(in: cookieRequest(written))?.utf8.elementsEqual(found.utf8) == true, "comes back")
        }
        // A cookie of another name changes nothing, wherever it stands.
        let beside = fields.map { (name: $0.name, value: "x=1;" + $0.value) }
        require(FlowCookie.token(in: cookieRequest(beside)) == found, "another cookie changes nothing")
    }

    private static func cookieRequest(_ fields: [(name: String, value: String)]) -> Request {
        Request(method: .get, path: "/", headers: Headers(fields), id: "r")
    }

    /// Letters and digits as they are, a blank as `+`, all else as `%XX`.
    private static func encoded(_ text: String) -> [UInt8] {
        percentEncoded(text, blank: [UInt8(ascii: "+")])
    }

    private static func percentEncoded(_ text: String) -> String {
        String(decoding: percentEncoded(text, blank: Array("%20".utf8)), as: UTF8.self)
    }

    private static func percentEncoded(_ text: String, blank: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789aBcDeF".utf8)
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if byte.isLetterOrDigit {
                encoded.append(byte)
            } else if byte == 0x20 {
                encoded += blank
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return encoded
    }
}
