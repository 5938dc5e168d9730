-- So that an operator lists device keys, the newest first: a device index begins with the time of its id.

DROP INDEX device_keys_by_number;
CREATE INDEX device_keys_by_number ON device_keys (number_index, device_index);
CREATE INDEX device_keys_of_client ON device_keys (client_id, device_index);
