import Glibc
import Possession
import Testing
import Tokens

@Suite final class MasterKeyTests {
    private let directory: String
    private let random = SystemRandom()

    init() throws {
        var template = Array("/tmp/master-key-tests-XXXXXX".utf8CString)
        directory = try #require(mkdtemp(&template).map { String(cString: $0) })
    }

    deinit {
        for name in ["key", "link", "short", "long", "empty"] { unlink(directory + "/" + name) }
        rmdir(directory + "/folder")
        rmdir(directory)
    }

    private var path: String { directory + "/key" }

    private func write(_ count: Int, to name: String, mode: mode_t = 0o600) throws -> String {
        let path = directory + "/" + name
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(file >= 0)
        _ = Glibc.write(file, [UInt8](repeating: 1, count: count), count)
        fchmod(file, mode)
        close(file)
        return path
    }

    @Test func `makes a file with mode 0600 and reads the same key back`() throws {
        let key = try MasterKey.create(path, randomBytes: random.randomBytes)
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600 && status.st_size == 32)
        #expect(try MasterKey.load(path).subkey(.otp).copied == key.subkey(.otp).copied)
    }

    @Test func `makes each key anew and never writes over one`() throws {
        let first = try MasterKey.create(path, randomBytes: random.randomBytes)
        #expect(throws: KeyFileFault.self) { try MasterKey.create(path, randomBytes: random.randomBytes) }
        #expect(try MasterKey.load(path).subkey(.seal).copied == first.subkey(.seal).copied)
        let second = try MasterKey.create(directory + "/link", randomBytes: random.randomBytes)
        #expect(try first.subkey(.seal).copied != second.subkey(.seal).copied)
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o660, 0o666, 0o700, 0o400, 0o777, 0o4600, 0o1600] as [mode_t])
    func `refuses any other mode`(mode: mode_t) throws {
        let path = try write(32, to: "key", mode: mode)
        let fault = #expect(throws: KeyFileFault.self) { try MasterKey.load(path) }
        #expect(fault?.reason == "key file \(path) must have mode 0600")
    }

    @Test(arguments: [("empty", 0), ("short", 31), ("long", 33)])
    func `refuses any other length`(name: String, count: Int) throws {
        let path = try write(count, to: name)
        let fault = #expect(throws: KeyFileFault.self) { try MasterKey.load(path) }
        #expect(fault?.reason == "key file \(path) must be 32 bytes long")
    }

    @Test func `refuses what is not there, not a file, or a link`() throws {
        #expect(throws: KeyFileFault.self) { try MasterKey.load(directory + "/nothing") }
        mkdir(directory + "/folder", 0o600)
        #expect(throws: KeyFileFault.self) { try MasterKey.load(directory + "/folder") }
        let target = try write(32, to: "key")
        symlink(target, directory + "/link")
        #expect(throws: KeyFileFault.self) { try MasterKey.load(directory + "/link") }
        #expect(throws: Never.self) { try MasterKey.load(target) }
    }

    @Test func `refuses a file of another user`() throws {
        // Only the superuser can give a file away.
        guard geteuid() == 0 else { return }
        let path = try write(32, to: "key")
        #expect(chown(path, 12345, 12345) == 0)
        #expect(throws: KeyFileFault.self) { try MasterKey.load(path) }
    }

    @Test func `leaves no file when the generator fails`() {
        #expect(throws: KeyFileFault.self) {
            try MasterKey.create(path, randomBytes: { (_) throws(EntropyFault) in throw EntropyFault() })
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test func `refuses to make a file where there is no directory`() {
        #expect(throws: KeyFileFault.self) {
            try MasterKey.create(directory + "/none/key", randomBytes: random.randomBytes)
        }
    }
}
