import Testing
import Text

@Suite struct WebOriginTests {
    @Test(arguments: [
        "https://a.example", "https://a.example:8443", "http://localhost:5173", "http://127.0.0.1",
        "capacitor://localhost", "ionic://localhost", "tauri://localhost", "app://obsidian.md",
        "http://tauri.localhost", "http://wails.localhost:34115", "https://tauri.localhost",
        "chrome-extension://abcdefghijklmnop", "safari-web-extension://E9A1B2C3-0000", "custom+app.x://localhost:1",
    ])
    func `may be listed`(origin: String) {
        #expect(WebOrigin.mayBeListed(origin))
    }

    @Test(arguments: [
        "", "null", "*", "http://a.example", "https://A.example", "https://a.example/", "https://a.example/x",
        "https://a.example:443000", "file://", "file://localhost", "data://x", "blob://x", "capacitor://", "capacitor:",
        "Capacitor://localhost", "capacitor://localhost/", "capacitor://local host", "capacitor://localhost:",
        "capacitor://localhost:x", "capacitor://*", "http://tauri.localhost.example", "http://xlocalhost",
        "http://.localhost", "http://a..localhost", "://localhost", "1a://localhost", "a b://localhost", "ws://a",
    ])
    func `may not`(origin: String) {
        #expect(!WebOrigin.mayBeListed(origin))
    }
}
