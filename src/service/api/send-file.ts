/** Sends files in responses, completely or as ranges. */
import type { Response } from 'express';
import { ApiError } from './api-error.ts';

/**
 * Ranges, ETag and conditional requests are handled by Express (RFC 9110 §13, §14). `name` is the suggested file name;
 * `noun` stands for the file in messages.
 */
export function sendFile(
  res: Response,
  path: string,
  { name, type, noun }: { name: string; type: string; noun: string },
): Promise<undefined> {
  res.attachment(name).type(type);
  return new Promise((resolve, reject) => {
    // `dotfiles: 'allow'`, because the path comes from the service, not from the client.
    res.sendFile(path, { dotfiles: 'allow', cacheControl: false }, (error?: Error & { status?: number }) => {
      if (!error || res.writableEnded || res.destroyed) return resolve(undefined);
      for (const header of ['content-disposition', 'content-type']) res.removeHeader(header);
      reject(error.status === 416 ? new ApiError('range_refused', `the ${noun} has no such part`) : error);
    });
  });
}

export const sendAudio = (res: Response, path: string, name: string, noun: string): Promise<undefined> =>
  sendFile(res, path, { name: `${name}.wav`, type: 'audio/wav', noun });
