-- Who changed what: by which way, from where, and which keys.
ALTER TABLE changes ADD COLUMN via TEXT;
ALTER TABLE changes ADD COLUMN remote TEXT;
ALTER TABLE changes ADD COLUMN keys TEXT;
