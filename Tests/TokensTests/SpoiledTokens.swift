import Possession
import StrictJSON
import Text
import Tokens

/// Every way we know to make a token that must be refused (TOK-01, TOK-03, TOK-06, TOK-07).
extension Spoiled {
    static let order = Fixture.bytes(hex: "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")

    static let algorithms: [Spoiled] = [
        .header("alg", "none"), .header("alg", "None"), .header("alg", "nOnE"), .header("alg", "HS256"),
        .header("alg", "RS256"),
        .header("alg", "ES384"), .header("alg", "ES256K"), .header("alg", "EdDSA"), .header("alg", "es256"),
        .header("alg", ""),
        .header("alg", nil), .header("alg", 256), .header("alg", ["ES256"]), .header("alg", .null),
        Spoiled("none, no signature") {
            var forge = $0
            forge.header["alg"] = "none"
            return try forge.token { _ in [] }
        },
        Spoiled("HS256 with the public key") {
            var forge = $0
            forge.header["alg"] = "HS256"
            let publicKey = forge.key.publicKey
            let input = Base64URL.encode(forge.header.serialized()) + "." + Base64URL.encode(forge.claims.serialized())
            let mac = KeyedHash(key: SecretBytes([4] + publicKey.x + publicKey.y)).digest(Array(input.utf8))
            return input + "." + Base64URL.encode(mac)
        },
        Spoiled("another key") {
            var forge = $0
            forge.key = try SigningKey.generate()
            return try forge.token()
        },
        Spoiled("another key, embedded") {
            var forge = $0
            forge.key = try SigningKey.generate()
            forge.header["jwk"] = .object(forge.key.publicKey.jwk)
            return try forge.token()
        },
    ]

    static let headers: [Spoiled] = [
        .header("typ", nil), .header("typ", "JWT"), .header("typ", "x/at+jwt"), .header("typ", "application/x/at+jwt"),
        .header("typ", 1),
        .header("typ", "dpop+jwt"), .header("kid", nil), .header("kid", ""), .header("kid", "../x"),
        .header("kid", "' OR 1=1"),
        .header("kid", .string(String(repeating: "k", count: 10_240))),
        .header("kid", .string(String(repeating: "k", count: 2000))),
        .header("kid", 1), .header("kid", ["a"]), .header("kid", "/dev/null"), .header("kid", "\u{0}"),
        .header("crit", ["exp"]), .header("crit", []),
        .header("zip", "DEF"), .header("jku", "https://evil.example/keys"), .header("x5u", "https://evil.example/x"),
        .header("x5c", ["AA"]),
        .header("jwk", [:]), .header("b64", false), .header("cty", "JWT"),
        Spoiled("header twice alg") {
            try $0.token(header: #"{"alg":"none","# + $0.headerText.dropFirst(), claims: $0.claimsText)
        },
        Spoiled("header twice kid") {
            try $0.token(header: #"{"kid":"x","# + $0.headerText.dropFirst(), claims: $0.claimsText)
        },
        Spoiled("header array") { try $0.token(header: "[\($0.headerText)]", claims: $0.claimsText) },
        Spoiled("header string") { try $0.token(header: "\"ES256\"", claims: $0.claimsText) },
        Spoiled("header empty") { try $0.token(header: "", claims: $0.claimsText) },
        Spoiled("header with a tail") { try $0.token(header: $0.headerText + "{}", claims: $0.claimsText) },
        Spoiled("header with a byte order mark") {
            try $0.token(header: "\u{FEFF}" + $0.headerText, claims: $0.claimsText)
        },
        Spoiled("header cut off") { try $0.token(header: String($0.headerText.dropLast()), claims: $0.claimsText) },
    ]

    static let claimForms: [Spoiled] = [
        Spoiled("claims array") { try $0.token(header: $0.headerText, claims: "[\($0.claimsText)]") },
        Spoiled("claims empty") { try $0.token(header: $0.headerText, claims: "") },
        Spoiled("claims empty object") { try $0.token(header: $0.headerText, claims: "{}") },
        Spoiled("claims null") { try $0.token(header: $0.headerText, claims: "null") },
        Spoiled("claims twice exp") {
            try $0.token(header: $0.headerText, claims: #"{"exp":9999999999,"# + $0.claimsText.dropFirst())
        },
        Spoiled("claims twice sub, escaped") {
            try $0.token(header: $0.headerText, claims: #"{"\u0073ub":"x","# + $0.claimsText.dropFirst())
        },
        Spoiled("claims with a tail") { try $0.token(header: $0.headerText, claims: $0.claimsText + " x") },
        Spoiled("claims nested 40 deep") {
            let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
            return try $0.token(header: $0.headerText, claims: "{\"x\":\(deep)," + $0.claimsText.dropFirst())
        },
    ]

    static let signatures: [Spoiled] = [
        .signature("empty") { _ in [] }, .signature("63 bytes") { Array($0.dropLast()) },
        .signature("65 bytes") { $0 + [0] },
        .signature("DER") { signature in
            [0x30, 0x46, 0x02, 0x21, 0] + signature.prefix(32) + [0x02, 0x21, 0] + signature.suffix(32)
        },
        .signature("zero") { _ in [UInt8](repeating: 0, count: 64) },
        .signature("ones") { _ in [UInt8](repeating: 0xFF, count: 64) },
        .signature("r = 0") { [UInt8](repeating: 0, count: 32) + $0.suffix(32) },
        .signature("s = 0") { $0.prefix(32) + [UInt8](repeating: 0, count: 32) },
        .signature("r = n") { order + $0.suffix(32) }, .signature("s = n") { $0.prefix(32) + order },
        .signature("r = s = n") { _ in order + order },
        .signature("r = n + 1") { order.dropLast() + [0x52] + $0.suffix(32) },
        .signature("s > n") { $0.prefix(32) + [UInt8](repeating: 0xFF, count: 32) },
        .signature("r = s = 1") { _ in
            ([UInt8](repeating: 0, count: 31) + [1]) + ([UInt8](repeating: 0, count: 31) + [1])
        },
        .signature("one bit changed") { [$0[0] ^ 1] + $0.dropFirst() },
        .signature("last bit changed") { $0.dropLast() + [$0[63] ^ 1] },
        .signature("halves swapped") { $0.suffix(32) + $0.prefix(32) }, .signature("twice") { $0 + $0 },
    ]

    static let texts: [Spoiled] = [
        .text("padded at the end") { $0 + "=" }, .text("padded twice at the end") { $0 + "==" },
        .text("padded header") { $0.replacingFirst(".", with: "=.") }, .text("blank in front") { " " + $0 },
        .text("blank behind") { $0 + " " }, .text("line end behind") { $0 + "\n" },
        .text("CRLF behind") { $0 + "\r\n" },
        .text("blank inside") { $0.replacingFirst(".", with: ". ") },
        .text("line end inside") { $0.replacingFirst(".", with: "\n.") },
        .text("NUL behind") { $0 + "\u{0}" }, .text("letter in front") { "A" + $0 }, .text("not ASCII") { "é" + $0 },
        .text("Bearer in front") { "Bearer " + $0 }, .text("two parts") { String($0[..<$0.lastDot]) },
        .text("two parts and a dot") { String($0[...$0.lastDot]) }, .text("four parts") { $0 + ".AAAA" },
        .text("dot behind") { $0 + "." },
        .text("dot in front") { "." + $0 }, .text("five parts") { $0 + ".AAAA.AAAA" },
        .text("two dots") { $0.replacingFirst(".", with: "..") },
        .text("empty") { _ in "" }, .text("one dot") { _ in "." }, .text("only dots") { _ in ".." },
        .text("one letter") { _ in "a" },
        .text("standard alphabet") { $0 + "+/" }, .text("too long") { $0 + String(repeating: "A", count: 8192) },
        .text("stray bits in the signature") {
            String($0.dropLast()) + ($0.last == "A" ? "B" : "\(Character(Unicode.Scalar($0.utf8.last! + 1)))")
        },
        .text("signature of one letter") { String($0[...$0.lastDot]) + "A" },
        .text("upper case") { $0.uppercased() }, .text("only a signature") { String($0[$0.lastDot...]) },
        .text("curly quotes") { $0.replacingFirst(".", with: "\u{2024}") },
        Spoiled("padded claims, signed") { forge in
            try forge.sign(
                Base64URL.encode(forge.header.serialized()) + "." + Base64URL.encode(forge.claims.serialized()) + "=")
        },
        Spoiled("blank in claims, signed") { forge in
            try forge.sign(
                Base64URL.encode(forge.header.serialized()) + ". " + Base64URL.encode(forge.claims.serialized()))
        },
        Spoiled("three claims parts, signed") { forge in
            try forge.sign(
                Base64URL.encode(forge.header.serialized()) + "." + Base64URL.encode(forge.claims.serialized())
                    + ".AAAA")
        },
    ]

    /// Each claim that both kinds have, missing, wrong and of a wrong type.
    static let claims: [Spoiled] =
        ["iss", "aud", "sub", "jti", "iat", "nbf", "exp"].flatMap { name -> [Spoiled] in
            [nil, .null, true, ["x"], [:], ""].map { .claim(name, $0) }
        }
        + ["iat", "nbf", "exp"].flatMap { name -> [Spoiled] in
            let now = Fixture.now.seconds
            let values: [JSONValue] = [
                .string(String(now)), .number("\(now).5"), .integer(-1), .integer(.max),
                .integer(.min),
                .number("99999999999999999999"), [.integer(now)],
            ]
            return values.map { .claim(name, $0) }
        } + [
            .claim("iss", "https://device.example/"), .claim("iss", "https://evil.example"),
            .claim("iss", "HTTPS://device.example"),
            .claim("aud", ["https://device.example/v3", "https://device.example/client/v1"]),
            .claim("aud", ["https://device.example/v3"]),
            .claim("aud", ["https://device.example/client/v1"]), .claim("aud", "https://device.example"),
            .claim("sub", 1),
            .claim("sub", "a b"), .claim("sub", .string(String(repeating: "a", count: 65))), .claim("jti", 5),
            .claim("jti", .string(String(repeating: "j", count: 129))),
            .claim("iat", .integer(Fixture.now.seconds + 31)),
            .claim("nbf", .integer(Fixture.now.seconds + 31)), .claim("exp", .integer(Fixture.now.seconds - 30)),
            .claim("exp", 0),
        ]

    static let both = algorithms + headers + claimForms + signatures + texts + claims
}

extension String {
    var lastDot: Index { lastIndex(of: ".") ?? startIndex }

    func replacingFirst(_ character: Character, with text: String) -> String {
        guard let index = firstIndex(of: character) else { return self }
        return String(self[..<index]) + text + String(self[self.index(after: index)...])
    }
}
