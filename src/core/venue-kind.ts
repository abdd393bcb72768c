/**
 * Where calls meet, kept outside of any one call: `calls/conferences/`. Their events:
 * `conference`: `joined` ({conference_id, mix_id, members}), `full`, `ended`, `muted` ({muted}), `held` ({hold}),
 * `waiting` and `started` (for a moderator); `queue`: `position` ({position, waiting}), `turn` ({agent}), `full`;
 * `room`: `joined` ({room_id, mix_id}), `denied` ({reason}), `ended`. Names of events are documented with each verb.
 */
export type VenueKind = 'conference' | 'queue' | 'room';
