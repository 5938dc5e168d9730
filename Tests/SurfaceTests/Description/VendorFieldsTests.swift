import Testing

/// The documents of the vendors' formats, field by field.
struct VendorFieldsTests {
    @Test func `every field of a vendor's format has a description`() {
        let documents = [
            ("camara", CamaraDescription.document), ("hooks", HookDescription.document),
            ("onboarding", OnboardingDescription.document), ("otpless", OtplessDescription.document),
            ("prelude", PreludeWorld.document), ("twilio-verify", TwilioDescription.document),
        ]
        for (vendor, document) in documents { #expect(undescribedFields(document) == [], "\(vendor)") }
    }
}
