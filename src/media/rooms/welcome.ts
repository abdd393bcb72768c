/** Message to a participant who has joined or resumed: the room, and the state of the session. */
import type { ServerMessages } from '../../base/core/room-messages.ts';
import { type Participant, permissionsOf } from './participant.ts';
import type { SessionPorts } from './session-ports.ts';

type Welcome = ServerMessages['welcome'];

export function welcomeOf(
  participant: Participant,
  { room: { settings, name, roomId }, confNum, canRecord, iceServers }: SessionPorts,
  state: Omit<Welcome, 'type' | 'id' | 'resume_key' | 'role' | 'permissions' | 'room' | 'ice_servers'>,
): Welcome {
  const { id, resumeKey, role } = participant;
  return {
    ...{ type: 'welcome', id, resume_key: resumeKey, role },
    permissions: permissionsOf(participant, settings.mode, canRecord),
    room: { room_id: roomId, name, conf_num: confNum, settings: { ...settings } },
    ...state,
    ice_servers: iceServers(id),
  };
}
