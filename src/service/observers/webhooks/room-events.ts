/** Events of video rooms, for the `video_webhook` of their project, in order per session. */
import type { Delivery } from '../../../base/core/delivery.ts';
import { defined, type JsonObject } from '../../../base/core/json.ts';

export interface RoomEvent {
  projectId: string;
  roomId: string;
  confNum: string;
  /** `room-active`, `room-drop`, `recording`, `transcoded`, `user-connected`, `user-disconnected`, `poll`, `feedback`. */
  type: string;
  user?: { id: string; name: string; userRef: string; role: string; isPhone: boolean };
  /** Fields specific to this type. */
  more?: JsonObject;
}

export function roomDelivery(
  { projectId, roomId, confNum, type, user, more }: RoomEvent,
  { id, url, nowMs }: { id: string; url: string; nowMs: number },
): Delivery {
  const at = new Date(nowMs).toISOString();
  const payload = defined<JsonObject>({
    type,
    trans_date: at,
    app_id: projectId,
    room_id: roomId,
    conf_num: confNum,
    user: user && {
      ...{ name: user.name, user_ref: user.userRef, role: user.role },
      ...{ call_num: user.id, sip: user.isPhone },
    },
    ...more,
    timestamp: at,
  });
  return { id, projectId, orderKey: confNum, url, payload, createdMs: nowMs };
}
