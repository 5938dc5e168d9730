import Testing
import Text

@Suite struct PowerAuthHeaderTests {
    private func header(_ text: String) throws(PowerAuthHeader.Defect) -> PowerAuthHeader {
        try PowerAuthHeader(Array(text.utf8))
    }

    private func defect(_ text: String) -> PowerAuthHeader.Defect? {
        do throws(PowerAuthHeader.Defect) {
            _ = try header(text)
            return nil
        } catch { return error }
    }

    @Test(arguments: [
        // Apple's phones, and Java.
        #"PowerAuth version="3.2", application_key="lceX5qe+O+Sb0t8TQqg35A==", activation_id="b602bfa6-eeb1""#,
        // Android.
        #"PowerAuth version="3.2" application_key="lceX5qe+O+Sb0t8TQqg35A==" activation_id="b602bfa6-eeb1""#,
        #"PowerAuth activation_id="b602bfa6-eeb1",application_key="lceX5qe+O+Sb0t8TQqg35A==",version="3.2""#,
        "PowerAuth   , version=\"3.2\"\t,, application_key=\"lceX5qe+O+Sb0t8TQqg35A==\" ,activation_id=\"b602bfa6-eeb1\", ",
    ])
    func `reads pairs in any order, between commas and blanks`(text: String) throws {
        let header = try header(text)
        #expect(header["version"] == "3.2")
        #expect(header["application_key"] == "lceX5qe+O+Sb0t8TQqg35A==")
        #expect(header["activation_id"] == "b602bfa6-eeb1")
        #expect(header["Version"] == nil && header["key"] == nil && header[""] == nil)
    }

    @Test func `an empty value is a value`() throws {
        #expect(try header(#"PowerAuth version="""#)["version"]?.isEmpty == true)
    }

    @Test func `refuses what is no list of pairs, and says why`() throws {
        let cases: [(String, PowerAuthHeader.Defect)] = [
            ("", .otherScheme), ("PowerAuth", .otherScheme), (#"powerauth version="3.2""#, .otherScheme),
            (#"Bearer version="3.2""#, .otherScheme), (#"PowerAuthversion="3.2""#, .otherScheme),
            ("PowerAuth ", .noPair), ("PowerAuth , ,", .noPair),
            (#"PowerAuth version"#, .malformedPair), (#"PowerAuth version=3.2"#, .malformedPair),
            (#"PowerAuth version="3.2"#, .malformedPair), (#"PowerAuth ="3.2""#, .malformedPair),
            (#"PowerAuth version ="3.2""#, .malformedPair), (#"PowerAuth version= "3.2""#, .malformedPair),
            (#"PowerAuth a="1"b="2""#, .malformedPair), (#"PowerAuth a="1";b="2""#, .malformedPair),
            (#"PowerAuth a-b="1""#, .malformedPair), (#"PowerAuth ä="1""#, .malformedPair),
            (#"PowerAuth a="ä""#, .malformedPair), (#"PowerAuth a="1 2""#, .malformedPair),
            (#"PowerAuth a="\"""#, .malformedPair), ("PowerAuth a=\"\u{7F}\"", .malformedPair),
            (#"PowerAuth a="1", a="1""#, .doubledName), (#"PowerAuth a="1", b="1", a="2""#, .doubledName),
        ]
        for (text, expected) in cases {
            #expect(defect(text) == expected, "\(text)")
            #expect(!expected.description.isEmpty)
        }
    }

    @Test func `bounds length and pairs`() throws {
        func pairs(_ count: Int) -> String {
            "PowerAuth " + (0..<count).map { "a\($0)=\"\"" }.joined(separator: " ")
        }
        #expect(defect(pairs(PowerAuthHeader.mostPairs)) == nil)
        #expect(defect(pairs(PowerAuthHeader.mostPairs + 1)) == .tooManyPairs)
        let start = #"PowerAuth a=""#
        func ofLength(_ count: Int) -> String {
            start + String(repeating: "x", count: count - start.utf8.count - 1) + "\""
        }
        #expect(defect(ofLength(PowerAuthHeader.maxBytes)) == nil)
        #expect(defect(ofLength(PowerAuthHeader.maxBytes + 1)) == .tooLong)
    }

    /// A header is cut anywhere: it is refused, or it has fewer pairs.
    @Test func `each beginning of a header has no more than the whole`() throws {
        let whole = Array(#"PowerAuth version="3.2", token_id="b602", nonce="AAAA""#.utf8)
        for length in 0..<whole.count {
            guard let header = try? PowerAuthHeader(whole[..<length]) else { continue }
            #expect(header["nonce"] == nil && header["version"] == "3.2")
        }
        #expect(try PowerAuthHeader(whole[...])["nonce"] == "AAAA")
    }
}
