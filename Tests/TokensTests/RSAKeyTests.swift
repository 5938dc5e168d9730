import Engine
import Possession
import Testing
import Text
import Tokens

/// RSA keys that sign webhooks, against what the `openssl` command made.
@Suite struct RSAKeyTests {
    private let message = Array("webhook".utf8)

    @Test func `signs what its public half verifies, and nothing else`() throws {
        let key = try RSAKey.generate()
        let signature = try key.sign(message)
        #expect(signature.count == 384)
        #expect(try key.sign(message) != signature, "each has a salt of its own")
        let copy = try RSAPublicKey(der: key.publicKey.der)
        #expect(copy.verifies(signature, of: message))
        #expect(!copy.verifies(signature, of: message + [0]))
        #expect(!copy.verifies([], of: message) && !copy.verifies(Array(signature.dropLast()), of: message))
        #expect(try !RSAKey.generate().publicKey.verifies(signature, of: message))
        #expect(copy.verifies(signature, of: message), "a refused signature leaves nothing behind")
    }

    @Test func `comes back from its DER`() throws {
        let key = try RSAKey.generate()
        let copy = try RSAKey(privateDER: try key.privateDER().copied)
        #expect(copy.publicKey.der == key.publicKey.der && copy.publicKey.thumbprint == key.publicKey.thumbprint)
        #expect(key.publicKey.verifies(try copy.sign(message), of: message))
        #expect("\(key)" == "<redacted>")
    }

    @Test func `verifies what OpenSSL signed with a salt of 32 bytes, and no other form`() throws {
        let key = try RSAPublicKey(der: Fixture.bytes(hex: Self.der))
        #expect(key.verifies(Fixture.bytes(hex: Self.signature), of: message))
        #expect(!key.verifies(Fixture.bytes(hex: Self.withSaltOf20), of: message))
        #expect(!key.verifies(Fixture.bytes(hex: Self.pkcs1), of: message))
        #expect(key.pem == Self.pem)
    }

    /// SHA-256 of `{"e":"AQAB","kty":"RSA","n":"..."}`, with the modulus that `openssl rsa -modulus` shows.
    @Test func `has the thumbprint of its exponent and modulus`() throws {
        let key = try RSAPublicKey(der: Fixture.bytes(hex: Self.der))
        #expect(Base64URL.encode(key.thumbprint.bytes) == "mannvuS-JdPY-irg3FLQmpiv0x-yIosSpZl6TRJ6l2E")
    }

    @Test func `refuses DER that is damaged, longer, short of bits, or of another kind`() throws {
        let der = Fixture.bytes(hex: Self.der)
        for length in 0..<der.count {
            #expect(throws: TokenFault.self) { try RSAPublicKey(der: Array(der[..<length])) }
        }
        #expect(throws: TokenFault.self) { try RSAPublicKey(der: der + [0]) }
        #expect(throws: TokenFault.self) { try RSAPublicKey(der: Fixture.bytes(hex: Self.of2048Bits)) }
        let curve = try SigningKey.generate().privateDER().copied
        #expect(throws: TokenFault.self) { try RSAKey(privateDER: curve) }
        let rsa = try RSAKey.generate().privateDER().copied
        #expect(throws: TokenFault.self) { try SigningKey(privateDER: rsa) }
        #expect(throws: TokenFault.self) { try RSAKey(privateDER: rsa + [0]) }
    }

    // `openssl genrsa 3072`, `openssl rsa -pubout`, and `openssl dgst -sha256 -sign` with `rsa_padding_mode:pss` and
    // `rsa_pss_saltlen:32`, then 20, then without PSS.
    private static let der = """
        308201a2300d06092a864886f70d01010105000382018f003082018a0282018100ebb217aa23669673c69fde8ed409e4a1ca
        287a9b5779780d08435f7e968b17ba55e80bb255685a55031ae77e4716934e97c53442e22e149f6b4c88c2b173f3ded7bb60
        8b42c499e90e74fd51cfb5bf9f53ed2510dba3cb2cbf48063c55208e360c1509488bf274a8e035bb9457a4c680ce81c73138
        17a1d56a12d2bb1c17da57d4fecb6039b7cb9c6d3f3a6a51e322906db323bff0ff6a439bc532fa428f317e18b4dab701e315
        246b1a25879ac3fbf6d77fefdf423223dd4e19cf12628817b460dee44029b02d09ad3d8570f1c8f2dbc8dab894f292686e4f
        d8963f927ae6080911acc7a03eadbba8ec3a6f7b8c8b8a27eada9c8a8e2b1b048b1723d55db70b6f59718cee91142c329bbe
        a977533efb9ef8ef6106a475ed360a3639f948b1e6f0187d744f30fa4b0b14692630edc3a01b213fd6d749a11fb82c305295
        df194676299c335b1e74519d22fe2a0d71f146563cb2f45d20eabed43a242d344a32593be0c2e46689f7fa656586a8ef7f21
        2ef6465314ead5218d88be1d3099f733f50203010001
        """
    private static let signature = """
        3a2c96b9a4d066953367ee11624ec0bdd5ee91e450995d30bd7804cabb06ee4a8aedb03b35834c58eb26a310f226d4204180
        2ea15334e97025cb12a6af03ac7916b5cb3075df86d25ad9ca6a7fcb30a7a7447649b7b5b6a9936034f0862f37fa05d4df36
        d14bf3418dd1204da5ffbbfb1eff7310cf8646dd8f55929d60306c58aced1107d268f694c96dab566d91bd9d986c7429c83f
        5cf5e5cdb8f818c1f303a37d501830f61a364cee3da97eea23d8fe1b8cf76440f2ee9331da102a0da9b5d64ac6342301462e
        98844b1c50f6d5ecf07b9a5df468f8009828d39e26a0559a0a291602d773761553868e6208eaf006e20f02690fa63434d86b
        90b45ed9c2f9cb5b75a1f2a5e6f3c3f1b65e52d1f47b2a54f52fac5c3ca2237e9284181fcf9a980b1b2c56f5f28cccf9a8b6
        9a5063c4ccc417a82749cbf783dbea3f21f027faab4df7ae69374ec825ec73e44cfae28032f0b944b17696bfb5d380e13f14
        d975fff37a0e1f047fb684d350b1bd1a92eb3633697227c118a81c15c24338888715
        """
    private static let withSaltOf20 = """
        251b56bde0908b8041210efc87812011fd282968a62ed16253a596ba2b1e7d3ff1a2b6aced133537e9719371384e641c8f39
        19df891e707172484c3f9cd054f38eced782c49815f9e20d61180e7cc018fd44557867a60f7d3a53beb7a80000ec9f6d79af
        fb567d8eb2a09c4ad8309a17c856cf672dc18bb7a93a00a9239012e43bdc921717c03864f7f2d4853041e7efe3223cc8f530
        f0dbf896eb3d2f075c02a4bea22a7acad3d0e009c92f3f106ed8bf400e499b68f914b7dc54bc444e7ffae8a05777365c9e70
        869637a47f60c8d90276091e0a3ab2c1d277871d5bb7a9559e1266e67dc0047a3bdd05c309d073fa05022a5b8ee41531957b
        17131a9f3736e7c3ca885ee9b972ce6b7d6dd5a4151e59a33a94c916a11a36d7ae31ba3bff3566fcb02cf41cb045b61a0909
        d1d4d53862f26b5e6f43f0aaf215eee2a755212a95044dd09b7866e0941346685916d2c6ec01b16f7e493309252e96448bee
        5fa01fc6aa23c9f18deb5f3e010bc25ee71de165e2c1717e6c9a4d1ca6c1f48ea275
        """
    private static let pkcs1 = """
        e74d8874dce804c7a591b8569a89540b957d1995945deef9bb183f68082b11f1bc68ebdff6944c8f206d44ab4c39c40fff08
        a8fb6c2d62c6f5600b8bd40ee8d9c81da4d43c0c345d55debf9015871665750de3a8ee34051a01d8e92657a67e850aa2ed56
        7415bedc9d582f9967d802298cdb46696b9df95e8baaedd5e461e30896cf3c9f1b45addd4679e502d9fb14cd4735029c901e
        09fc7e31a0e7b66121a1c17c8e5006e9e69e362f104f429887f6a5bdff45363c832adbc5121f426fa3b2f3b71d923145e898
        648fc71f83fc4f81de4fa582860969eafc234ecdf570c030ea283be58f02b1e0f85490e150ea9b30d112667626b6064faffc
        79edc7243bc065a096b2c7cdf6ec917ac79a32fa8315b9ea3d46e6f4fe334d518b4298eddf8e222b8a99ea54d2989a25e6dc
        09dd9bd5c6a2ab925b822ac9c0884bc1c2f99730fe94bce58db227ab6d5e3c03e65492752dfc95881b6295a4fbbdb51ba6e3
        e85cbf46650a20930cb05b8b1d59e7ae0beb49971cdc08abf41eefab68d61a735755
        """
    private static let of2048Bits = """
        30820122300d06092a864886f70d01010105000382010f003082010a0282010100be79d72050a9254519bc7fc06618835ade
        a74472ae167cda0547ea72eb293a3de9b9edc764f181cb19335d12029fd6b86ceba657db3f2d9de1a5ca9c9f0e4032bc4618
        d9e76b9d5a532d513d3a4f0a5c17448462c80a918ec12d69ea4e6b8919e8b3bfe8dc0fe62e7cda38f6364a510fafa7a93f00
        49018b84e8a68216f9061434040243e54f9eafa317160a3bb210f10d5a6c917e8bbf6b4d4916a2da9ed867338193e46f8454
        d6a93ea8760aca9bb0a54a0d1bf9b97108ec064fdfe7b4fbf0f6cdb6014336e0e51d0620af24673085b2b5c6a83c3a22757f
        2f67e04f03ee2816efb0b9e6fa89ed22a916d79f58b73288f517a04c5656e0ea3541993b272ecb0203010001
        """
    private static let pem = """
        -----BEGIN PUBLIC KEY-----
        MIIBojANBgkqhkiG9w0BAQEFAAOCAY8AMIIBigKCAYEA67IXqiNmlnPGn96O1Ank
        ocooeptXeXgNCENffpaLF7pV6AuyVWhaVQMa535HFpNOl8U0QuIuFJ9rTIjCsXPz
        3te7YItCxJnpDnT9Uc+1v59T7SUQ26PLLL9IBjxVII42DBUJSIvydKjgNbuUV6TG
        gM6BxzE4F6HVahLSuxwX2lfU/stgObfLnG0/OmpR4yKQbbMjv/D/akObxTL6Qo8x
        fhi02rcB4xUkaxolh5rD+/bXf+/fQjIj3U4ZzxJiiBe0YN7kQCmwLQmtPYVw8cjy
        28jauJTykmhuT9iWP5J65ggJEazHoD6tu6jsOm97jIuKJ+ranIqOKxsEixcj1V23
        C29ZcYzukRQsMpu+qXdTPvue+O9hBqR17TYKNjn5SLHm8Bh9dE8w+ksLFGkmMO3D
        oBshP9bXSaEfuCwwUpXfGUZ2KZwzWx50UZ0i/ioNcfFGVjyy9F0g6r7UOiQtNEoy
        WTvgwuRmiff6ZWWGqO9/IS72RlMU6tUhjYi+HTCZ9zP1AgMBAAE=
        -----END PUBLIC KEY-----

        """
}
