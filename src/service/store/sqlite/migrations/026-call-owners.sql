-- Which life of which node owns a call, and how often it was adopted. Calls of earlier versions have the owner ''.
ALTER TABLE calls ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE calls ADD COLUMN fence INTEGER NOT NULL DEFAULT 1;
