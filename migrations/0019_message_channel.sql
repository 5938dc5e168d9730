-- The way that a message took, beside the gateway that took it.

ALTER TABLE messages ADD COLUMN channel TEXT;  -- set when sent, where the carrier names it: sms, voice, whatsapp
