/** The routes of single calls, `/voice/v1/call…`: a handler reads the request, calls a use case, says what came of it. */
import { type RequestHandler, Router } from 'express';
import { analyzeCall } from '../calls/analyze-call.ts';
import { connectCall, transferCall } from '../calls/connect-call.ts';
import {
  acceptCall,
  hangUpCall,
  holdCall,
  playOnCall,
  recordCall,
  sendEvent,
  stopPlay,
  stopStream,
  streamCall,
} from '../calls/control-call.ts';
import { placeCall } from '../calls/place-call.ts';
import { promptNamed } from '../calls/play-order.ts';
import { isObject } from '../core/json.ts';
import type { CallRecord } from '../runtime/journal.ts';
import { ApiError } from './api-error.ts';
import {
  readConnect,
  readDialOut,
  readEvent,
  readForward,
  readHold,
  readPlay,
  readRecording,
  readStream,
  readTransfer,
} from './call-bodies.ts';
import { answerOnce } from './idempotency.ts';
import { errorContextOf, signedInProjectOf } from './request-context.ts';
import { actionBody, analysisBody, connectedBody, playBody } from './response-bodies.ts';
import {
  addPartiesToErrors,
  bodyOf,
  checkEventUrl,
  disabledUrlNote,
  holdEventsUntilSent,
  newCall,
  only,
  timestampOf,
  type VoiceParts,
} from './route-parts.ts';

type OfCall = RequestHandler<{ voice_id: string }>;

export function callRoutes(parts: VoiceParts): Router {
  const { calls } = parts;
  const now = (): string => timestampOf(parts);

  const dialOut: RequestHandler = (req, res) =>
    answerOnce(parts, req, res, async (keep) => {
      addPartiesToErrors(res, bodyOf(req));
      const order = readDialOut(bodyOf(req));
      checkEventUrl(parts, order.eventUrl);
      const answer = (record: CallRecord) => {
        const msg = disabledUrlNote(parts, record.projectId, { event_url: record.eventUrl });
        return actionBody(record, 'initiated', now(), { msg });
      };
      const receipt = (record: CallRecord) => keep(answer(record));
      return answer(await placeCall({ ...order, ...newCall(parts, res), receipt }, calls));
    });

  const analyze: OfCall = (req, res) => {
    res.json(analysisBody(analyzeCall(signedInProjectOf(res).projectId, req.params.voice_id, calls), now()));
  };

  const play: OfCall = async (req, res) => {
    const callId = req.params.voice_id;
    errorContextOf(res).play = true;
    const order = readPlay(bodyOf(req));
    holdEventsUntilSent(parts, callId, res);
    const { record, playId } = await playOnCall(signedInProjectOf(res).projectId, callId, order, calls);
    res.json(playBody(record, { playId, promptRef: order.promptRef }, now()));
  };

  const endPlay: OfCall = async (req, res) => {
    holdEventsUntilSent(parts, req.params.voice_id, res);
    const { record, playId } = await stopPlay(signedInProjectOf(res).projectId, req.params.voice_id, calls);
    res.json(actionBody(record, 'success', now(), { play_id: playId }));
  };

  const connect: OfCall = (req, res) =>
    answerOnce(
      parts,
      req,
      res,
      async () => {
        const order = readConnect(bodyOf(req));
        holdEventsUntilSent(parts, req.params.voice_id, res);
        const connected = await connectCall(signedInProjectOf(res).projectId, req.params.voice_id, order, calls);
        return connectedBody(connected, 'bridge_id', 'initiated', now());
      },
      { writesReceipt: true },
    );

  const transfer: OfCall = async (req, res) => {
    const order = { ...readTransfer(bodyOf(req)), mode: 'attended' } as const;
    holdEventsUntilSent(parts, req.params.voice_id, res);
    const connected = await transferCall(signedInProjectOf(res).projectId, req.params.voice_id, order, calls);
    res.json(connectedBody(connected, 'channel_id', 'initiated', now()));
  };

  const forward: OfCall = async (req, res) => {
    const order = { ...readForward(bodyOf(req)), mode: 'blind' } as const;
    holdEventsUntilSent(parts, req.params.voice_id, res);
    const connected = await transferCall(signedInProjectOf(res).projectId, req.params.voice_id, order, calls);
    res.json(connectedBody(connected, 'channel_id', 'success', now()));
  };

  const hold: OfCall = async (req, res) => {
    const { hold: held, promptName } = readHold(bodyOf(req));
    const music = promptName === undefined ? {} : { music: { ...promptNamed(calls.prompts(), promptName) } };
    holdEventsUntilSent(parts, req.params.voice_id, res);
    const order = { hold: held, ...music };
    const record = await holdCall(signedInProjectOf(res).projectId, req.params.voice_id, order, calls);
    res.json(actionBody(record, 'success', now(), { hold: held }));
  };

  const recording: OfCall = async (req, res) => {
    const order = readRecording(bodyOf(req));
    holdEventsUntilSent(parts, req.params.voice_id, res);
    const { record, recordingId } = await recordCall(
      signedInProjectOf(res).projectId,
      req.params.voice_id,
      order,
      calls,
    );
    res.json(actionBody(record, 'success', now(), { recording_id: recordingId, msg: '' }));
  };

  const stream: OfCall = async (req, res) => {
    const order = readStream(bodyOf(req));
    holdEventsUntilSent(parts, req.params.voice_id, res);
    const { record, streamId } = await streamCall(signedInProjectOf(res).projectId, req.params.voice_id, order, calls);
    res.status(201).json(actionBody(record, 'initiated', now(), { stream_id: streamId }));
  };

  const endStream: OfCall = async (req, res) => {
    holdEventsUntilSent(parts, req.params.voice_id, res);
    const record = await stopStream(signedInProjectOf(res).projectId, req.params.voice_id, calls);
    res.status(201).json(actionBody(record, 'success', now()));
  };

  const accept: OfCall = async (req, res) => {
    holdEventsUntilSent(parts, req.params.voice_id, res);
    const record = await acceptCall(signedInProjectOf(res).projectId, req.params.voice_id, calls);
    res.json(actionBody(record, 'success', now()));
  };

  const hangUp: OfCall = async (req, res) => {
    holdEventsUntilSent(parts, req.params.voice_id, res);
    const record = await hangUpCall(signedInProjectOf(res).projectId, req.params.voice_id, calls);
    res.json(actionBody(record, 'success', now()));
  };

  const event: OfCall = async (req, res) => {
    const named = readEvent(bodyOf(req));
    holdEventsUntilSent(parts, req.params.voice_id, res);
    const record = await sendEvent(signedInProjectOf(res).projectId, req.params.voice_id, named, calls);
    res.json(actionBody(record, 'success', now(), { event: named.name }));
  };

  /** An alias: one of two actions, named by the body's key. */
  const act: OfCall = (req, res, next) => {
    const body = bodyOf(req);
    if (isObject(body) && isObject(body['play'])) return play(req, res, next);
    if (isObject(body) && isObject(body['connect'])) return connect(req, res, next);
    throw new ApiError('bad_request', 'the body names no action', {
      hint: 'send {"play": {…}} or {"connect": {…}}',
    });
  };

  const router = Router();
  router.route('/call').post(dialOut).all(only('GET', 'POST'));
  router
    .route('/call/:voice_id')
    .get(analyze)
    .delete(hangUp)
    .post(act)
    .all(only('GET', 'POST', 'DELETE'));
  router
    .route('/call/:voice_id/play')
    .put(play)
    .post(play)
    .delete(endPlay)
    .all(only('PUT', 'POST', 'DELETE'));
  router.route('/call/:voice_id/connect').put(connect).post(connect).all(only('PUT', 'POST'));
  router.route('/call/:voice_id/transfer').put(transfer).all(only('PUT'));
  router.route('/call/:voice_id/forward').put(forward).all(only('PUT'));
  router.route('/call/:voice_id/hold').post(hold).put(hold).all(only('POST', 'PUT'));
  router.route('/call/:voice_id/recording').put(recording).all(only('PUT'));
  router.route('/call/:voice_id/stream').put(stream).delete(endStream).all(only('PUT', 'DELETE'));
  router.route('/call/:voice_id/accept').post(accept).put(accept).all(only('POST', 'PUT'));
  router.route('/call/:voice_id/event').post(event).all(only('POST'));
  return router;
}
