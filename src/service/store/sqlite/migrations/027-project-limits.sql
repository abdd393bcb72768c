-- How many calls a project may have at once, and how many it may place in a second.
ALTER TABLE projects ADD COLUMN max_calls INTEGER;
ALTER TABLE projects ADD COLUMN calls_per_second INTEGER;
