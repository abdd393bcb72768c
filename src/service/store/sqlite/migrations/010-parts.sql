-- part_of: a whole, such as a broadcast, whose end is told after this. waits_for: this is the end of that whole, and not
-- sendable while any part of it for the same URL stands in a line.
ALTER TABLE deliveries ADD COLUMN part_of TEXT;
ALTER TABLE deliveries ADD COLUMN waits_for TEXT;

CREATE INDEX deliveries_parts ON deliveries (part_of, url) WHERE in_line = 1 AND part_of IS NOT NULL;
CREATE INDEX deliveries_that_wait ON deliveries (waits_for) WHERE waits_for IS NOT NULL;
