/** Serves server-sent events: headers, a limited duration, and the end of the connection. */
import type { Response } from 'express';
import type { Clock } from '../../base/core/clock.ts';
import type { LiveReader } from '../observers/live/feed.ts';
import { ApiError } from './api-error.ts';

/**
 * Maximum duration of a stream. The client then reconnects, authenticates again and resumes, so that a revoked key
 * loses access.
 */
const MAX_MS = 15 * 60_000;

/** `open` returns a function that closes the stream. Throws `too_many_requests` if it returns undefined. */
export function serveEvents(
  res: Response,
  clock: Clock,
  open: (reader: LiveReader) => (() => void) | undefined,
): undefined {
  res.type('text/event-stream').set({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
  if (res.req.method === 'HEAD') return void res.end();
  const reader = readerOf(res);
  const close = open(reader);
  if (!close) {
    res.removeHeader('content-type');
    throw new ApiError('too_many_requests', 'too many event streams are open', { headers: { 'retry-after': '5' } });
  }
  const end = clock.after(MAX_MS, () => reader.end());
  res.once('close', () => {
    end.cancel();
    close();
  });
  return undefined;
}

const readerOf = (res: Response): LiveReader => ({
  send: (piece) => void res.write(piece),
  get waitingBytes() {
    return res.writableLength;
  },
  // Destroys the connection if data is still buffered, because the client does not read it.
  end: () => void (res.writableLength > 0 ? res.destroy() : res.end()),
});
