-- Where events of video rooms go.
ALTER TABLE projects ADD COLUMN video_webhook TEXT;
