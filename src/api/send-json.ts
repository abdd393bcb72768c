/** Answers are one JSON document with its length. Express asks settings for each of them that none of ours has. */
import type { Response } from 'express';

export function sendJson(res: Response, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  res.statusCode = status;
  res.setHeader('content-type', 'application/json; charset=utf-8');
  // Also of what HEAD does not send.
  res.setHeader('content-length', Buffer.byteLength(text));
  res.end(text);
}
