/** Live stream of a room for its audience (HLS): playlist and segments. The URL contains the access token. */
import type { RequestHandler } from 'express';
import type { LiveStreams } from '../../../media/rooms/live-stream/live-streams.ts';
import { ApiError } from '../api-error.ts';
import { sendFile } from '../send-file.ts';

/** Path below that of the room page. */
const PATH = /^\/([^/]+)\/hls\/([^/]+)\/([^/]+)$/;

const CODES = { refused: 'stream_refused', gone: 'stream_gone' } as const;
const MESSAGES = {
  refused: 'the URL is invalid or expired',
  gone: 'the viewer has left the room, or this part of the stream does not exist',
};

export function answerStream(streams: Pick<LiveStreams, 'read'>): RequestHandler {
  return async (req, res, next) => {
    const [, room, token, file] = PATH.exec(req.path) ?? [];
    if (file === undefined || (req.method !== 'GET' && req.method !== 'HEAD')) return next();
    const found = streams.read({ room: room!, token: token!, file });
    if ('problem' in found) throw new ApiError(CODES[found.problem], MESSAGES[found.problem]);
    if ('playlist' in found) res.type('application/vnd.apple.mpegurl').send(found.playlist);
    else await sendFile(res, found.path, { name: file, type: 'video/mp2t', noun: 'stream' });
  };
}
