package dev.holdfast.proveauth.tests;

import dev.holdfast.proveauth.ProveAuth;
import dev.holdfast.proveauth.platform.Cancellable;
import dev.holdfast.proveauth.platform.FileKeys;
import dev.holdfast.proveauth.platform.JavaEnvironment;
import dev.holdfast.proveauth.platform.KeyStorage;
import dev.holdfast.proveauth.platform.Reply;
import dev.holdfast.proveauth.platform.Request;
import java.io.File;

/** A process that ends in the middle of a run: at a step, or when the answer of a call arrives, before anybody has seen it. */
final class KilledApp {
    static final int KILLED = 9;

    private KilledApp() {}

    /** @param arguments the folder for keys, the auth token, the step or call at which the process ends, the code */
    public static void main(String[] arguments) throws Exception {
        String moment = arguments[2];
        Person person = new Person((step, count) -> {
            dieAt(moment, step);
            return step.equals("otpFinish") ? Person.code(arguments[3]) : null;
        });
        ProveAuth.Builder builder = ProveAuth.builder()
                .withEnvironment(new Mortal(new FileKeys(new File(arguments[0])), moment));
        PlayedApp.addSteps(builder, RealRuns.OTP, person);
        builder.withAuthFinishStep(authID -> dieAt(moment, "finish")).build().authenticate(arguments[1]);
    }

    private static void dieAt(String moment, String now) {
        if (moment.equals(now)) {
            // No finally, no hook: as if the system had taken the process.
            Runtime.getRuntime().halt(KILLED);
        }
    }

    private static final class Mortal extends JavaEnvironment {
        private final String moment;

        Mortal(KeyStorage keys, String moment) {
            super(keys, null);
            this.moment = moment;
        }

        @Override
        public Cancellable send(Request request, Reply reply) {
            String call = request.method + " " + request.url.replaceFirst(".*/client/v1", "");
            return super.send(request, answer -> {
                dieAt(moment, call);
                reply.accept(answer);
            });
        }
    }
}
