package app;

import static app.App.promptForOtpCode;

import androidx.annotation.Nullable;
// GUIDE java/otp-finish-no-prompt
