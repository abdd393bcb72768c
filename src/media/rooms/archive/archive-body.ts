/** JSON body of an archive, for the API and its events. */
import type { JsonObject } from '../../../base/core/json.ts';
import type { Archive, Transcoding } from './archive.ts';
import { iso } from './session-log.ts';

/** `base`: URL of the API for clients. */
export const archiveUrl = (base: string, confNum: string, file: string): string =>
  `${base}/video/v2/archive/file/${encodeURIComponent(confNum)}/${encodeURIComponent(file)}`;

export function archiveBody(archive: Archive, base: string): JsonObject {
  const { archiveId, atMs, confNum, projectId, roomId, recordings, transcoded, chat, metadata, transcoding } = archive;
  const url = (file: string): string => archiveUrl(base, confNum, file);
  return {
    _id: archiveId,
    trans_date: iso(atMs),
    conf_num: confNum,
    app_id: projectId,
    room_id: roomId,
    recording: recordings.map(({ file }) => ({ url: url(file) })),
    transcoded: transcoded.map((file) => ({ url: url(file) })),
    chatdata: chat === undefined ? '' : url(chat),
    metadata: metadata === undefined ? '' : url(metadata),
    transcoding: transcodingBody(transcoding),
  };
}

const transcodingBody = (transcoding: Transcoding): JsonObject => {
  if (transcoding.state === 'running') return { state: 'running', progress: transcoding.progress };
  if (transcoding.state === 'failed') return { state: 'failed', error: transcoding.why };
  return { state: transcoding.state };
};
