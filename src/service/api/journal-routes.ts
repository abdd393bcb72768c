/** Routes for the journal, audio and waveforms of calls, and for the statistics of a flow. */
import { defined, type Json } from '../../base/core/json.ts';
import { wavHeader } from '../../base/core/wav-header.ts';
import { readJournal } from '../calls/views/read-journal.ts';
import { HEARD_RATE_HZ } from '../calls/views/replay-audio.ts';
import { listedCallBody } from './call-list-routes.ts';
import { CALL } from './call-routes.ts';
import { FIGURES_QUERY, JOURNAL_PAGE, PEAKS_QUERY, readQuery } from './query-parameters.ts';
import { iso } from './response-bodies.ts';
import { type VoiceRoute, voiceRoute } from './voice-route.ts';

const DAY_MS = 86_400_000;

const JOURNAL = voiceRoute('Calls', 'GET', `${CALL}/journal`, {
  summary: 'returns the journal of a live or ended call, in pages',
  query: JOURNAL_PAGE,
  response: 'journal',
  errors: ['unknown_call'],
  async handle({ projectId, params, url }, { calls, live }) {
    const { after: afterSeq, limit } = readQuery<{ after: number; limit: number }>(url, JOURNAL_PAGE);
    const asked = { afterSeq, limit };
    const { record, entries, next } = await readJournal(projectId, params.voice_id, asked, calls);
    return defined({
      result: 0,
      flow: { name: record.flow, hash: record.flowHash },
      call: listedCallBody(record, { calls, live }),
      // Journal entries are stored as JSON.
      entries: entries as unknown as Json,
      next,
    });
  },
});

const HEARD = voiceRoute('Calls', 'GET', `${CALL}/heard/{play_id}`, {
  summary: 'returns the audio of a play as WAV, regenerated from the journal; sensitive parts are silent',
  response: { status: 200, mediaType: 'audio/wav' },
  errors: ['unknown_call', 'unknown_play', 'no_service', 'speech_failed', 'overloaded'],
  async handle({ projectId, params, res }, { replayAudio }) {
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    const heard = replayAudio(projectId, params.voice_id, params.play_id, gone.signal);
    const sound = await heard.catch((error: unknown) => {
      if (!gone.signal.aborted) throw error;
    });
    if (!sound) return undefined;
    const bytes = Buffer.from(sound.buffer, sound.byteOffset, sound.byteLength);
    res.type('audio/wav').send(Buffer.concat([wavHeader(bytes.length, HEARD_RATE_HZ), bytes]));
    return undefined;
  },
});

const PEAKS = voiceRoute('Recordings', 'GET', '/voice/v1/recording/{recording_id}/peaks', {
  summary: 'returns the waveform of a recording: the minimum and maximum of each interval',
  query: PEAKS_QUERY,
  response: 'peaks',
  errors: ['unknown_recording', 'overloaded'],
  async handle({ projectId, params, url }, { calls, recordingPeaks }) {
    const { per_second: asked } = readQuery<{ per_second: number }>(url, PEAKS_QUERY);
    const { path } = calls.recordings.find(projectId, params.recording_id);
    const { perSecond, channels } = await recordingPeaks(path, asked);
    return { result: 0, per_second: perSecond, channels };
  },
});

const FIGURES = voiceRoute('Calls', 'GET', '/voice/v1/flow/{name}/figures', {
  summary:
    'counts how often each step of a flow was entered, and each outcome taken, in the newest calls of the project',
  query: FIGURES_QUERY,
  response: 'figures',
  errors: ['overloaded'],
  async handle({ projectId, params, url }, { calls, flowFigures }) {
    const { since, version } = readQuery<{ since?: number; version?: string }>(url, FIGURES_QUERY);
    const sinceMs = since ?? calls.clock.now() - DAY_MS;
    const counted = await flowFigures(defined({ projectId, flow: params.name, sinceMs, version }));
    const { sinceMs: fromMs, ...figures } = counted;
    return { result: 0, since: iso(fromMs), ...figures };
  },
});

export const JOURNAL_ROUTES: readonly VoiceRoute[] = [JOURNAL, HEARD, PEAKS, FIGURES];
