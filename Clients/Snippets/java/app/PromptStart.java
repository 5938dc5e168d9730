package app;

import static app.App.promptForPhoneNumber;

import androidx.annotation.Nullable;
// GUIDE java/otp-start-prompt
