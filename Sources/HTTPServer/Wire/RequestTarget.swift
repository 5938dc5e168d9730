internal import Text

/// The target of a request in one of its four forms (RFC 9112 section 3.2).
struct RequestTarget: Equatable {
    enum Form: Equatable {
        /// A path, from origin-form or absolute-form.
        case path
        /// `*`, with OPTIONS only.
        case asterisk
        /// `host:port`, with CONNECT only.
        case authority
    }

    let form: Form
    /// As received, with percent-encoding, without the query; begins with `/`. Empty unless the form is `path`.
    let path: ArraySlice<UInt8>
    let query: ArraySlice<UInt8>
    /// The authority of an absolute-form target, validated.
    let authority: String?

    /// - Parameter bytes: visible ASCII without `#`.
    init(_ bytes: ArraySlice<UInt8>, method: Method) throws(HTTPFailure) {
        if method == .connect {
            guard Authority.canonical(bytes) != nil else { throw .badRequest(reason: "malformed request target") }
            self.init(form: .authority)
        } else if bytes.elementsEqual("*".utf8) {
            guard method == .options else { throw .badRequest(reason: "malformed request target") }
            self.init(form: .asterisk)
        } else if bytes.first == UInt8(ascii: "/") {
            try self.init(pathAndQuery: bytes, authority: nil)
        } else {
            try self.init(absolute: bytes, method: method)
        }
    }

    private init(form: Form, authority: String? = nil) {
        self.form = form
        self.authority = authority
        path = []
        query = []
    }

    private init(pathAndQuery bytes: ArraySlice<UInt8>, authority: String?) throws(HTTPFailure) {
        guard RequestTarget.hasWholeTriplets(bytes) else { throw .badRequest(reason: "malformed percent-encoding") }
        let mark = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        form = .path
        path = bytes[..<mark]
        query = mark < bytes.endIndex ? bytes[(mark + 1)...] : []
        self.authority = authority
    }

    /// `http://host/path?query`, the scheme in any case. A server must accept this form (RFC 9112 section 3.2.2).
    private init(absolute bytes: ArraySlice<UInt8>, method: Method) throws(HTTPFailure) {
        let schemes = ["http://", "https://"]
        guard let scheme = schemes.first(where: { Octets.equalIgnoringCase(bytes.prefix($0.utf8.count), $0) }) else {
            throw .badRequest(reason: "malformed request target")
        }
        let rest = bytes.dropFirst(scheme.utf8.count)
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        guard let authority = Authority.canonical(rest[..<end]) else {
            throw .badRequest(reason: "malformed request target")
        }
        if end == rest.endIndex, method == .options {
            // RFC 9112 section 3.2.4: OPTIONS on an authority without a path is OPTIONS *.
            self.init(form: .asterisk, authority: authority)
        } else if end < rest.endIndex, rest[end] == UInt8(ascii: "/") {
            try self.init(pathAndQuery: rest[end...], authority: authority)
        } else {
            try self.init(pathAndQuery: [UInt8(ascii: "/")] + rest[end...], authority: authority)
        }
    }

    /// The path, percent-decoded once; `nil` when the result is not UTF-8.
    var decodedPath: String? {
        guard path.contains(UInt8(ascii: "%")) else { return String(decoding: path, as: UTF8.self) }
        return PercentCoding.decode(path).flatMap { String(validating: $0, as: UTF8.self) }
    }

    private static func hasWholeTriplets(_ bytes: ArraySlice<UInt8>) -> Bool {
        var index = bytes.startIndex
        while let percent = bytes[index...].firstIndex(of: UInt8(ascii: "%")) {
            guard percent + 2 < bytes.endIndex, bytes[percent + 1].hexDigitValue != nil,
                bytes[percent + 2].hexDigitValue != nil
            else { return false }
            index = percent + 3
        }
        return true
    }
}
