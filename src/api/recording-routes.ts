/** Recordings are had from `/voice/v1/recording/…`: whole or in parts, by their project alone. */
import { type RequestHandler, Router } from 'express';
import { ApiError } from './api-error.ts';
import { signedInProjectOf } from './request-context.ts';
import { only, type VoiceParts } from './route-parts.ts';

export function recordingRoutes({ calls }: VoiceParts): Router {
  const download: RequestHandler<{ recording_id: string }> = (req, res, next) => {
    const { path, recordingId, name } = calls.recordings.find(
      signedInProjectOf(res).projectId,
      req.params.recording_id,
    );
    res.attachment(`${name ?? recordingId}.wav`).type('audio/wav');
    // Ranges, ETag and conditions are the library's (RFC 9110 §13, §14). The path is ours, whatever it looks like.
    res.sendFile(path, { dotfiles: 'allow', cacheControl: false }, (error?: Error) => {
      if (!error || res.writableEnded || res.destroyed) return;
      for (const name of ['content-disposition', 'content-type']) res.removeHeader(name);
      next(problemOf(error));
    });
  };

  const router = Router();
  router.route('/recording/:recording_id').get(download).all(only('GET', 'HEAD'));
  router.route('/recording/:service_id/:recording_id').get(download).all(only('GET', 'HEAD'));
  return router;
}

function problemOf(error: Error): Error {
  const { code, status } = error as { code?: unknown; status?: unknown };
  if (code === 'ENOENT' || status === 404)
    return new ApiError('unknown_recording', 'the file of the recording is gone');
  return status === 416 ? new ApiError('range_refused', 'the recording has no such part') : error;
}
