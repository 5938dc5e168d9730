package dev.holdfast.proveauth.tests;

import app.App;
import app.BackgroundAuthenticator;
import app.MultipleResendFinish;
import app.MyAuthenticator;
import app.MyBackendClient;
import app.NoPromptFinish;
import app.NoPromptStart;
import app.PhoneChangeFinish;
import app.PromptStart;
import app.SignUp;
import dev.holdfast.proveauth.OtpFinishStep;
import dev.holdfast.proveauth.OtpStartStep;
import dev.holdfast.proveauth.OtpValidationException;
import dev.holdfast.proveauth.PhoneNumberValidationException;
import dev.holdfast.proveauth.ProveAuth;
import dev.holdfast.proveauth.ProveAuthException;
import dev.holdfast.proveauth.run.Json;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Plays the scenes of {@code scenes.json}, and those that are Java's alone, with the guide's classes, at {@code SANDBOX_URL}. */
final class SnippetRuns {
    private static final String INGE = "2001004016";
    private static final String LORANT = "2001004014";

    private final Sandbox sandbox;
    private final List<String> told = Collections.synchronizedList(new ArrayList<>());
    private int failed;

    private SnippetRuns(Sandbox sandbox) {
        this.sandbox = sandbox;
    }

    /** @param arguments the file of the scenes */
    public static void main(String[] arguments) throws Exception {
        SnippetRuns runs = new SnippetRuns(new Sandbox(System.getenv("SANDBOX_URL")));
        for (Object one : (List<?>) Json.read(new String(Files.readAllBytes(Paths.get(arguments[0])), "UTF-8"))) {
            Map<String, Object> scene = Json.map(one);
            Object platforms = scene.get("platforms");
            if (platforms == null || ((List<?>) platforms).contains("java")) {
                String names = scene.get("start") + " " + scene.get("finish");
                runs.scene((String) scene.get("name"), names, () -> runs.play(scene));
            }
        }
        runs.scene("the whole sign-up", "initialize authenticator otp-start-no-prompt otp-finish-no-prompt verify send-info", runs::signUp);
        runs.scene("test mode", "test-mode otp-start-no-prompt otp-finish-no-prompt", runs::testMode);
        runs.scene("the guide's class", "my-authenticator otp-start-prompt otp-finish-no-prompt", runs::myAuthenticator);
        runs.scene("in the background", "authenticate-in-background authenticator otp-start-no-prompt otp-finish-no-prompt", runs::background);
        System.exit(runs.failed == 0 ? 0 : 1);
    }

    private void scene(String name, String snippets, Check.Body body) {
        told.clear();
        App.person.clear();
        String names = Arrays.stream(snippets.split(" ")).map(one -> "java/" + one).collect(Collectors.joining(" "));
        try {
            body.run();
            System.out.println("ok JVM | " + name + " | " + names);
        } catch (Exception | Error failure) {
            failed += 1;
            System.out.println("FAILED JVM | " + name + " | " + names);
            System.out.println(failure);
        }
    }

    private void play(Map<String, Object> scene) throws Exception {
        use((String) scene.get("start"), (String) scene.get("finish"));
        strings(scene.get("person")).forEach(App.person::add);
        Sandbox.Session session = sandbox.unify((String) scene.get("phoneNumber"), "allowOTPRetry", scene.get("allowOTPRetry") != null);
        ProveAuth proveAuth = ProveAuth.builder().withAuthFinishStep(authId -> told.add("finish"))
                .withOtpFallback(App.otpStartStep, App.otpFinishStep).withDeviceKey(false).build();
        String end = "done";
        try {
            proveAuth.authenticate(session.authToken);
        } catch (ProveAuthException failure) {
            end = failure.getError().getName();
        }
        Check.equal(told, strings(scene.get("steps")), "what was run");
        Check.equal(end, scene.getOrDefault("ends", "done"), "the end");
        Check.that(App.person.isEmpty() || "nothing".equals(String.join(",", App.person)), "the person was not asked: " + App.person);
        Check.equal(sandbox.sentTo(session), strings(scene.get("sentTo")), "the numbers of the messages");
        Check.equal(String.valueOf(sandbox.success(session)), scene.get("success"), "success");
    }

    private void signUp() throws Exception {
        use("otp-start-no-prompt", "otp-finish-no-prompt");
        App.person.add("code 1234");
        SignUp page = new SignUp();
        String token = page.begin("2001001693", "6227");
        page.authenticator().authenticate(token);
        Check.equal(told, Arrays.asList("otpStart", "otpFinish"), "what was run");
        Check.equal(App.firstName, "Marcia", "the first name of the form");
        Check.that(!App.lastName.isEmpty(), "the form has no last name");
        Check.that(page.end(), "the form is not taken");
    }

    private void testMode() throws Exception {
        use("otp-start-no-prompt", "otp-finish-no-prompt");
        Sandbox.Session session = sandbox.unify(INGE);
        try {
            new SignUp().testMode().authenticate(session.authToken);
            throw new Check.Failure("the guide's finish step asks a backend that has begun another session, and did not fail");
        } catch (IllegalStateException other) {
            Check.that(other.getMessage().startsWith("/verify answers"), "the finish step failed by " + other);
        }
        Check.equal(told, Collections.emptyList(), "what was run");
        Check.that(sandbox.success(session), "the mobile network did not name the number");
    }

    private void myAuthenticator() throws Exception {
        use("otp-start-prompt", "otp-finish-no-prompt");
        App.person.addAll(Arrays.asList("number " + LORANT, "code 1234"));
        App.seen = null;
        Sandbox.Session session = sandbox.unify(null);
        MyBackendClient.authToken = session.authToken;
        new MyAuthenticator(new App()).authenticate();
        Check.equal(told, Arrays.asList("otpStart needed", "otpFinish"), "what was run");
        Check.that(App.seen != null && !App.seen.authId.isEmpty(), "the class did not ask its backend for the result");
        Check.that(sandbox.success(session), "success");
    }

    private void background() throws Exception {
        use("otp-start-no-prompt", "otp-finish-no-prompt");
        App.person.add("code 1234");
        SignUp page = new SignUp();
        MyBackendClient.authToken = page.begin("2001001693", "6227");
        BackgroundAuthenticator authenticator = new BackgroundAuthenticator(page.authenticator());
        App.firstName = "";
        authenticator.authenticate();
        Check.that(authenticator.end(), "it does not end");
        Check.equal(App.firstName, "Marcia", "the first name of the form");
    }

    /** The guide's steps, each noted as it is run. */
    private void use(String start, String finish) {
        OtpStartStep asks = start.equals("otp-start-prompt") ? new PromptStart() : new NoPromptStart();
        OtpFinishStep ends = finish.equals("otp-finish-resend") ? new MultipleResendFinish()
                : finish.equals("otp-finish-phone-change") ? new PhoneChangeFinish() : new NoPromptFinish();
        App.otpStartStep = (isNeeded, error, callback) -> {
            note(isNeeded ? "otpStart needed" : "otpStart", error);
            asks.execute(isNeeded, error, callback);
        };
        App.otpFinishStep = (error, callback) -> {
            note("otpFinish", error);
            ends.execute(error, callback);
        };
    }

    private void note(String step, ProveAuthException error) {
        if (error == null) {
            told.add(step);
            return;
        }
        told.add(step + " " + error.getError().getName());
        boolean isOfItsKind = error.getError().getName().equals("sends_exhausted")
                || (step.startsWith("otpStart") ? error instanceof PhoneNumberValidationException : error instanceof OtpValidationException);
        if (!isOfItsKind) {
            told.add("as " + error.getClass().getSimpleName());
        }
    }

    private static List<String> strings(Object list) {
        return ((List<?>) list).stream().map(String.class::cast).collect(Collectors.toList());
    }
}
