package dev.holdfast.proveauth.tests;

import dev.holdfast.proveauth.OtpFinishInput;
import dev.holdfast.proveauth.ProveAuth;
import dev.holdfast.proveauth.ProveAuthError;
import dev.holdfast.proveauth.ProveAuthException;
import dev.holdfast.proveauth.platform.KeyStorage;
import dev.holdfast.proveauth.platform.MemoryKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** Runs against a real sandbox server, through a proxy that does no harm: each check, and each way a person can take. */
final class RealRuns {
    static final List<String> OTP = Arrays.asList("otpStart", "otpFinish", "finish");
    private static final List<String> OTP_OR_TOKEN = Arrays.asList("otpStart", "otpFinish", "operatorToken", "finish");
    static final List<String> LINK = Arrays.asList("linkStart", "linkRetry", "finish");
    private static final String LORANT = "2001004014";
    private static final String LANEY = "2001004015";
    private static final String INGE = "2001004016";
    private static final String PENNY = "2001004041";

    private final Sandbox sandbox;
    private final Proxy proxy;
    private final Check check;

    RealRuns(Sandbox sandbox, Proxy proxy, Check check) {
        this.sandbox = sandbox;
        this.proxy = proxy;
        this.check = check;
    }

    static ProveAuth.Builder builder(KeyStorage keys, boolean hasCellular, List<String> steps, Person person) {
        ProveAuth.Builder builder = ProveAuth.builder().withEnvironment(new HurriedEnvironment(keys, hasCellular));
        PlayedApp.addSteps(builder, steps, person);
        return builder;
    }

    private static ProveAuth app(List<String> steps, Person person) {
        return builder(new MemoryKeys(), false, steps, person).build();
    }

    /** The error that the run ends with; null: none. */
    static ProveAuthError error(ProveAuth app, Sandbox.Session session) {
        try {
            app.authenticate(session.authToken);
            return null;
        } catch (ProveAuthException failure) {
            return failure.getError();
        }
    }

    private void calls(String... wanted) {
        List<String> calls = new ArrayList<>();
        for (Proxy.Seen seen : proxy.seen()) {
            calls.add(seen.call);
        }
        Check.equal(calls, Arrays.asList(wanted), "the calls");
    }

    private static void told(Person person, String... wanted) {
        Check.equal(person.told(), Arrays.asList(wanted), "the steps");
    }

    void run() {
        test("a right code proves the number, with one call for each step", this::rightCode);
        test("three wrong codes end the session", this::wrongCodes);
        test("a message is sent again", this::resend);
        test("an impossible number, a number, then another number", this::numbers);
        test("the link is approved", () -> link("approve", true));
        test("the link is denied", () -> link("deny", false));
        test("the link's target opens the app", this::opened);
        test("the link is sent again", this::linkResend);
        test("the second visit needs no step", this::secondVisit);
        test("the mobile network names the number", this::mobileAuth);
        test("a token of the operator names the number over Wi-Fi", () -> operatorToken(INGE, "finish"));
        test("a token of the operator names another number: the code follows",
                () -> operatorToken(PENNY, "otpStart", "otpFinish", "finish"));
        test("a network whose tokens are not taken: the code follows", this::strangeNetwork);
        test("test mode needs no mobile network", this::testMode);
        test("the mobile network names another number: the code follows", this::mobileAuthMismatch);
        test("a step gives up", this::givenUp);
        test("the app cancels while a step waits", this::cancelled);
        test("the first call of a callback counts", this::answeredTwice);
        test("two threads join one run", this::joined);
        test("an interrupted thread leaves the session as it is", this::interrupted);
    }

    private void test(String name, Check.Body body) {
        proxy.use((call, count) -> Proxy.Harm.NONE);
        check.test("real: " + name, body);
    }

    private void rightCode() throws Exception {
        Sandbox.Session session = sandbox.unify(LORANT);
        Person person = new Person((step, count) ->
                step.equals("otpFinish") ? Person.code(sandbox.message(session, "code")) : null);
        Check.equal(error(app(OTP, person), session), null, "the error");
        told(person, "otpStart", "otpFinish", "finish");
        calls("POST /session", "POST /session/otp", "POST /session/otp/verify");
        Check.equal(sandbox.success(session), true, "success");
    }

    private void wrongCodes() throws Exception {
        Sandbox.Session session = sandbox.unify(LANEY, "allowOTPRetry", true);
        Person person = new Person((step, count) -> step.startsWith("otpFinish") ? Person.code("1111") : null);
        Check.equal(error(app(OTP, person), session), null, "the error");
        told(person, "otpStart", "otpFinish", "otpFinish otp_mismatch", "otpFinish otp_mismatch", "finish");
        calls("POST /session", "POST /session/otp", "POST /session/otp/verify", "POST /session/otp/verify",
                "POST /session/otp/verify");
        Check.equal(sandbox.success(session), false, "success");
    }

    private void resend() throws Exception {
        Sandbox.Session session = sandbox.unify(LORANT);
        Person person = new Person((step, count) -> step.equals("otpStart") ? null
                : count == 0 ? "resend" : Person.code(sandbox.message(session, "code")));
        Check.equal(error(app(OTP, person), session), null, "the error");
        told(person, "otpStart", "otpFinish", "otpFinish", "finish");
        Check.equal(sandbox.messageCount(session), 2, "the number of messages");
        Check.equal(sandbox.success(session), true, "success");
    }

    private void numbers() throws Exception {
        Sandbox.Session session = sandbox.unify(null);
        Person person = new Person((step, count) -> {
            if (step.startsWith("otpStart")) {
                return Person.number(count == 0 ? "12" : count == 1 ? LANEY : LORANT);
            }
            return count == 0 ? "phone" : Person.code(sandbox.message(session, "code"));
        });
        Check.equal(error(app(OTP, person), session), null, "the error");
        told(person, "otpStart", "otpStart phone_number_invalid", "otpFinish", "otpStart", "otpFinish", "finish");
        Check.equal(sandbox.success(session), true, "success");
    }

    private void link(String decision, boolean isApproved) throws Exception {
        Sandbox.Session session = sandbox.unify(LORANT, "possessionType", "desktop", "finalTargetUrl",
                "https://app.example/done");
        Person person = new Person((step, count) -> {
            if (step.equals("linkRetry")) {
                String target = sandbox.decide(sandbox.message(session, "link"), decision);
                Check.that(target.contains("asc=" + isApproved), "the target says something else");
                return Person.NEVER;
            }
            return null;
        });
        ProveAuth app = builder(new MemoryKeys(), false, LINK, person).withRole("secondary").build();
        Check.equal(error(app, session), null, "the error");
        told(person, "linkStart", "linkRetry", "finish");
        Check.equal(sandbox.success(session), isApproved, "success");
    }

    private void opened() throws Exception {
        Sandbox.Session session = sandbox.unify(LORANT, "possessionType", "desktop", "finalTargetUrl",
                "https://app.example/done");
        AtomicReference<ProveAuth> app = new AtomicReference<>();
        Person person = new Person((step, count) -> {
            if (step.equals("linkRetry")) {
                String target = sandbox.decide(sandbox.message(session, "link"), "approve");
                app.get().finishInstantLink(target);
                return Person.NEVER;
            }
            return null;
        });
        app.set(builder(new MemoryKeys(), false, LINK, person).withRole("secondary").build());
        Check.equal(error(app.get(), session), null, "the error");
        told(person, "linkStart", "linkRetry", "finish");
        Check.equal(sandbox.success(session), true, "success");
    }

    private void linkResend() throws Exception {
        Sandbox.Session session = sandbox.unify(LORANT, "possessionType", "desktop", "finalTargetUrl",
                "https://app.example/done");
        Person person = new Person((step, count) -> {
            if (step.equals("linkRetry") && count == 1) {
                sandbox.decide(sandbox.message(session, "link"), "approve");
                return Person.NEVER;
            }
            return step.equals("linkRetry") ? "resend" : null;
        });
        ProveAuth app = builder(new MemoryKeys(), false, LINK, person).withRole("secondary").build();
        Check.equal(error(app, session), null, "the error");
        told(person, "linkStart", "linkRetry", "linkRetry", "finish");
        Check.equal(sandbox.messageCount(session), 2, "the number of messages");
        Check.equal(sandbox.success(session), true, "success");
    }

    private void secondVisit() throws Exception {
        KeyStorage keys = new PlayedKeys(true);
        for (int visit = 0; visit < 2; visit += 1) {
            proxy.use((call, count) -> Proxy.Harm.NONE);
            Sandbox.Session session = sandbox.unify(LORANT);
            Person person = new Person((step, count) ->
                    step.equals("otpFinish") ? Person.code(sandbox.message(session, "code")) : null);
            Check.equal(error(builder(keys, false, OTP, person).build(), session), null, "the error");
            Check.equal(sandbox.success(session), true, "success of visit " + visit);
            if (visit == 1) {
                told(person, "finish");
                calls("POST /session", "POST /session/device");
            }
        }
    }

    private void mobileAuth() throws Exception {
        Sandbox.Session session = sandbox.unify(INGE);
        Person person = new Person((step, count) -> null);
        Check.equal(error(builder(new MemoryKeys(), true, OTP, person).build(), session), null, "the error");
        told(person, "finish");
        Check.equal(sandbox.success(session), true, "success");
    }

    /** The phone is INGE's, and has no mobile network. */
    private void operatorToken(String number, String... steps) throws Exception {
        Sandbox.Session session = sandbox.unify(number);
        Person person = new Person((step, count) -> step.equals("operatorToken") ? sandbox.operatorToken(INGE)
                : step.equals("otpFinish") ? Person.code(sandbox.message(session, "code")) : null);
        Check.equal(error(builder(new MemoryKeys(), false, OTP_OR_TOKEN, person).build(), session), null, "the error");
        List<String> all = new ArrayList<>(Collections.singletonList("operatorToken"));
        all.addAll(Arrays.asList(steps));
        told(person, all.toArray(new String[0]));
        Check.equal(sandbox.success(session), true, "success");
    }

    private void strangeNetwork() throws Exception {
        Sandbox.Session session = sandbox.unify(INGE);
        Person person = new Person((step, count) -> {
            if (step.equals("operatorToken")) {
                Map<String, Object> given = sandbox.operatorToken(INGE);
                given.put("plmn", "99999");
                return given;
            }
            return step.equals("otpFinish") ? Person.code(sandbox.message(session, "code")) : null;
        });
        Check.equal(error(builder(new MemoryKeys(), false, OTP_OR_TOKEN, person).build(), session), null, "the error");
        told(person, "operatorToken", "otpStart", "otpFinish", "finish");
        calls("POST /session", "POST /session/mobile-auth", "POST /session/mobile-auth/token",
                "POST /session/mobile-auth/finish", "POST /session/otp", "POST /session/otp/verify");
        Check.equal(sandbox.success(session), true, "success");
    }

    private void testMode() throws Exception {
        Sandbox.Session session = sandbox.unify(INGE);
        Person person = new Person((step, count) -> null);
        ProveAuth app = builder(new MemoryKeys(), false, OTP, person).withTestMode(true).build();
        Check.equal(error(app, session), null, "the error");
        told(person, "finish");
        Check.equal(sandbox.success(session), true, "success");
    }

    private void mobileAuthMismatch() throws Exception {
        Sandbox.Session session = sandbox.unify(PENNY);
        Person person = new Person((step, count) ->
                step.equals("otpFinish") ? Person.code(sandbox.message(session, "code")) : null);
        Check.equal(error(builder(new MemoryKeys(), true, OTP, person).build(), session), null, "the error");
        told(person, "otpStart", "otpFinish", "finish");
        Check.equal(sandbox.success(session), true, "success");
    }

    private void givenUp() throws Exception {
        Sandbox.Session session = sandbox.unify(LORANT);
        Person person = new Person((step, count) -> step.equals("otpFinish") ? "reject" : null);
        Check.equal(error(app(OTP, person), session), ProveAuthError.CANCELLED, "the error");
        told(person, "otpStart", "otpFinish", "finish");
        calls("POST /session", "POST /session/otp", "POST /session/cancel");
        Check.equal(sandbox.success(session), false, "success");
    }

    private void cancelled() throws Exception {
        Sandbox.Session session = sandbox.unify(LORANT);
        AtomicReference<ProveAuth> app = new AtomicReference<>();
        Person person = new Person((step, count) -> {
            if (step.equals("otpFinish")) {
                app.get().cancel();
                return Person.NEVER;
            }
            return null;
        });
        app.set(app(OTP, person));
        Check.equal(error(app.get(), session), ProveAuthError.CANCELLED, "the error");
        calls("POST /session", "POST /session/otp", "POST /session/cancel");
        Check.equal(sandbox.success(session), false, "success");
    }

    private void answeredTwice() throws Exception {
        Sandbox.Session session = sandbox.unify(LORANT);
        ProveAuth app = ProveAuth.builder().withEnvironment(new HurriedEnvironment(new MemoryKeys(), false)).withOtpFallback(
                (isNeeded, error, callback) -> {
                    callback.onSuccess(null);
                    callback.onError();
                },
                (error, callback) -> {
                    callback.onSuccess(new OtpFinishInput("1234"));
                    callback.onError();
                    callback.onOtpResend();
                }).build();
        Check.equal(error(app, session), null, "the error");
        calls("POST /session", "POST /session/otp", "POST /session/otp/verify");
        Check.equal(sandbox.success(session), true, "success");
    }

    private void joined() throws Exception {
        Sandbox.Session session = sandbox.unify(LORANT);
        AtomicReference<ProveAuth> app = new AtomicReference<>();
        AtomicReference<Object> second = new AtomicReference<>("nothing");
        AtomicReference<Thread> thread = new AtomicReference<>();
        Person person = new Person((step, count) -> {
            if (step.equals("otpStart")) {
                thread.set(new Thread(() -> second.set(String.valueOf(error(app.get(), session)))));
                thread.get().start();
            }
            return step.equals("otpFinish") ? Person.code(sandbox.message(session, "code")) : null;
        });
        app.set(app(OTP, person));
        Check.equal(error(app.get(), session), null, "the error");
        thread.get().join(20_000);
        Check.equal(second.get(), "null", "the other thread's error");
        Check.equal(sandbox.success(session), true, "success");
    }

    private void interrupted() throws Exception {
        Sandbox.Session session = sandbox.unify(LORANT);
        KeyStorage keys = new MemoryKeys();
        CountDownLatch isAsked = new CountDownLatch(1);
        Person absent = new Person((step, count) -> {
            if (step.equals("otpFinish")) {
                isAsked.countDown();
                return Person.NEVER;
            }
            return null;
        });
        AtomicReference<Object> error = new AtomicReference<>();
        Thread thread = new Thread(() -> error.set(error(builder(keys, false, OTP, absent).build(), session)));
        thread.start();
        isAsked.await();
        thread.interrupt();
        thread.join(20_000);
        Check.equal(error.get(), ProveAuthError.CANCELLED, "the error");
        calls("POST /session", "POST /session/otp");
        told(absent, "otpStart", "otpFinish");
        Person present = new Person((step, count) -> Person.code(sandbox.message(session, "code")));
        Check.equal(error(builder(keys, false, OTP, present).build(), session), null, "the error of the next run");
        told(present, "otpFinish", "finish");
        Check.equal(sandbox.success(session), true, "success");
    }
}
