import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import Testing

@Suite struct BrowserNameTests {
    private static let blink = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome"
    private static let webKit = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
    private static let iPhone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)"

    @Test(arguments: [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        ("Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", "Firefox on Android"),
        (
            "\(iPhone) \(webKit) FxiOS/140.0 Mobile/15E148 Safari/605.1.15",
            "Firefox on iPhone"
        ),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(blink)/138.0.0.0 Safari/537.36",
            "Chrome on Windows"
        ),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(blink)/138.0.0.0 Safari/537.36 Edg/138.0.0.0",
            "Edge on Windows"
        ),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(blink)/138.0.0.0 Safari/537.36 OPR/120.0.0.0",
            "Opera on Windows"
        ),
        (
            "Mozilla/5.0 (Linux; Android 10; K) \(blink)/138.0.0.0 Mobile Safari/537.36",
            "Chrome on Android"
        ),
        (
            "Mozilla/5.0 (Linux; Android 10; K) \(webKit) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
            "Samsung Internet on Android"
        ),
        (
            "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) \(blink)/138.0.0.0 Safari/537.36",
            "Chrome on ChromeOS"
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(webKit) Version/18.5 Safari/605.1.15",
            "Safari on Mac"
        ),
        (
            "\(iPhone) \(webKit) Version/18.5 Mobile/15E148 Safari/604.1",
            "Safari on iPhone"
        ),
        (
            "Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) \(webKit) CriOS/138.0 Mobile/15E148 Safari/604.1",
            "Chrome on iPad"
        ),
        ("Firefox/1", "Firefox"),
    ]) func `tells browser and system`(userAgent: String, name: String) {
        #expect(BrowserName.describe(userAgent: userAgent) == name)
    }

    @Test(arguments: [
        "", "curl/8.5.0", "okhttp/4.12.0", "Dalvik/2.1.0 (Linux; U; Android 13)", "Mozilla/5.0",
        "<script>alert(1)</script>",
        "Mozilla/5.0 (X11; Linux x86_64) \(webKit) Version/18.0 Safari/605.1.15",
        String(repeating: "x", count: 512) + "Firefox/1", "\0", "Chrome", "on Linux",
    ]) func `says nothing about what it does not know`(userAgent: String) {
        #expect(BrowserName.describe(userAgent: userAgent) == nil)
    }

    @Test func `repeats nothing of what was sent`() {
        let name = BrowserName.describe(userAgent: "<b>Evil</b> Firefox/9\u{202E} (iPhone; \"x\")")
        #expect(name == "Firefox on iPhone")
    }
}
