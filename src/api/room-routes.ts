/** How calls come into rooms, `/voice/v1/room/…`. */
import { type RequestHandler, Router } from 'express';
import { joinRoom } from '../calls/join-room.ts';
import { placeCall } from '../calls/place-call.ts';
import type { CallRecord } from '../runtime/journal.ts';
import { readRoomJoin, readRoomJoinOfCall } from './conference-bodies.ts';
import { answerOnce } from './idempotency.ts';
import { signedInProjectOf } from './request-context.ts';
import { actionBody } from './response-bodies.ts';
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

export function roomRoutes(parts: VoiceParts): Router {
  const { calls } = parts;

  const dialAndJoin: RequestHandler<{ room_id: string }> = (req, res) =>
    answerOnce(parts, req, res, async (keep) => {
      const roomId = req.params.room_id;
      addPartiesToErrors(res, bodyOf(req));
      const { call, ...more } = readRoomJoin(bodyOf(req));
      checkEventUrl(parts, call.eventUrl);
      const answer = (record: CallRecord) => {
        const msg = disabledUrlNote(parts, record.projectId, { event_url: record.eventUrl });
        return actionBody(record, 'initiated', timestampOf(parts), { room_id: roomId, msg });
      };
      const receipt = (record: CallRecord) => keep(answer(record));
      const action = { type: 'room', room: { roomId, ...more } } as const;
      return answer(await placeCall({ ...call, ...newCall(parts, res), action, receipt }, calls));
    });

  const join: RequestHandler<{ room_id: string; voice_id: string }> = async (req, res) => {
    const { room_id: roomId, voice_id: callId } = req.params;
    const order = { roomId, ...readRoomJoinOfCall(bodyOf(req)) };
    holdEventsUntilSent(parts, callId, res);
    const record = await joinRoom(signedInProjectOf(res).projectId, callId, order, calls);
    res.json(actionBody(record, 'initiated', timestampOf(parts), { room_id: roomId }));
  };

  const router = Router();
  router.route('/room/:room_id/join').post(dialAndJoin).all(only('POST'));
  router.route('/room/:room_id/call/:voice_id/join').put(join).all(only('PUT'));
  return router;
}
