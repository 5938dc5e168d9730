package dev.holdfast.proveauth.tests;

import dev.holdfast.proveauth.ProveAuth;
import dev.holdfast.proveauth.ProveAuthError;
import dev.holdfast.proveauth.platform.FileKeys;
import dev.holdfast.proveauth.platform.KeyStorage;
import dev.holdfast.proveauth.platform.MemoryKeys;
import dev.holdfast.proveauth.run.Json;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Runs against a real sandbox server whose answers are lost, cut or replaced, whose clock is wrong, or whose client is killed. */
final class HarmedRuns {
    private static final String LORANT = "2001004014";
    private static final String[] CALLS = {"POST /session", "POST /session/device", "POST /session/otp", "POST /session/otp/verify"};
    /** As long as the first call and four repeats. */
    private static final int ALWAYS = 5;

    private final Sandbox sandbox;
    private final Proxy proxy;
    private final Check check;

    HarmedRuns(Sandbox sandbox, Proxy proxy, Check check) {
        this.sandbox = sandbox;
        this.proxy = proxy;
        this.check = check;
    }

    void run() {
        for (Proxy.Harm harm : Arrays.asList(
                Proxy.Harm.LOST, Proxy.Harm.CUT, Proxy.Harm.TWICE, Proxy.Harm.FAULT, Proxy.Harm.LIMIT, Proxy.Harm.PORTAL)) {
            for (String call : CALLS) {
                check.test("harm: " + harm + " at " + call, () -> once(harm, call));
            }
            // The answer to a copy is a refused proof, which a run survives once.
            if (harm != Proxy.Harm.TWICE) {
                check.test("harm: " + harm + " at each call", () -> once(harm, null));
            }
        }
        check.test("harm: " + Proxy.Harm.LOST + " at a resend sends one message", this::lostResend);
        check.test("harm: a server that only fails, and then does not", () -> broken(Proxy.Harm.FAULT, ProveAuthError.INTERNAL));
        check.test("harm: answers that are always lost, and then are not", () -> broken(Proxy.Harm.LOST, ProveAuthError.NETWORK));
        check.test("harm: a limit that does not end", () -> broken(Proxy.Harm.LIMIT, ProveAuthError.RATE_LIMITED));
        check.test("harm: polls of the link fail", () -> polls(
                Proxy.Harm.FAULT, Proxy.Harm.PORTAL, Proxy.Harm.LIMIT, Proxy.Harm.CUT));
        check.test("harm: polls of the link are lost", () -> polls(Proxy.Harm.LOST, Proxy.Harm.LOST, Proxy.Harm.LOST));
        check.test("harm: a lost cancel", this::lostCancel);
        for (String moment : Arrays.asList(
                "POST /session", "POST /session/device", "otpStart", "POST /session/otp", "otpFinish", "POST /session/otp/verify",
                "finish")) {
            check.test("harm: the process is killed at " + moment, () -> killed(moment));
        }
        check.test("harm: the token expires while the code is typed", this::expired);
        check.test("harm: the device's clock is an hour slow", () -> clock(-3600));
        check.test("harm: the device's clock is an hour fast", () -> clock(3600));
    }

    private Person typist(Sandbox.Session session) {
        return new Person((step, count) -> step.startsWith("otpFinish") ? Person.code(sandbox.message(session, "code")) : null);
    }

    private static ProveAuth app(KeyStorage keys, Person person) {
        return RealRuns.builder(keys, false, RealRuns.OTP, person).build();
    }

    /** The harm is done to the first call of this kind; null: of each kind. */
    private void once(Proxy.Harm harm, String harmed) throws Exception {
        proxy.use((call, count) -> count == 0 && (harmed == null || call.equals(harmed)) ? harm : Proxy.Harm.NONE);
        Sandbox.Session session = sandbox.unify(LORANT);
        Person person = typist(session);
        Check.equal(RealRuns.error(app(new PlayedKeys(true), person), session), null, "the error");
        Check.equal(person.told(), Arrays.asList("otpStart", "otpFinish", "finish"), "the steps");
        Check.equal(sandbox.messageCount(session), 1, "the number of messages");
        Check.equal(sandbox.success(session), true, "success");
        int repeated = harm == Proxy.Harm.TWICE ? 0 : harmed == null ? CALLS.length : 1;
        // What a server was given twice it refuses the second time, since no proof counts twice.
        int asked = harm == Proxy.Harm.TWICE ? proxy.seen().size() - CALLS.length : repeated;
        Check.that(asked <= CALLS.length, "the number of repeats is " + asked);
        Check.equal(proxy.seen().size(), CALLS.length + asked, "the number of calls");
        repeatsAreEqual();
    }

    /**
     * Each request ID goes with one body, and not more than five times. No proof goes twice, but for a GET: Java's own
     * HttpURLConnection repeats one when the connection closes without an answer.
     */
    private void repeatsAreEqual() {
        Set<String> proofs = new HashSet<>();
        Map<Object, String> bodies = new HashMap<>();
        Map<Object, Integer> counts = new HashMap<>();
        for (Proxy.Seen seen : proxy.seen()) {
            Check.that(proofs.add(seen.proof) || seen.call.startsWith("GET "), "a proof of " + seen.call + " came twice");
            if (seen.call.startsWith("POST ") && !seen.body.isEmpty()) {
                Object id = Json.object(seen.body).get("requestId");
                String body = seen.call + seen.body;
                Check.that(id != null && bodies.getOrDefault(id, body).equals(body), "a repeat of " + seen.call + " has another body");
                bodies.put(id, body);
                counts.merge(id, 1, Integer::sum);
                Check.that(counts.get(id) <= ALWAYS, seen.call + " came too often");
            }
        }
    }

    private void lostResend() throws Exception {
        proxy.use((call, count) -> count == 0 && call.equals("POST /session/otp/resend") ? Proxy.Harm.LOST : Proxy.Harm.NONE);
        Sandbox.Session session = sandbox.unify(LORANT);
        Person person = new Person((step, count) -> step.equals("otpStart") ? null
                : count == 0 ? "resend" : Person.code(sandbox.message(session, "code")));
        Check.equal(RealRuns.error(app(new MemoryKeys(), person), session), null, "the error");
        Check.equal(sandbox.messageCount(session), 2, "the number of messages");
        Check.equal(sandbox.success(session), true, "success");
        repeatsAreEqual();
    }

    /** The first message cannot be asked for; later the same token goes on. */
    private void broken(Proxy.Harm harm, ProveAuthError wanted) throws Exception {
        proxy.use((call, count) -> call.equals("POST /session/otp") && count < ALWAYS ? harm : Proxy.Harm.NONE);
        Sandbox.Session session = sandbox.unify(LORANT);
        KeyStorage keys = new MemoryKeys();
        Person person = typist(session);
        Check.equal(RealRuns.error(app(keys, person), session), wanted, "the error");
        Check.equal(person.told(), Collections.singletonList("otpStart"), "the steps");
        Check.equal(proxy.seen().size(), 1 + ALWAYS, "the number of calls");
        Check.equal(RealRuns.error(app(keys, typist(session)), session), null, "the error of the next run");
        Check.equal(sandbox.messageCount(session), 1, "the number of messages");
        Check.equal(sandbox.success(session), true, "success");
        repeatsAreEqual();
    }

    private void polls(Proxy.Harm... harms) throws Exception {
        proxy.use((call, count) -> call.startsWith("GET ") && count < harms.length ? harms[count] : Proxy.Harm.NONE);
        Sandbox.Session session = sandbox.unify(LORANT, "possessionType", "desktop", "finalTargetUrl", "https://app.example/done");
        Person person = new Person((step, count) -> {
            if (step.equals("linkRetry")) {
                while (proxy.seen().size() < 2 + harms.length) {
                    Thread.onSpinWait();
                }
                sandbox.decide(sandbox.message(session, "link"), "approve");
                return Person.NEVER;
            }
            return null;
        });
        ProveAuth app = RealRuns.builder(new MemoryKeys(), false, RealRuns.LINK, person).withRole("secondary").build();
        Check.equal(RealRuns.error(app, session), null, "the error");
        Check.equal(sandbox.success(session), true, "success");
        Check.that(proxy.seen().size() <= 4 + harms.length, "there were " + proxy.seen().size() + " calls");
        repeatsAreEqual();
    }

    private void lostCancel() throws Exception {
        proxy.use((call, count) -> call.equals("POST /session/cancel") ? Proxy.Harm.LOST : Proxy.Harm.NONE);
        Sandbox.Session session = sandbox.unify(LORANT);
        Person person = new Person((step, count) -> "reject");
        Check.equal(RealRuns.error(app(new MemoryKeys(), person), session), ProveAuthError.CANCELLED, "the error");
        Check.equal(person.told(), Arrays.asList("otpStart", "finish"), "the steps");
        Check.equal(proxy.seen().size(), 3, "the number of calls");
    }

    /** Another process makes the run, and ends in the middle. This one goes on from the keys that it has kept. */
    private void killed(String moment) throws Exception {
        proxy.use((call, count) -> Proxy.Harm.NONE);
        Sandbox.Session session = sandbox.unify(LORANT);
        Path folder = Files.createTempDirectory("holdfast-keys");
        try {
            // The code comes from the inbox: no code, and the child waits for none.
            Process child = new ProcessBuilder(
                    System.getProperty("java.home") + "/bin/java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp",
                    System.getProperty("java.class.path"), KilledApp.class.getName(), folder.toString(), session.authToken, moment,
                    "1234").redirectErrorStream(true).start();
            Check.that(child.waitFor(30, TimeUnit.SECONDS), "the killed process has not ended");
            String said = new String(child.getInputStream().readAllBytes());
            Check.equal(child.exitValue(), KilledApp.KILLED, "the exit status (" + said + ")");
            Set<String> before = new HashSet<>();
            for (Proxy.Seen seen : proxy.seen()) {
                before.add(seen.call);
            }
            boolean wasSent = before.contains("POST /session/otp");
            boolean wasChecked = before.contains("POST /session/otp/verify");
            Person person = typist(session);
            Check.equal(RealRuns.error(app(new FileKeys(folder.toFile()), person), session), null, "the error");
            List<String> wanted = wasChecked ? Collections.singletonList("finish")
                    : wasSent ? Arrays.asList("otpFinish", "finish") : Arrays.asList("otpStart", "otpFinish", "finish");
            Check.equal(person.told(), wanted, "the steps");
            Check.equal(sandbox.messageCount(session), 1, "the number of messages");
            Check.equal(sandbox.success(session), true, "success");
            for (File file : folder.toFile().listFiles()) {
                Check.that(!file.getName().startsWith("session-"), "the session key is still there");
            }
        } finally {
            for (File file : folder.toFile().listFiles()) {
                file.delete();
            }
            folder.toFile().delete();
        }
    }

    private void expired() throws Exception {
        proxy.use((call, count) -> Proxy.Harm.NONE);
        Sandbox.Session session = sandbox.unify(LORANT);
        Person person = new Person((step, count) -> {
            if (step.equals("otpFinish")) {
                sandbox.advance(1000);
                return Person.code("1234");
            }
            return null;
        });
        try {
            Check.equal(RealRuns.error(app(new MemoryKeys(), person), session), null, "the error");
            Check.equal(person.told(), Arrays.asList("otpStart", "otpFinish", "finish"), "the steps");
            Check.equal(sandbox.success(session), false, "success");
        } finally {
            sandbox.resetClock();
        }
    }

    private void clock(int seconds) throws Exception {
        proxy.use((call, count) -> Proxy.Harm.NONE);
        Sandbox.Session session = sandbox.unify(LORANT);
        Person person = typist(session);
        ProveAuth.Builder builder =
                ProveAuth.builder().withEnvironment(new HurriedEnvironment(new MemoryKeys(), false, seconds * 1000L));
        PlayedApp.addSteps(builder, RealRuns.OTP, person);
        Check.equal(RealRuns.error(builder.build(), session), null, "the error");
        Check.equal(sandbox.success(session), true, "success");
        Check.equal(proxy.seen().size(), 4, "the number of calls");
    }
}
