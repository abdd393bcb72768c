import { type Action, argumentsOf, outcomesNeeding, type VerbActions } from '../../proof/explore/actions/action.ts';
import { pass, press } from '../../proof/explore/actions/caller-actions.ts';
import { AFTER, isMadeOnCall, withOthers } from '../../proof/explore/actions/setup.ts';

/** Name of a room that is found by its PIN. */
const ANY_ROOM = '*';
const MADE_ON_CALL = 'only with a room_id that is not made on the call';

export const actions: VerbActions = {
  /** The other keys affect only the audio in the room, not the flow. */
  caller(moment): Action[] {
    const leaveKey = String(moment.args['leave_key'] ?? '');
    return [...(leaveKey === '' ? [] : [press(leaveKey, outcomesNeeding(moment, 'key'))]), pass(moment)];
  },
  /** A room that ends, one that removes the caller, and one whose moderator does not admit the caller. */
  setups(step, _flow, setup) {
    const { room_id: id } = argumentsOf(step);
    if (setup.rooms !== undefined || setup.others?.rooms !== undefined) return [];
    // A room that is not known before the call can still refuse the caller.
    if (typeof id !== 'string' || isMadeOnCall(id)) {
      return id === undefined ? [withOthers(setup, 'rooms', ANY_ROOM, { denies_after: AFTER })] : [];
    }
    return [{ ends_after: AFTER }, { removes_after: AFTER }, { denies_after: AFTER }].map((look) =>
      withOthers({ ...setup, rooms: [{ room_id: id }] }, 'rooms', id, look),
    );
  },
  notTried: { ended: MADE_ON_CALL, left: MADE_ON_CALL },
};
