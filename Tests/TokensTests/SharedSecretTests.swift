import Glibc
import Testing

@testable import Tokens

@Suite final class SharedSecretTests {
    private let directory: String

    init() throws {
        var template = Array("/tmp/shared-secret-tests-XXXXXX".utf8CString)
        directory = try #require(mkdtemp(&template).map { String(cString: $0) })
    }

    deinit {
        unlink(path)
        rmdir(directory)
    }

    private var path: String { directory + "/secret" }

    private func write(_ text: String, mode: mode_t = 0o600) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(file >= 0)
        let bytes = Array(text.utf8)
        _ = Glibc.write(file, bytes, bytes.count)
        fchmod(file, mode)
        close(file)
    }

    private func read() -> Result<String, KeyFileFault> {
        do throws(KeyFileFault) {
            return .success(String(decoding: try SharedSecret.load(path).copied, as: UTF8.self))
        } catch { return .failure(error) }
    }

    @Test(arguments: ["", "\n", "\r\n"], [32, 64, 1024])
    func `reads a line without its end`(end: String, length: Int) throws {
        let text = String(repeating: "k", count: length)
        try write(text + end)
        #expect(read() == .success(text))
    }

    @Test(arguments: [
        String(repeating: "k", count: 31) + "\n", String(repeating: "k", count: 31) + "\r\n",
        String(repeating: "k", count: 1025), String(repeating: "k", count: 40) + "\n\n",
        String(repeating: "k", count: 40) + " ", "two words" + String(repeating: "k", count: 40),
        "\u{0}" + String(repeating: "k", count: 40), "é" + String(repeating: "k", count: 40),
        String(repeating: "k", count: 40) + "\n" + String(repeating: "k", count: 40),
    ])
    func `refuses other content, without telling it`(text: String) throws {
        try write(text)
        let reason = "key file \(path) must hold 32 to 1024 visible ASCII characters"
        #expect(read() == .failure(KeyFileFault(reason: reason)))
    }

    @Test(arguments: ["p", "two words", " ", String(repeating: "k", count: 4096)])
    func `reads the secret of another system, blanks included`(text: String) throws {
        try write(text + "\n")
        #expect(try SharedSecret.foreign(path) == text)
    }

    @Test(arguments: ["\n", "two\nlines", "tab\t", "é"])
    func `says what the secret of another system may be`(text: String) throws {
        try write(text)
        let fault = #expect(throws: KeyFileFault.self) { try SharedSecret.foreign(path) }
        #expect(fault?.reason == "key file \(path) must hold 1 to 4096 printable ASCII characters in one line")
    }

    @Test(arguments: [0, 31, 1027]) func `refuses a file of another size`(length: Int) throws {
        try write(String(repeating: "k", count: length))
        #expect(read() == .failure(KeyFileFault(reason: "key file \(path) must be 32 to 1026 bytes long")))
    }

    @Test(arguments: [0o644, 0o640, 0o400, 0o700] as [mode_t]) func `refuses any other mode`(mode: mode_t) throws {
        try write(String(repeating: "k", count: 40), mode: mode)
        #expect(read() == .failure(KeyFileFault(reason: "key file \(path) must have mode 0600")))
    }
}
