/** Routes for archives of sessions, `/video/v2/archive/…`, and their files. */
import { extname } from 'node:path';
import { archiveBody } from '../../../media/rooms/archive/archive-body.ts';
import { ApiError } from '../api-error.ts';
import { sendFile } from '../send-file.ts';
import { sessionReports } from './session-reports.ts';
import { type VideoRoute, videoRoute } from './video-route.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.webm': 'video/webm',
  '.mkv': 'video/x-matroska',
  '.mp4': 'video/mp4',
  '.json': 'application/json',
};

const FILE: VideoRoute = {
  ...videoRoute('GET', '/archive/file/{conf_num}/{file_name}', {
    summary: 'returns a file of an archive, completely or in parts (`Range`)',
    response: 'archive',
    errors: ['archive_file_unknown', 'range_refused'],
    async handle({ projectId, params, res }, { archives }) {
      const { conf_num: confNum, file_name: file } = params;
      const path = await archives.pathOf(projectId, confNum, file);
      const type = TYPES[extname(file)] ?? 'application/octet-stream';
      await sendFile(res, path, { name: file, type, noun: 'file' }).catch(
        (error: { code?: string; status?: number }) => {
          const isGone = error.code === 'ENOENT' || error.status === 404;
          throw isGone ? new ApiError('archive_file_unknown', 'the file was deleted') : error;
        },
      );
      return undefined;
    },
  }),
  response: { status: 200, mediaType: 'application/octet-stream' },
};

export const ARCHIVE_ROUTES: readonly VideoRoute[] = [
  ...sessionReports({
    name: 'archive',
    summary: 'returns recordings, chat and timeline of',
    response: 'archive',
    list(query, { archives, publicUrl }) {
      const { archives: found, ...next } = archives.list(query);
      return { list: found.map((archive) => archiveBody(archive, publicUrl())), ...next };
    },
  }),
  FILE,
  videoRoute('DELETE', '/session/{conf_num}', {
    summary: 'deletes all data of an ended session: archive, reports, journal and pending events',
    response: 'video-done',
    errors: ['unknown_session', 'still_live'],
    async handle({ projectId, params }, { people }) {
      await people.deleteSession(projectId, params.conf_num);
      return {};
    },
  }),
];
