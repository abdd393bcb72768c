/** How calls come into rooms, `/voice/v1/room/…`. */
import { type RequestHandler, Router } from 'express';
import { joinRoom } from '../calls/join-room.ts';
import { placeCall } from '../calls/place-call.ts';
import type { CallRecord } from '../runtime/journal.ts';
import { once } from './idempotency.ts';
import { readRoomJoin, readRoomJoinOfCall } from './place-bodies.ts';
import { projectOf } from './request-context.ts';
import {
  bodyOf,
  checkEventUrl,
  describeParties,
  holdUntilSent,
  newCall,
  noteOnEvents,
  only,
  timestampOf,
  type VoiceParts,
} from './route-parts.ts';
import { actionBody } from './words.ts';

export function roomRoutes(parts: VoiceParts): Router {
  const { calls } = parts;

  const dialAndJoin: RequestHandler<{ room_id: string }> = (req, res) =>
    once(parts, req, res, async (keep) => {
      const roomId = req.params.room_id;
      describeParties(res, bodyOf(req));
      const { call, ...more } = readRoomJoin(bodyOf(req));
      checkEventUrl(parts, call.eventUrl);
      const answer = (record: CallRecord) => {
        const msg = noteOnEvents(parts, record.projectId, { event_url: record.eventUrl });
        return actionBody(record, 'initiated', timestampOf(parts), { room_id: roomId, msg });
      };
      const receipt = (record: CallRecord) => keep(answer(record));
      const action = { type: 'room', room: { roomId, ...more } } as const;
      return answer(await placeCall({ ...call, ...newCall(parts, res), action, receipt }, calls));
    });

  const join: RequestHandler<{ room_id: string; voice_id: string }> = async (req, res) => {
    const { room_id: roomId, voice_id: callId } = req.params;
    const order = { roomId, ...readRoomJoinOfCall(bodyOf(req)) };
    holdUntilSent(parts, callId, res);
    const record = await joinRoom(projectOf(res).projectId, callId, order, calls);
    res.json(actionBody(record, 'initiated', timestampOf(parts), { room_id: roomId }));
  };

  const router = Router();
  router.route('/room/:room_id/join').post(dialAndJoin).all(only('POST'));
  router.route('/room/:room_id/call/:voice_id/join').put(join).all(only('PUT'));
  return router;
}
