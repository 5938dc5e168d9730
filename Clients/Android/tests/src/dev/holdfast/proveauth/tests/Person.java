package dev.holdfast.proveauth.tests;

import dev.holdfast.proveauth.ProveAuthException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A person who uses the app: remembers what each step was told, and answers as a test says. */
final class Person implements PlayedApp.Script {
    /** The step never answers. */
    static final Object NEVER = new Object();

    /** What the person does at a step. */
    interface Mind {
        /**
         * @param step its name, and the error if there is one, such as {@code otpFinish otp_mismatch}
         * @param count how often this step was run before
         */
        Object give(String step, int count) throws Exception;
    }

    private final Mind mind;
    private final List<String> told = Collections.synchronizedList(new ArrayList<String>());
    private final Map<String, Integer> counts = new HashMap<>();

    Person(Mind mind) {
        this.mind = mind;
    }

    static Map<String, Object> code(String code) {
        return Collections.<String, Object>singletonMap("otp", code);
    }

    static Map<String, Object> number(String number) {
        return Collections.<String, Object>singletonMap("phoneNumber", number);
    }

    /** All steps so far, each as {@link Mind} gets it. */
    List<String> told() {
        synchronized (told) {
            return new ArrayList<>(told);
        }
    }

    @Override
    public void step(String name, Boolean phoneNumberNeeded, ProveAuthException error, PlayedApp.Giving giving) {
        String step = name + (error == null ? "" : " " + error.getError().getName());
        int count;
        synchronized (counts) {
            count = counts.containsKey(name) ? counts.get(name) : 0;
            counts.put(name, count + 1);
        }
        told.add(step);
        Object given;
        try {
            given = mind.give(step, count);
        } catch (Exception failure) {
            throw new IllegalStateException(failure);
        }
        if (given != NEVER) {
            giving.give(given);
        }
    }

    @Override
    public void finish(String authID) {
        told.add("finish");
    }
}
