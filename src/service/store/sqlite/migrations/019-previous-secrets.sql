-- The key and the webhook secret before the present ones, as JSON: valid beside them for a while.
ALTER TABLE projects ADD COLUMN previous TEXT;
