-- Recordings are kept by name below the data directory, so that a copy of the directory works with its own files only.
-- What lies elsewhere keeps its path, and is no longer touched.
UPDATE recordings SET file = name_of_recording(recording_id, file);
